"""The bots: play the seats that a bot plays, by the same intents as a phone."""
