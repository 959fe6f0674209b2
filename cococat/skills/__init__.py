"""Skills: folders of instructions that the user installed, and prompts of the user's own."""
