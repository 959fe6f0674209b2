"""What cococat remembers of its user: one Markdown file, and the dream that keeps it."""
