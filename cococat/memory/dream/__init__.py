"""A dream: what a model reads and may change, what is held against it, and what becomes of that."""
