"""The only room that knows the openai SDK, HTTP and tokenizers; nothing heavy is imported before it is needed."""
