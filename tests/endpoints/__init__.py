"""What cococat makes of real and played servers."""
