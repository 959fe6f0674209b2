"""The composition root: the only room that imports everything, by subject; nothing is imported before it is called."""
