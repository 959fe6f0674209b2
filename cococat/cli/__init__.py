"""The command line: words in, one call of the composition root, an exit code out."""
