"""Memory on disk: the folder and its files, MEMORY.md, what was said and done, versions and where lines come from."""
