"""What the next request will hold."""
