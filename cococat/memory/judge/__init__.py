"""The judge: what a line of memory means is asked of a model that is believed as long as it proves that it can judge."""
