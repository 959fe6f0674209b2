"""MCP servers in a session, and the commands about them."""
