"""The log: one port, three implementations (memory, SQLite, Kafka), and the live matches on it."""
