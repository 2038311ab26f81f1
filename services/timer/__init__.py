"""The timer: tells rules that the house is alive, and which clocks have run out."""
