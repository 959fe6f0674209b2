"""The MCP client: servers of the user's choosing, whose tools a model may call. The SDK is imported where one is reached."""
