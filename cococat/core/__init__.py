"""The loop and its values: standard library only, no I/O, no environment."""
