"""What a model is told before anything is asked."""
