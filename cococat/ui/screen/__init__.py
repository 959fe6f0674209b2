"""The screen of a terminal: what is printed once, and the rows that are drawn again."""
