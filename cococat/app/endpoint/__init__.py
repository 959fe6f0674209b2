"""The endpoint: which model answers, what it is called, and what it can take."""
