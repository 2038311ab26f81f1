"""Whole matches as they would stand in the log, made without one: intents and their records.

Players choose as the game's bot does, so that any game can be told. The same intents, stored by a
real log and judged by a real rules worker with the same keys, are all accepted again: dice come
from the match's secret and the players' numbers, and no clock runs out while no timer is at work.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sahrat import games
from sahrat.log.live import LivePartition
from sahrat.match.judge import Keys
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.base import Line, Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import MATCH_PARTITIONS, partition_of
from services.rules import core

_NEWEST: Final = games.current("ludo")
assert _NEWEST is not None
RULES: Final = _NEWEST.rules
OPTIONS: Final[dict[str, str | int]] = {"players": 2}
MATCH_RECORDS: Final = 120  # of each match that is not to end
ENTRY: Final = 2  # records before the first action: the table is opened, and joined
IN_TIME_MS: Final = 3_600_000
_FREE: Final = (1 << 62) - 1


class Told:
    """One partition of a story.

    Args:
        number: Of the partition.
        keys: Those that rules has.
        at_ms: The append time of all its intents.
        rules: What is played ..
        options: .. and how.

    Attributes:
        intents, events: What stands there, by offset.
        live: The matches as they are after all of it.
    """

    def __init__(
        self,
        number: int,
        keys: Keys,
        at_ms: int,
        rules: str = RULES,
        options: Mapping[str, str | int] = OPTIONS,
    ) -> None:
        self.number = number
        self._rules = rules
        self._options = dict(options)
        self.at_ms = at_ms
        self.intents: list[Draft] = []
        self.events: list[Draft] = []
        self.live = LivePartition(number)
        self._keys = keys
        self._chance = random.Random(number)
        self._gateway = self.new_id()

    def new_id(self) -> str:
        """Return a UUIDv7 of the story's time."""
        free = self._chance.getrandbits(74)
        number = self.at_ms << 80 | 7 << 76 | free >> 62 << 64 | 2 << 62 | free & _FREE
        return str(UUID(int=number))

    def match_id(self) -> str:
        """Return the id of a match of this partition."""
        while partition_of(found := self.new_id()) != self.number:
            pass
        return found

    def seat(self, match_id: str, player_id: str, *, opens: bool) -> None:
        """Let a player open a table, or sit down at it."""
        seat: dict[str, Any] = {
            "nickname": "p",
            "seat_number": str(self._chance.getrandbits(64)),
            "line": Line(gateway=self._gateway, number=len(self.intents)),
        }
        intent: Message = m.JoinTable(**seat)
        if opens:
            intent = m.OpenTable(rules=self._rules, options=self._options, entry_coins=0, **seat)
        self._put(match_id, intent, player_id=player_id)

    def act(self, match_id: str) -> bool:
        """Let whoever is on turn act; return False if the match is over."""
        match = self.live.get(match_id)
        assert match is not None
        if not match.live:
            return False
        state = match.known
        intent = match.game.bot(state.board, f"{match_id}|{state.step}")
        if "number" in type(intent).model_fields:
            intent = intent.model_copy(update={"number": str(self._chance.getrandbits(64))})
        sitter = state.sitters[state.chair_of_seat(state.step_seat)]
        self._put(match_id, intent, player_id=sitter.player_id, step=state.step)
        return True

    def stop(self, match_id: str) -> None:
        """Let an operator end a match."""
        self._put(
            match_id,
            m.StopMatch(reason="operator", operator="bench", detail="it is measured"),
            system="operator",
        )

    def _put(self, match_id: str, intent: Message, **who: Any) -> None:
        values: dict[str, Any] = {
            "intent_id": self.new_id(),
            "match_id": match_id,
            "player_id": None,
            "system": None,
            "step": None,
            "not_after_ms": self.at_ms + IN_TIME_MS if "player_id" in who else None,
            "sent_by": self._gateway,
        }
        value = encode(IntentEnvelope[Any](**(values | who), intent=intent))
        draft = Draft(match_id.encode(), value)
        offset = len(self.intents)
        self.intents.append(draft)
        stored = Stored(
            topics.INTENTS.name, self.number, offset, self.at_ms, draft.key, draft.value
        )
        for output in core.step(self.live, stored, self._keys):
            if isinstance(output, core.Heavy):
                continue
            assert isinstance(output, core.Event), f"not accepted: {output}"
            if output.opens is not None:
                output.opens.first_offset = len(self.events)
            self.events.append(output.draft)
            self.live.next_offset = len(self.events)


def partitions(keys: Keys, at_ms: int) -> list[Told]:
    """Return empty partitions, all that a match topic has."""
    return [Told(number, keys, at_ms) for number in range(MATCH_PARTITIONS)]


def tell(told: Sequence[Told], matches: int, acts: int, *, stop: bool = False) -> None:
    """Add matches, spread over the partitions, all going on at once.

    Args:
        told: The partitions.
        matches: How many.
        acts: Of each match, unless it is over before.
        stop: Whether an operator ends each after that.
    """
    for number, partition in enumerate(told):
        share = matches // len(told) + (number < matches % len(told))
        going = [_match(partition, acts, stop=stop) for _ in range(share)]
        while going:
            going = [match for match in going if next(match, None) is not None]


def _match(told: Told, acts: int, *, stop: bool) -> Iterator[bool]:
    """Play one match, and yield after each record."""
    match_id, players = told.match_id(), (told.new_id(), told.new_id())
    for player_id in players:
        told.seat(match_id, player_id, opens=player_id == players[0])
        yield True
    for _ in range(acts):
        if not told.act(match_id):
            return
        yield True
    if stop:
        told.stop(match_id)
