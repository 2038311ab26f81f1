"""The games. Everything here is pure."""
