"""Real kills: a house on a real broker and a real database, struck while phones play."""
