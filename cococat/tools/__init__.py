"""The tools a model may call, each an async function closed over the root folder."""
