"""A rules worker without a log: intents in, decoded records and answers out, time by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sahrat import dice, games
from sahrat.games import wire
from sahrat.log.live import LivePartition, Verdict
from sahrat.match.match import Match
from sahrat.match.play import Dealer, SecretDealer
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.base import Line, Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope, Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_key, partition_of
from services.rules import core

_NEWEST = games.current("ludo")
assert _NEWEST is not None
RULES = _NEWEST.rules
START_MS = 1_800_000_000_000
MASTER = dice.Secret(bytes(range(32)))


class FixedKeys:
    """One master key, for every match."""

    def newest(self, opened_ms: int) -> str:
        return "k1"

    def dealer(self, key_id: str, match_id: str) -> Dealer:
        return SecretDealer(match_id, dice.match_secret(MASTER, match_id))

    def commitment(self, key_id: str, match_id: str) -> str:
        return dice.commitment(dice.match_secret(MASTER, match_id), match_id)


def uuid7(at_ms: int, n: int) -> str:
    """A UUIDv7 of this millisecond."""
    return str(UUID(int=(at_ms << 80) | (7 << 76) | (2 << 62) | n))


def player(n: int) -> str:
    return uuid7(START_MS, 1000 + n)


def gateway(n: int = 0) -> str:
    return uuid7(START_MS, 5000 + n)


def line(n: int, gateway_n: int = 0) -> Line:
    return Line(gateway=gateway(gateway_n), number=n)


@dataclass
class Desk:
    """One partition, one match in mind.

    `records` and `answers` keep everything in order; `values` the records' bytes.
    """

    n: int = 0
    keys: Any = field(default_factory=FixedKeys)
    now_ms: int = START_MS
    records: list[Record[Any]] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    dead: list[Any] = field(default_factory=list)
    intents: list[Stored] = field(default_factory=list)
    rules: str = RULES

    def __post_init__(self) -> None:
        self.match_id = uuid7(self.now_ms, self.n)
        self.partition = partition_of(self.match_id)
        self.live = LivePartition(self.partition)

    # ---- sending

    def envelope(
        self, intent: Message, *, who: int | None = None, system: str | None = None, **kw: Any
    ) -> IntentEnvelope[Any]:
        whole = isinstance(intent, m.PARTITION_INTENTS)
        values: dict[str, Any] = {
            "intent_id": uuid7(self.now_ms, 100_000 + len(self.intents)),
            "match_id": None if whole else self.match_id,
            "player_id": None if who is None else player(who),
            "system": system,
            "step": None,
            "not_after_ms": None,
            "sent_by": gateway(),
        }
        return IntentEnvelope[Any](**(values | kw), intent=intent)

    def put(self, envelope: IntentEnvelope[Any]) -> list[Any]:
        """Store the intent, judge it, and return what came of it, decoded."""
        key = partition_key(self.partition) if envelope.match_id is None else envelope.match_id
        return self.put_bytes(key.encode(), encode(envelope))

    def put_bytes(self, key: bytes, value: bytes) -> list[Any]:
        stored = Stored(
            topics.INTENTS.name, self.partition, len(self.intents), self.now_ms, key, value
        )
        self.intents.append(stored)
        return self.take(core.step(self.live, stored, self.keys))

    def take(self, outputs: Any) -> list[Any]:
        out: list[Any] = []
        for output in outputs:
            if isinstance(output, core.Event):
                record = wire.RECORDS.decode(output.draft.value)
                if output.opens is not None:
                    output.opens.first_offset = len(self.values)
                self.records.append(record)
                self.values.append(output.draft.value)
                self.live.next_offset = len(self.values)
                out.append(record)
            elif isinstance(output, core.Answer):
                answer = wire.ANSWERS.decode(output.draft.value)
                self.answers.append(answer)
                out.append(answer)
            elif isinstance(output, core.Dead):
                letter = wire.DEAD_LETTERS.decode(output.draft.value)
                self.dead.append(letter)
                out.append(letter)
        return out

    def send(self, intent: Message, **kw: Any) -> Any:
        """Send an intent that has one outcome, and return it: a record or an answer."""
        (only,) = self.put(self.envelope(intent, **kw))
        return only

    # ---- the usual intents

    def open(self, who: int = 0, *, entry: int = 0, **options: Any) -> Any:
        return self.send(
            m.OpenTable(
                rules=self.rules,
                options=options,
                entry_coins=entry,
                nickname=f"p{who}",
                seat_number=str(who + 1),
                line=line(who),
            ),
            who=who,
        )

    def join(self, who: int, line_n: int | None = None) -> Any:
        return self.send(
            m.JoinTable(
                nickname=f"p{who}",
                seat_number=str(who + 1),
                line=line(who if line_n is None else line_n),
            ),
            who=who,
        )

    def table_of(self, *players: int, entry: int = 0, **options: Any) -> None:
        """Open a table and seat these players, the first opens."""
        self.open(players[0], entry=entry, players=len(players), **options)
        for who in players[1:]:
            self.join(who)

    def coin_table(self, *players: int, entry: int = 100, **options: Any) -> Desk:
        """Begin a match for coins: the wallet has held every entry."""
        self.table_of(*players, entry=entry, **options)
        self.held()
        return self

    def held(self, attempt: int | None = None) -> Any:
        """The wallet says that it has held the entries of the funding under way, or of another."""
        attempt = self.state.attempt if attempt is None else attempt
        return self.send(m.EntriesHeld(attempt=attempt), system="wallet")

    def short(self, *players: int, attempt: int | None = None) -> Any:
        """The wallet says that these have not enough coins."""
        attempt = self.state.attempt if attempt is None else attempt
        ids = tuple(player(n) for n in players)
        return self.send(m.EntriesRefused(attempt=attempt, players=ids), system="wallet")

    def stop(self) -> Any:
        stop = m.StopMatch(reason="operator", operator="amal", detail="a test")
        return self.send(stop, system="operator")

    def leave(self, who: int) -> Any:
        return self.send(m.LeaveTable(), who=who)

    def down(self, who: int) -> Any:
        """The line that holds a player's seat is lost."""
        sitter = self.state.sitters[self.state.chair(player(who))]
        return self.send(m.LineDown(player_id=player(who), line=sitter.line), system="gateway")

    def up(self, who: int, number: int) -> Any:
        return self.send(m.LineUp(player_id=player(who), line=line(number)), system="gateway")

    def due(self) -> Any:
        return self.send(m.Due(last_ms=self.now_ms), system="timer")

    def wait(self, seconds: float) -> Desk:
        self.now_ms += round(seconds * 1000)
        return self

    # ---- looking

    @property
    def match(self) -> Match:
        match = self.live.get(self.match_id)
        assert match is not None
        return match

    @property
    def state(self) -> Any:
        return self.match.known

    def seat_of(self, who: int) -> int:
        chair = self.state.chair(player(who))
        assert chair is not None
        return int(self.state.seats[chair])

    def on_turn(self) -> int:
        """The number of the player whose step it is."""
        sitter = self.state.sitters[self.state.chair_of_seat(self.state.step_seat)]
        return next(n for n in range(10) if player(n) == sitter.player_id)


def names(record: Record[Any]) -> list[str]:
    return [event.type for event in record.events]


def event(record: Record[Any], name: str) -> Any:
    (found,) = [e for e in record.events if e.type == name]
    return found


def refold(desk: Desk, values: Sequence[bytes]) -> LivePartition:
    """Fold stored records as every other worker does."""
    live = LivePartition(desk.partition)
    for offset, value in enumerate(values):
        record = wire.RECORDS.decode(value)
        stored = Stored(
            topics.EVENTS.name, desk.partition, offset, 0, record.match_id.encode(), value
        )
        assert live.take(stored).verdict is Verdict.TAKEN
    return live
