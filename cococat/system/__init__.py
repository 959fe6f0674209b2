"""The ground: files, folders, addresses and texts; the standard library and pathspec, nothing of ours."""
