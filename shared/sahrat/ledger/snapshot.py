"""The whole ledger as text, in parts that fit into records; and back, if none of it is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Final

from pydantic import Field

from sahrat.ledger import laws
from sahrat.ledger.state import Hold, State, kind_of
from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT, Count, Digest, Id, Message, UnixMs
from sahrat.messages.codec import Codec, Poison, encode
from sahrat.messages.envelope import Partition

EVERY: Final = 10_000  # entries from one snapshot to the next: what a start has to fold at most

_Coins = Annotated[int, Field(gt=-INT_LIMIT, lt=INT_LIMIT)]


class _HoldKept(Message):
    match_id: Id
    attempt: Count
    entry_coins: Count
    players: tuple[Id, ...]


class _DaysKept(Message):
    player_id: Id
    days: tuple[tuple[Count, Count], ...]


class _Kept(Message):
    """A `State`, whose words these are. Sorted where its order is nobody's."""

    entry: Count
    digest: Digest
    offset: Count
    at_ms: UnixMs
    balances: tuple[tuple[w.Account, _Coins], ...]
    holds: tuple[_HoldKept, ...]
    causes: tuple[tuple[Partition, Count], ...]
    ids: tuple[tuple[w.CommandId, Digest], ...]
    closed: tuple[tuple[Id, UnixMs], ...]
    days: tuple[_DaysKept, ...]


_KEPT: Final[Codec[_Kept]] = Codec(_Kept)


class Damaged(Exception):
    """Parts that are no snapshot. The journal itself has all that they could say."""


def dump(state: State) -> tuple[w.JournalSnapshot, ...]:
    """Return the parts of a snapshot: the same ones for the same journal, however it was folded."""
    kept = _Kept(
        entry=state.entry,
        digest=state.digest,
        offset=state.offset,
        at_ms=state.at_ms,
        balances=tuple(sorted(state.balances.items())),
        holds=tuple(
            _HoldKept(
                match_id=hold.match_id,
                attempt=hold.attempt,
                entry_coins=hold.entry_coins,
                players=hold.players,
            )
            for hold in state.holds.values()
        ),
        causes=tuple(sorted(state.causes.items())),
        ids=tuple(sorted(state.ids.items())),
        closed=tuple(state.closed.items()),
        days=tuple(
            _DaysKept(player_id=player_id, days=tuple(sorted(days.items())))
            for player_id, days in sorted(state.days.items())
        ),
    )
    value = encode(kept)
    text, digest = value.decode(), sha256(value).hexdigest()
    starts = range(0, len(text), w.SNAPSHOT_CHARS)
    return tuple(
        w.JournalSnapshot(
            entry=state.entry,
            digest=state.digest,
            part=part,
            parts=len(starts),
            sha256=digest,
            text=text[start : start + w.SNAPSHOT_CHARS],
        )
        for part, start in enumerate(starts, 1)
    )


def load(parts: Sequence[w.JournalSnapshot]) -> State:
    """Return the ledger of a whole snapshot.

    Args:
        parts: All of it, in order.

    Raises:
        Damaged: Parts are missing, do not belong together, were changed, or are no sound ledger.
    """
    if not parts or [part.part for part in parts] != [*range(1, parts[0].parts + 1)]:
        raise Damaged("parts are missing")
    value = "".join(part.text for part in parts).encode()
    if any(part.sha256 != sha256(value).hexdigest() for part in parts):
        raise Damaged("the digest is another one")
    try:
        kept = _KEPT.decode(value)
        state = _state(kept)
        laws.check_all(state)
    except (Poison, laws.LawBroken) as fault:
        raise Damaged(str(fault)) from None
    if any((part.entry, part.digest) != (kept.entry, kept.digest) for part in parts):
        raise Damaged("it is of another entry")
    return state


def _state(kept: _Kept) -> State:
    state = State(
        entry=kept.entry,
        digest=kept.digest,
        offset=kept.offset,
        at_ms=kept.at_ms,
        balances=dict(kept.balances),
        causes=dict(kept.causes),
        ids=dict(kept.ids),
        closed=dict(kept.closed),
        days={of.player_id: dict(of.days) for of in kept.days},
    )
    for account, coins in kept.balances:
        state.sums[kind_of(account)] += coins
    for hold in kept.holds:
        state.holds[hold.match_id] = Hold(
            hold.match_id, hold.attempt, hold.entry_coins, hold.players
        )
        for player_id in hold.players:
            state.held_by.setdefault(player_id, {})[hold.match_id] = hold.entry_coins
    return state
