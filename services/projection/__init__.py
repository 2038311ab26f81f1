"""The projection worker: tells `match.events` to PostgreSQL, as tables for people to ask."""
