"""Tables of two phones each, for the driver: they play match after match, and time each action.

What is checked of the records is what playing needs; `sahrat play` checks them all.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import uuid_utils

from services.house.hands import HANDS
from tests.bench.frames import Frames

AGAIN_S: Final = 0.2  # before something is tried again that was refused
OPTIONS: Final = {"players": 2}

_TYPED: Final = b'{"type":'
"""How every message begins that is no record."""
_ENDS: Final = frozenset({"match.ended", "match.stopped", "table.closed"})
_QUIET: Final = frozenset({"watching", "accepted", "signed_in", "unwatched", "wallet", "ways"})

Later = Callable[[float, Callable[[], None]], object]


def now_us() -> int:
    """Return the time that goes on everywhere on this machine alike, in us."""
    return time.monotonic_ns() // 1000


@dataclass
class Tally:
    """What all tables have done since it was last emptied.

    Attributes:
        times_us: From each action until its record was on the other phone.
        matches: How many came to their end.
    """

    times_us: list[int] = field(default_factory=list)
    matches: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)


class Phone:
    """One guest of a table: its line to the house."""

    __slots__ = ("chair", "frames", "table", "token")

    def __init__(self, table: Table, chair: int) -> None:
        self.table = table
        self.chair = chair
        self.token = ""
        self.frames: Frames | None = None

    def take(self, data: bytes) -> None:
        """Take a message that has come."""
        if data.startswith(_TYPED):
            self.table.heard(self, orjson.loads(data))
        else:
            self.table.record(self, data)

    def lost(self, why: str) -> None:
        """Note that the line is gone: a bench in which that happens is no good."""
        self.table.tally.problems[f"a line was lost: {why}"] += 1

    def say(self, **message: Any) -> None:
        """Send a message."""
        assert self.frames is not None
        self.frames.send(orjson.dumps(message))


class Table:
    """Two phones, and the match that they play.

    Args:
        number: Of the table; its choices follow from it.
        game: What is played.
        tally: Where it counts.
        later: Calls something in so many seconds.
        on_turn: Told whenever somebody may act, who then does so by `act`.

    Attributes:
        match_id: Which match is on; empty while one is being opened.
        playing: Whether a match is on, so that somebody is or will be on turn.
        ready: Whether somebody is on turn and has not acted.
        acts: How many actions it has sent, in all matches.
    """

    def __init__(
        self,
        number: int,
        game: str,
        tally: Tally,
        later: Later,
        on_turn: Callable[[Table], None],
    ) -> None:
        self.phones = (Phone(self, 0), Phone(self, 1))
        self.tally = tally
        self.playing = False
        self.ready = False
        self.acts = 0
        self._chance = random.Random(number)
        self._later = later
        self._on_turn = on_turn
        self.match_id = ""
        self._seq = 0
        self._turn: int | None = None
        self._step = 0
        self._game = game
        self._hand = HANDS[game](OPTIONS)
        self._chairs: dict[int, int] = {}
        self._last: tuple[bytes, int, str] = (b"", 0, "")
        self._flights: dict[str, tuple[int, Phone]] = {}

    # ---- coming to a table

    def open(self) -> None:
        """Let the first phone open a table, and the second sit down there once it is open."""
        self.match_id, self._seq, self._turn = "", 0, None
        self._hand = HANDS[self._game](OPTIONS)
        self.playing = self.ready = False
        self._sit(self.phones[0], type="open", game=self._game, options=OPTIONS)

    def _join(self) -> None:
        self._sit(self.phones[1], type="join", match_id=self.match_id)

    def _sit(self, phone: Phone, **wish: Any) -> None:
        number = str(self._chance.getrandbits(64))
        phone.say(**wish, intent_id=str(uuid_utils.uuid7()), seat_number=number)

    # ---- playing

    def act(self, due_us: int) -> None:
        """Let whoever is on turn act. `due_us`: since when the action has been due."""
        self.ready = False
        self.acts += 1
        assert self._turn is not None
        phone = self.phones[self._turn]
        intent_id = str(uuid_utils.uuid7())
        self._flights[intent_id] = (due_us, phone)
        intent = orjson.dumps(self._hand.choose(self._chance))
        assert phone.frames is not None
        phone.frames.send(
            b'{"type":"act","intent_id":"%b","match_id":"%b","step":%d,"intent":%b}'
            % (intent_id.encode(), self.match_id.encode(), self._step, intent)
        )

    def record(self, phone: Phone, data: bytes) -> None:
        """Take a record that has come to one of the phones."""
        value, seq, cause = self._last
        if data != value:  # else it is what the other phone had a moment ago
            record = orjson.loads(data)
            seq, cause = record["seq"], record["caused_by"]["intent_id"]
            self._last = (data, seq, cause)
            if seq == self._seq + 1:
                self._seq = seq
                self._fold(record)
            elif seq > self._seq:
                self.tally.problems["a record is missing"] += 1
        flight = self._flights.get(cause)
        if flight is not None and flight[1] is not phone:
            del self._flights[cause]
            self.tally.times_us.append(now_us() - flight[0])
        if phone.chair == self._turn and seq == self._seq and not self.ready and self.playing:
            self.ready = True
            self._on_turn(self)

    def _fold(self, record: dict[str, Any]) -> None:
        self._turn = None
        for event in record["events"]:
            kind = event["type"]
            if kind == "step.opened":
                self._step, self._turn = event["step"], self._chairs[event["seat"]]
            elif kind == "table.opened":
                self.match_id = record["match_id"]
                self._join()
            elif kind == "match.started":
                self._chairs = dict(zip(event["seats"], event["dealt"], strict=True))
                self.playing = True
            elif kind in _ENDS:
                self._over(kind)
            else:
                self._hand.take(event)

    def _over(self, kind: str) -> None:
        self.tally.matches += 1
        if kind != "match.ended":
            self.tally.problems[kind] += 1
        for phone in self.phones:  # or a phone would reach the limit of matches watched
            phone.say(type="unwatch", match_id=self.match_id)
        self._flights.clear()
        self.playing = self.ready = False
        self._later(0.0, self.open)

    # ---- what is no record

    def heard(self, phone: Phone, message: dict[str, Any]) -> None:
        """Take a message that is no record."""
        kind = message["type"]
        if kind == "refused":
            self._refused(phone, message["reason"], message["intent_id"])
        elif kind not in _QUIET:
            self.tally.problems[f"an unexpected {kind}"] += 1

    def _refused(self, phone: Phone, reason: str, intent_id: str | None) -> None:
        self.tally.refusals[reason] += 1
        if intent_id in self._flights:
            del self._flights[intent_id]
            self._later(AGAIN_S, self._act_again)
        elif not self.playing and not self.match_id:
            self._later(AGAIN_S, self.open)
        elif not self.playing and phone.chair == 1:
            self._later(AGAIN_S, self._join)
        else:
            self.tally.problems[f"refused: {reason}"] += 1

    def _act_again(self) -> None:
        if self.playing and not self.ready and self._turn is not None and not self._flights:
            self.ready = True
            self._on_turn(self)
