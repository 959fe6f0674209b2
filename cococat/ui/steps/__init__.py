"""A run as steps: what is shown of each event, on any sink."""
