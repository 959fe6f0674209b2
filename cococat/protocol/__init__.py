"""How a reply becomes calls or an answer."""
