"""A recorded session, shown again."""
