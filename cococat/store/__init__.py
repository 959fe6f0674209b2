"""What is kept on disk: session logs and atomic files; every byte of it is checked when it is read back."""
