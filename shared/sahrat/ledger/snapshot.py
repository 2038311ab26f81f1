"""The whole ledger in parts, each a list of rows that stands for itself; and back, if all is sound.

A part is made, and checked, in some milliseconds. Whoever makes or reads a snapshot lets others
work between two parts, so that no number of players stops play, or a heartbeat, for longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Annotated, Final, Literal, TypeVar

import orjson
from pydantic import Field

from sahrat.ledger import laws
from sahrat.ledger.state import HOLD, Hold, Once, State, kind_of
from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT, Count, Digest, Id, Message, SomeCoins, UnixMs
from sahrat.messages.codec import Codec, Poison
from sahrat.messages.envelope import Partition
from sahrat.messages.match import SEATS

EVERY: Final = 10_000  # entries from one snapshot to the next: what a start has to fold at most
K = TypeVar("K")
V = TypeVar("V")

ROWS: Final = 500  # of a part, into whose text the longest ones still fit

_Coins = Annotated[int, Field(gt=-INT_LIMIT, lt=INT_LIMIT)]
_Players = Annotated[tuple[Id, ...], Field(min_length=1, max_length=SEATS)]


class _Head(Message):
    """The first part: all that there is one of, and the causes, of which there are few."""

    of: Literal["head"]
    entry: Count
    digest: Digest
    offset: Count
    at_ms: UnixMs
    causes: tuple[tuple[Partition, Count], ...]


class _Balances(Message):
    of: Literal["balances"]
    rows: tuple[tuple[w.Account, _Coins], ...]


class _Holds(Message):
    of: Literal["holds"]
    rows: tuple[tuple[Id, Count, SomeCoins, _Players], ...]


class _Onces(Message):
    of: Literal["ids"]
    rows: tuple[tuple[w.CommandId, Digest, Count, w.WalletReason | None, Count], ...]


class _Closed(Message):
    of: Literal["closed"]
    rows: tuple[tuple[Id, UnixMs], ...]


class _Days(Message):
    of: Literal["days"]
    rows: tuple[tuple[Id, tuple[tuple[Count, Count], ...]], ...]


_Part = _Head | _Balances | _Holds | _Onces | _Closed | _Days
_PARTS: Final[Codec[_Part]] = Codec(Annotated[_Part, Field(discriminator="of")])


class Damaged(Exception):
    """Parts that are no snapshot. The journal itself has all that they could say."""


def dump(state: State) -> Iterator[w.JournalSnapshot]:
    """Yield the parts of a snapshot: the same ones for the same journal, however it was folded.

    Rows stand in the order in which the journal brought them, which a ledger that was loaded has as
    well. Each part is made when it is asked for: the state must not change before the last one.
    """
    tables = _tables(state)
    parts = 1 + sum(-(-count // ROWS) for _, count, _ in tables)
    for number, text in enumerate(_texts(state, tables), 1):
        yield w.JournalSnapshot(
            entry=state.entry,
            digest=state.digest,
            part=number,
            parts=parts,
            sha256=sha256(text).hexdigest(),
            text=text.decode(),
        )


_Table = tuple[str, int, Iterator[object]]
"""Name, how many rows, and these."""


def _tables(state: State) -> tuple[_Table, ...]:
    return (
        ("balances", len(state.balances), iter(state.balances.items())),
        (
            "holds",
            len(state.holds),
            ((h.match_id, h.attempt, h.entry_coins, h.players) for h in state.holds.values()),
        ),
        ("ids", len(state.ids), ((command_id, *once) for command_id, once in state.ids.items())),
        ("closed", len(state.closed), iter(state.closed.items())),
        (
            "days",
            len(state.days),
            ((player_id, sorted(days.items())) for player_id, days in state.days.items()),
        ),
    )


def _texts(state: State, tables: Iterable[_Table]) -> Iterator[bytes]:
    yield orjson.dumps(
        {
            "of": "head",
            "entry": state.entry,
            "digest": state.digest,
            "offset": state.offset,
            "at_ms": state.at_ms,
            "causes": [*state.causes.items()],
        }
    )
    for name, _, rows in tables:
        while some := [*islice(rows, ROWS)]:
            yield orjson.dumps({"of": name, "rows": some})


class Loading:
    """A snapshot on its way back into a ledger, part by part."""

    def __init__(self) -> None:
        self._state = State()
        self._first: w.JournalSnapshot | None = None
        self._next = 1
        self._held: dict[str, int] = {}

    @property
    def whole(self) -> bool:
        """Whether its last part was taken."""
        return self._first is not None and self._next > self._first.parts

    def take(self, part: w.JournalSnapshot) -> None:
        """Take the next part. One that is not the next of this snapshot changes nothing: two
        ledgers may have written at once.

        Raises:
            Damaged: It was changed, does not belong to those before it, or can't be.
        """
        first = self._first or part
        if part.part != self._next or part.entry != first.entry:
            return
        if (part.digest, part.parts) != (first.digest, first.parts):
            raise Damaged("parts do not belong together")
        text = part.text.encode()
        if part.sha256 != sha256(text).hexdigest():
            raise Damaged("the digest is another one")
        try:
            said = _PARTS.decode(text)
        except Poison as poison:
            raise Damaged(f"part {part.part}: {poison}") from None
        if isinstance(said, _Head) != (part.part == 1):
            raise Damaged(f"part {part.part} is not what it must be")
        self._first, self._next = first, self._next + 1
        try:
            self._add(said, part)
        except laws.LawBroken as fault:
            raise Damaged(str(fault)) from None

    def state(self) -> State:
        """Return the ledger.

        Raises:
            Damaged: Parts are missing, or together they are no sound ledger.
        """
        if not self.whole:
            raise Damaged("parts are missing")
        try:
            laws.check_whole(self._state, self._held)
        except laws.LawBroken as fault:
            raise Damaged(str(fault)) from None
        return self._state

    def _add(self, said: _Part, part: w.JournalSnapshot) -> None:
        state = self._state
        match said:
            case _Head():
                if (said.entry, said.digest) != (part.entry, part.digest):
                    raise Damaged("it is of another entry")
                state.entry, state.digest = said.entry, said.digest
                state.offset, state.at_ms = said.offset, said.at_ms
                _put(state.causes, said.causes)
            case _Balances():
                _put(state.balances, said.rows)
                for account, coins in said.rows:
                    laws.check_account(state, account)
                    state.sums[kind_of(account)] += coins
                    if kind_of(account) == HOLD:
                        self._held[account] = coins
            case _Holds():
                _put(state.holds, ((row[0], Hold(*row)) for row in said.rows))
                for match_id, _, coins, players in said.rows:
                    for player_id in players:
                        state.held_by.setdefault(player_id, {})[match_id] = coins
            case _Onces():
                _put(state.ids, ((row[0], Once(*row[1:])) for row in said.rows))
            case _Closed():
                _put(state.closed, said.rows)
            case _Days():
                _put(state.days, ((player_id, dict(days)) for player_id, days in said.rows))


def load(parts: Iterable[w.JournalSnapshot]) -> State:
    """Return the ledger of a whole snapshot, in one go.

    Args:
        parts: All of it, in order.

    Raises:
        Damaged: Parts are missing, do not belong together, were changed, or are no sound ledger.
    """
    loading = Loading()
    for part in parts:
        loading.take(part)
    return loading.state()


def _put(table: dict[K, V], rows: Iterable[tuple[K, V]]) -> None:
    """Put rows into a table, each once."""
    for key, value in rows:
        if key in table:
            raise Damaged(f"{key} stands there twice")
        table[key] = value
