"""The rules worker: folds intents into events. The only writer of `match.events`."""
