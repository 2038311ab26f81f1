"""What travels through the log: envelopes, codec, topics, and the messages around any game."""
