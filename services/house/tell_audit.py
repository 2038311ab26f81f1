"""What an audit found, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

from services.audit.core import report as r
from services.audit.core.fault import Fault

T = TypeVar("T")
SECOND_MS: Final = 1000
_REASONS: Final = {
    "nothing_held": "nothing was held (any more): of a funding that failed, as a rule",
    "not_enough": "somebody had not enough coins",
    "id_reused": "the id was used before, for something else",
    "too_much": "more coins than can be counted",
    "day_is_full": "the day had brought all it may",
    "already_settled": "the match was settled or refunded before",
    "already_held": "the entries were held before",
    "wrong_cause": "nobody may ask for this in this way",
}


def in_words(found: r.Report | Fault, newest: int | None) -> Iterator[str]:
    """Return the lines of an audit.

    Args:
        found: What it found.
        newest: So many of what operators did and what was refused are listed; None: all.
    """
    if isinstance(found, Fault):
        yield f"NOT BALANCED: {found}"
        return
    yield f"balanced  {found.granted_coins:,} coins granted, each of them accounted for"
    yield (
        f"coins     {found.available_coins:,} in {found.players} players' hands, "
        f"{found.held_coins:,} held, {found.fee_coins:,} in fees"
    )
    yield (
        f"granted   {found.welcome_coins:,} as welcomes, {found.operator_coins:,} by operators, "
        f"{found.earned_coins:,} earned"
    )
    yield _matches(found)
    yield (
        f"holds     {found.holds} open, {found.released} released before play; "
        f"{len(found.pending)} records wait for the wallet"
    )
    refused = ", ".join(f"{count} {reason}" for reason, count in found.refused_entries.items())
    yield (
        f"journal   {found.entries} entries, {sum(found.refused_entries.values())} of them "
        f"refusals{f' ({refused})' if refused else ''}; {found.snapshots} snapshots of it"
    )
    yield (
        f"read      {found.records} records of matches, {found.commands} commands "
        f"({found.repeated_commands} repeated after a restart, {found.unread_commands} unreadable, "
        f"{found.waiting_commands} waiting)"
    )
    yield from _lists(found, newest)
    if found.tables_entry is None:
        yield f"tables    not compared: {found.tables_said}"
    else:
        yield (
            f"tables    PostgreSQL has the same balances and histories at entry "
            f"{found.tables_entry}"
        )
    yield f"digest    {found.digest} of the last entry"


def _matches(found: r.Report) -> str:
    parts = [
        f"{found.settled} settled",
        f"{found.refunded} refunded",
        f"{found.playing} in play",
        f"{found.funding} being funded",
        f"{found.open} open",
        f"{found.unplayed} ended before play",
    ]
    if found.unsettled:
        parts.append(f"{found.unsettled} over and not settled yet")
    if found.stuck:
        parts.append(f"{found.stuck} damaged")
    return (
        f"matches   {found.coin_matches} for coins: {', '.join(parts)}; "
        f"{found.free_matches} free: {found.rewarded} rewarded"
    )


def _lists(found: r.Report, newest: int | None) -> Iterator[str]:
    for gift in _some(found.given, newest):
        what = f"{gift.coins:,} to {gift.player_id} by {gift.operator}: {gift.reason}"
        yield f"grant     entry {gift.entry}, {_at(gift.at_ms)}: {what}"
    for stop in _some(found.stops, newest):
        back = f"{stop.coins:,} coins back, " if stop.coins else ""
        entry = f"entry {stop.entry}, " if stop.entry is not None else ""
        if stop.coins and stop.entry is None:
            entry = "not in the journal yet, "
        what = f"match {stop.match_id}, {back}by {stop.operator}: {stop.reason}"
        yield f"stop      {entry}{_at(stop.at_ms)}: {what}"
    for given in _some(found.returned, newest):
        what = f"{given.coins:,} of match {given.match_id} by {given.operator}: {given.reason}"
        yield f"returned  entry {given.entry}, {_at(given.at_ms)}: {what}"
    for no in _some(found.refused, newest):
        who = f" by {no.operator}" if no.operator else ""
        where = "" if no.match_id is None else f" of match {no.match_id}"
        whom = f" for {', '.join(no.players)}" if no.players else ""
        why = f"{no.reason}: {_REASONS.get(no.reason, no.reason)}"
        yield f"refused   entry {no.entry}, {_at(no.at_ms)}: a {no.asks}{where}{whom}{who}: {why}"
    listed: dict[str, Sequence[object]] = {
        "grants": found.given,
        "stops": found.stops,
        "returned": found.returned,
        "refused": found.refused,
    }
    for name, these in listed.items():
        if newest is not None and len(these) > newest:
            yield f"older     {len(these) - newest} more {name}: --since lists them"
    for line in found.lines:
        where = "" if line.match_id is None else f" of match {line.match_id}"
        change = f"{line.available_change_coins:+,} available, {line.held_change_coins:+,} held"
        after = f"{line.available_coins:,} and {line.held_coins:,} then"
        what = f"a {line.kind}{where}, by {line.cause}"
        yield f"player    entry {line.entry}, {_at(line.at_ms)}: {change} ({after}): {what}"
    for match_id, why in found.damaged.items():
        yield f"damaged   match {match_id}: {why}"
    for offset, why in found.unread_entries.items():
        yield f"stranger  the journal's record at {offset} is no entry, and none is missing: {why}"
    for broken in found.broken_snapshots:
        yield f"snapshot  of entry {broken} is damaged or came late, and is not used"


def _some(these: Sequence[T], newest: int | None) -> Sequence[T]:
    return these if newest is None else these[-newest:]


def _at(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / SECOND_MS, UTC):%Y-%m-%d %H:%M:%S} UTC"
