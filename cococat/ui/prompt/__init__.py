"""What a user types: the prompt, keys while a turn runs, questions."""
