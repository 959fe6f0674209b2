"""Lines of text: colours, columns, wrapping, Markdown."""
