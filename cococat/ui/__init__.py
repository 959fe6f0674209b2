"""What a user or a script sees: every sink reads the same events."""
