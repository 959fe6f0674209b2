"""The ground: files, folders, addresses and texts; the standard library, and nothing of ours."""
