"""What keeps foreign text harmless: on the screen, in prompts, in logs."""
