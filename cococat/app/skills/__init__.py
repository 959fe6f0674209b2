"""Skills and commands of one's own in a run, and `cococat skills`."""
