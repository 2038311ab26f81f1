"""The match around any game: table life, seats, presence, step clock. Everything here is pure."""
