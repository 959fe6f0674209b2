"""What a person or a script sees: every sink reads the same events."""
