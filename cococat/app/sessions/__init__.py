"""Recorded sessions: listed, shown, exported, pruned."""
