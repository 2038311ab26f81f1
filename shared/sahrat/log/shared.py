"""What the workers of one process need to work out only once.

In a house of one process rules, timer, bots, gateway and wallet follow the same records, each with
matches of its own. What a record says and which state it leads to are the same for all of them, so
the first one's answer serves the others: most of the work of a start, and memory for one copy of
each state. Where each worker is a process there is nothing to share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sahrat.match.match import Match
from sahrat.match.state import State
from sahrat.messages.base import Message
from sahrat.messages.codec import Poison
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Stored

RECORDS: Final = 2_048
"""So many at hand, at 5 kB of memory each: followers that begin together stay together but for a
batch or two of 64 records of each of the twelve partitions."""

Said = Record[Message] | Poison


class Shared:
    """The last records of one log and the last states, for all who follow it in this process.

    Nothing here decides anything: both answers are pure functions of what is asked, and a log's
    record never changes. Nothing here waits either, so that what is pure may use it.

    Args:
        most: So many records are kept, and as many states; the oldest go first.
    """

    def __init__(self, most: int = RECORDS) -> None:
        self._most = most
        self._said: dict[tuple[int, int], Said] = {}
        self._states: dict[
            tuple[int, int], tuple[State | None, Sequence[Message], State]
        ] = {}  # by the ids of the first two, which are held here so that none gets them again

    def said(self, stored: Stored, read: Callable[[Stored], Said]) -> Said:
        """Return what a record of `match.events` says: as it was read before, or by `read`, whose
        exceptions are not kept.
        """
        place = (stored.partition, stored.offset)
        found = self._said.get(place)
        if found is None:
            found = self._said[place] = read(stored)
            if len(self._said) > self._most:
                del self._said[next(iter(self._said))]
        return found

    def after(self, match: Match, events: Sequence[Message]) -> State:
        """Return `match.after(events)`, as it was worked out before from this very state for these
        very events, or now. Raises what that raises.
        """
        ids = (id(match.state), id(events))
        found = self._states.get(ids)
        if found is not None:
            return found[2]
        state = match.after(events)
        self._states[ids] = (match.state, events, state)
        if len(self._states) > self._most:
            del self._states[next(iter(self._states))]
        return state
