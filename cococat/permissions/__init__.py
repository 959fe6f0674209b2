"""What a tool call may do: rules, modes, and the reading of commands, paths and addresses."""
