"""Check a match from its records alone: the chain of digests, the dice, the rules. Pure.

Nothing here trusts the house: with the secret that the last record reveals, every record is made
again from those before it and compared. The order of the checks is fixed, and the first thing
that does not fit is named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from sahrat import dice, games
from sahrat.asked import asked, said, said_apart
from sahrat.games import wire
from sahrat.games.game import Draw, Game
from sahrat.match import evolve, judge
from sahrat.match.evolve import Broken
from sahrat.match.judge import Stamp
from sahrat.match.match import Match, digest_of
from sahrat.match.play import Dealer, SecretDealer
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import Poison, encode
from sahrat.messages.envelope import GENESIS, Record, SystemName
from sahrat.messages.reasons import Reason, Refused
from sahrat.messages.topics import partition_of

# Until the digests fit nothing is parsed, only looked for. Quotes inside texts are escaped.
_PREV: Final = re.compile(rb'"prev":"([0-9a-f]{64})"')
_SEQ: Final = re.compile(rb'"seq":([1-9][0-9]{0,15})[,}]')
_MATCH_ID: Final = re.compile(rb'"match_id":"([0-9a-f-]{36})"')
_RULES: Final = re.compile(rb'"rules":"([a-z0-9_./-]{1,40})"')
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class NotRecords(Exception):
    """The lines are not a match's records at all."""


@dataclass(slots=True)
class Report:
    """What a check found.

    Attributes:
        problem: The first thing that does not fit; empty when all fits.
        secret: Whether the secret was there: without it (a match that is not over) only the
            chain of digests can be checked.
        prizes, fee_coins: Of a coin table: (seat, coins), best place first, and the house's part.
        refund_coins: What went back of a coin table that was stopped, all entries together.
        draws: Every roll with its inputs, what the record says and what it must be.
        computed: How many shots were computed again, of a game that has such (`Heavy.computes`).

    """

    match_id: str = ""
    rules: str = ""
    records: int = 0
    digest: str = ""
    problem: str = ""
    secret: bool = False
    end: str = ""
    places: tuple[tuple[int, int], ...] = ()
    prizes: tuple[tuple[int, int], ...] = ()
    fee_coins: int = 0
    refund_coins: int = 0
    draws: list[Draw] = field(default_factory=list)
    computed: int = 0


def verify(lines: Sequence[bytes], head: str | None = None) -> Report:
    """Check a match's records.

    Args:
        lines: The records' value bytes, as stored, from the first on.
        head: The digest that somebody saw last, of the last record.

    Raises:
        NotRecords: These are no records; there is nothing to check.

    """
    report = Report(records=len(lines), digest=digest_of(lines[-1]) if lines else "")
    prevs = [_found(_PREV, line) for line in lines]
    if not any(prevs):
        raise NotRecords("no line is a record of a match")
    report.match_id, report.rules = _found(_MATCH_ID, lines[0]), _found(_RULES, lines[0])
    report.problem = _chain(lines, prevs, head)
    if not report.problem:
        try:
            _contents(lines, report)
        except Misfit as misfit:
            report.problem = str(misfit)
    return report


def is_record(line: bytes) -> bool:
    """Return whether a line looks like a record at all: it names the digest of another."""
    return _PREV.search(line) is not None


class Misfit(Exception):
    """Something in the records does not fit; says what, for people."""


def _found(what: re.Pattern[bytes], line: bytes) -> str:
    found = what.search(line)
    return "" if found is None else found.group(1).decode()


def _chain(lines: Sequence[bytes], prevs: Sequence[str], head: str | None) -> str:
    """Return what is wrong with the digests, on the raw lines; empty if nothing is."""
    if lines[0].startswith(_BYTE_ORDER_MARK):
        return "record 1 was changed: a byte order mark stands before it"
    digests = [GENESIS, *map(digest_of, lines)]
    fits = [prev == digest for prev, digest in zip(prevs, digests, strict=False)]
    if not all(fits):
        broken = fits.index(False)  # counted from 0: this record does not continue the one before
        return _misplaced(lines, fits, broken) or _changed(fits, broken)
    if head is not None and head != digests[-1]:
        return f"record {len(lines)} was changed or is not the last: its digest is not {head}"
    return ""


def _misplaced(lines: Sequence[bytes], fits: Sequence[bool], broken: int) -> str:
    """Return which record is missing, there twice or out of place where the chain breaks; empty
    if the numbers are as they should be, or may have been changed themselves.
    """
    due = broken + 1
    if not lines[broken].strip():
        return f"a blank line stands where record {due} is due"
    said = _found(_SEQ, lines[broken])
    number = int(said) if said else due
    if number < due:
        twice = lines[broken] == lines[number - 1]
        return f"record {number} is there twice, again where record {due} is due" if twice else ""
    follows = broken + 1 == len(lines) or fits[broken + 1]  # so this line is what it was
    if number == due or not follows:
        return ""
    if any(_found(_SEQ, line) == str(due) for line in lines[broken + 1 :]):
        return f"record {number} stands where record {due} is due, which comes after it"
    if number == due + 1:
        return f"record {due} is missing"
    return f"records {due} to {number - 1} are missing"


def _changed(fits: Sequence[bool], broken: int) -> str:
    """Return which record was changed, by which of the digests around it fit."""
    if broken == 0:
        return "record 1 is not the first of a match, or was changed"
    followed = broken + 1 < len(fits)
    if followed and not fits[broken + 1]:
        return f"record {broken + 1} was changed: its digest and what it continues do not fit"
    if followed:
        return f"record {broken} was changed: record {broken + 1} names another digest"
    return (
        f"record {broken} was changed, or the digest that record {broken + 1} names: "
        "they do not fit"
    )


def _contents(lines: Sequence[bytes], report: Report) -> None:
    records = [_parse(line, number) for number, line in enumerate(lines, 1)]
    first = records[0]
    report.match_id, report.rules = first.match_id, first.rules
    _headers(records)
    game = games.find(first.rules)
    if game is None:
        raise Misfit(f"record 1: the rules {first.rules} are not known here")
    opened = first.events[0]
    if not isinstance(opened, m.TableOpened):
        raise Misfit("record 1 does not open a table")
    last = records[-1].events[-1]
    report.end = str(getattr(last, "type", ""))
    if not isinstance(last, m.FINAL_EVENTS):
        report.end = ""
        return
    report.secret = True
    secret = dice.Secret.from_hex(last.secret)
    if not dice.commitment_holds(secret, first.match_id, opened.commitment):
        raise Misfit(
            "the secret in the last record is not the one that record 1 commits to: "
            "one of the two was changed"
        )
    witness = _Witness(first.match_id, opened.key_id, secret)
    _deal_and_draws(records, game, witness, report)
    _again(records, game, witness, report)
    if isinstance(last, m.MatchEnded):
        report.places = tuple((place.seat, place.place) for place in last.places)
    for event in records[-1].events:
        if isinstance(event, m.EntriesSettled):
            report.prizes = tuple((prize.seat, prize.coins) for prize in event.prizes)
            report.fee_coins = event.fee_coins
        elif isinstance(event, m.EntriesRefunded):
            report.refund_coins = event.entry_coins * len(event.players)


def _parse(line: bytes, number: int) -> Record[Message]:
    """Return a record that is written as the house writes: what one reader could understand
    otherwise than another, a key twice or an escape, is nothing of ours.
    """
    try:
        record = wire.RECORDS.decode(line)
    except Poison as poison:
        raise Misfit(f"record {number} can't be read: {poison.detail}") from None
    if encode(record) != line:
        raise Misfit(f"record {number} was changed: the house writes the same in other bytes")
    return record


def _headers(records: Sequence[Record[Message]]) -> None:
    first = records[0]
    offset = -1
    for number, record in enumerate(records, 1):
        if record.seq != number:
            raise Misfit(f"record {number} has the number {record.seq}")
        if (record.match_id, record.rules) != (first.match_id, first.rules):
            raise Misfit(f"record {number} belongs to another match, or to other rules")
        if record.caused_by.offset <= offset:
            raise Misfit(f"record {number} comes from an intent before that of record {number - 1}")
        offset = record.caused_by.offset
        if record.caused_by.partition != partition_of(record.match_id):
            raise Misfit(f"record {number} comes from a partition where its match is not")
        for event in record.events[:-1] if record is records[-1] else record.events:
            if isinstance(event, m.FINAL_EVENTS):
                raise Misfit(f"record {number} ends the match, but it goes on")


@dataclass(frozen=True, slots=True)
class _Witness:
    """The house's keys, as far as the revealed secret replaces them."""

    match_id: str
    key_id: str
    secret: dice.Secret

    def newest(self, opened_ms: int) -> str:
        del opened_ms
        return self.key_id

    def dealer(self, key_id: str, match_id: str) -> Dealer:
        del key_id
        return SecretDealer(match_id, self.secret)

    def commitment(self, key_id: str, match_id: str) -> str:
        del key_id
        return dice.commitment(self.secret, match_id)


def _deal_and_draws(
    records: Sequence[Record[Message]], game: Game, witness: _Witness, report: Report
) -> None:
    """Recompute the deal of the seats, then every roll in its order."""
    numbers: list[str] = []
    players: list[str] = []
    chance = None
    for record in records:
        for event in record.events:
            match event:
                case m.SeatTaken():
                    numbers.append(event.seat_number)
                    players.append(event.player_id)
                case m.SeatFreed():
                    if event.player_id not in players:
                        raise Misfit(f"record {record.seq}: who got up did not sit there")
                    chair = players.index(event.player_id)
                    del numbers[chair], players[chair]
                case m.MatchStarted():
                    if not dice.deal_holds(
                        witness.secret, witness.match_id, tuple(numbers), event.dealt
                    ):
                        raise Misfit(f"record {record.seq}: the seats were dealt otherwise")
                    by_seat = dice.numbers_by_seat(numbers, event.dealt)
                    chance = dice.SecretChance(witness.secret, witness.match_id, by_seat)
                case _:
                    if isinstance(event, game.events):
                        _draw(record.seq, event, game, chance, report)


def _draw(
    number: int, event: Message, game: Game, chance: dice.SecretChance | None, report: Report
) -> None:
    if chance is None:
        raise Misfit(f"record {number}: played before play began")
    draw = game.draw(event, chance)
    if draw is None:
        return
    if draw.index != len(report.draws):
        raise Misfit(f"record {number}: roll {draw.index} where roll {len(report.draws)} is due")
    report.draws.append(draw)
    if draw.shown != draw.due:
        raise Misfit(
            f"record {number}: roll {draw.index} of seat {draw.seat} says {draw.shown}, "
            f"and the secret gives {draw.due}"
        )


def _again(
    records: Sequence[Record[Message]], game: Game, witness: _Witness, report: Report
) -> None:
    """Judge every intent again, as far as the record shows it, and compare what it caused."""
    match = Match(witness.match_id, game)
    at_ms = 0
    for record in records:
        cause = record.caused_by
        at_ms = max(at_ms, cause.at_ms)
        if record.at_ms != at_ms:
            raise Misfit(f"record {record.seq}: its time is not that of its intent")
        stamp = Stamp(cause.partition, cause.offset, cause.at_ms)
        if (first := match.accepted.find(cause.sender, cause.intent_id)) is not None:
            raise Misfit(f"record {record.seq} comes from the intent of record {first}")
        try:
            due = _judged(match, record, witness, stamp, report)
        except (Broken, LookupError, TypeError, ValueError) as fault:
            raise Misfit(f"record {record.seq} can't follow from those before: {fault}") from None
        if isinstance(due, Refused):
            raise Misfit(
                f"record {record.seq}: {said(record.events[0])} is against the rules "
                f"({due.reason.value}{': ' + due.detail if due.detail else ''})"
            )
        for shown, right in zip(record.events, due, strict=False):
            if shown != right:
                says, is_ = said_apart(shown, right)
                raise Misfit(f"record {record.seq} says {says}; by the rules it is {is_}")
        if len(due) != len(record.events):
            raise Misfit(f"record {record.seq} has {len(record.events)} events, {len(due)} are due")
        # The digests were compared already; the bytes are not needed again.
        state = evolve.fold(game, match.state, record.events)
        match.apply(record, b"", state)


def _judged(
    match: Match, record: Record[Message], witness: _Witness, stamp: Stamp, report: Report
) -> tuple[Message, ...] | Refused:
    envelope = asked(match, record)
    if envelope.system not in (None, *get_args(SystemName)):
        raise Broken(f"{record.caused_by.sender} is no part of the house")
    if judge.wrong_sender(envelope):
        return Refused(Reason.WRONG_SENDER, record.caused_by.sender)
    if isinstance(envelope.intent, m.PARTITION_INTENTS):
        return judge.partition_intent(match, envelope.intent, witness, stamp)
    if match.state is None:
        return judge.open_table(envelope, match.game, witness, stamp)
    report.computed += judge.work(match, envelope, stamp) is not None
    return judge.judge(match, envelope, witness, stamp)
