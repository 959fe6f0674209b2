"""MCP servers: scripted ones for what may go wrong, real ones for what has to work."""
