"""The memory of the user: dreams, their log, and the commands on it."""
