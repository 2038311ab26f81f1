"""The numbers of a match around any game, each with its rule in `rules.md`."""

from __future__ import annotations

from typing import Final

AWAY_MS: Final = 60_000  # rule S: a lost line keeps the seat for so long
IDLE_MS: Final = 30 * 60_000  # rule T: an open coin table in which nothing happens closes
STILL_MS: Final = 30 * 60_000  # rule T: a match that stood still for longer is stopped
RECORDS: Final = 5_000  # rule T: a longer match is stopped
ALIVE_MS: Final = 2_000  # rule K: so far from the last answered tick everything was alive
KEEP_MS: Final = 10_000  # rule K: the least that a clock has left after a resume
FORGET_MS: Final = 20 * 60_000  # an ended match is remembered for so long, so that ..
OPENING_AGE_MS: Final = 10 * 60_000  # .. an opening older than this cannot open it again
OPENING_AHEAD_MS: Final = 60_000  # how far an opening's id may be ahead of the log's time
ENTRY_COINS: Final = (10, 1_000_000)  # rule M.3: smallest and largest entry
FIRST_COINS: Final = 20  # rule M.2: what first place at a free table earns ..
OTHER_COINS: Final = 5  # .. and any other

assert FORGET_MS > OPENING_AGE_MS + OPENING_AHEAD_MS
assert KEEP_MS <= AWAY_MS
