"""What the gateway decides without a clock, a socket or the log. Everything here is pure."""
