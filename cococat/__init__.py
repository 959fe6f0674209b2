"""A terminal chat CLI that thinks, acts and observes in the open, and remembers its user honestly."""

__version__ = "0.1.0"
