"""Heads: what each match's last record comes to, listed by the day on which the match ended.

Every record names the digest of the one before it, so the digest of the last stands for all of
them; and one digest stands for a day's list. Once that is known elsewhere, none of these matches
can be rewritten, left out or added unseen. Only chains are looked at here: whether what a record
says is right is `sahrat verify`'s to say, and of coins the audit's.

A list is text, so that nothing of ours is needed to compute its digest again:

    digest 2f1c..
    day 2026-11-30
    matches 2
    damaged 1
    01980f6e-5c00-7b2a-9d3e-4f5061728394 41 5f93..
    01980f6e-5c00-7b2a-9d3e-4f5061728395 17 c0ff.. damaged
    01980f6e-5c00-7b2a-9d3e-4f5061728396 58 a1b2..

The first line is the SHA-256 of all the others, byte for byte: `tail -n +2 FILE | sha256sum`. Then
each match has a line, in the order of their ids: the id, how many records, the digest of the last.
Of one that is `damaged` it is the last before the first that does not continue it: nobody plays on
there, and the day is that of the damage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from typing import Final, Literal

from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.envelope import GENESIS
from sahrat.messages.match import FINAL_EVENTS
from sahrat.messages.stored import Stored
from sahrat.messages.topics import DAY_MS
from services.audit.core.records import events_of, located, read_record

LINE_BYTES: Final = 160
"""No line of a list is so long."""
_EPOCH: Final = date(1970, 1, 1).toordinal()
_BEGINNING: Final = (
    (re.compile(rb"digest ([0-9a-f]{64})\n"), "`digest` and 64 hex digits"),
    (re.compile(rb"day ([0-9]{4}-[0-9]{2}-[0-9]{2})\n"), "`day` and a day like 2026-11-30"),
    (re.compile(rb"matches ([0-9]{1,15})\n"), "`matches` and how many"),
    (re.compile(rb"damaged ([0-9]{1,15})\n"), "`damaged` and how many"),
)
_FINAL: Final = frozenset(str(kind.model_fields["type"].default) for kind in FINAL_EVENTS)
_HEAD: Final = re.compile(
    rb"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([0-9]{1,15}) ([0-9a-f]{64})( damaged)?\n"
)


class NoList(Exception):
    """What is no list of heads: which line, and why."""


@dataclass(frozen=True, slots=True, order=True)
class Head:
    """How far a match's chain goes.

    Attributes:
        records: That follow one another from the first on.
        digest: Of the last of them; 64 zeros for none.
        whole: It ended so; otherwise it is damaged.
    """

    match_id: str
    records: int = 0
    digest: str = GENESIS
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of a day, by match id.

    Attributes:
        day: See `number_of`.
        heads: Each match once.
    """

    day: date
    heads: tuple[Head, ...]

    def digest(self) -> str:
        """Return the one digest over all of it."""
        digest = sha256()
        for line in self._lines():
            digest.update(line)
        return digest.hexdigest()

    def lines(self) -> Iterator[bytes]:
        """Yield the list as it is published."""
        yield f"digest {self.digest()}\n".encode()
        yield from self._lines()

    @property
    def damaged(self) -> list[Head]:
        """Those that did not end."""
        return [head for head in self.heads if not head.whole]

    def _lines(self) -> Iterator[bytes]:
        damaged = len(self.damaged)
        yield f"day {self.day}\n".encode()
        yield f"matches {len(self.heads) - damaged}\n".encode()
        yield f"damaged {damaged}\n".encode()
        for head in self.heads:
            mark = "" if head.whole else " damaged"
            yield f"{head.match_id} {head.records} {head.digest}{mark}\n".encode()


@dataclass(frozen=True, slots=True)
class Listed:
    """A list as somebody kept it.

    Attributes:
        digest: What its lines come to, whatever the first one says.
        problem: Why it is none that was published; empty for none.
    """

    heads: Heads
    digest: str
    problem: str


def parse(lines: Iterable[bytes]) -> Listed:
    """Read a list.

    Args:
        lines: Each with its line feed.

    Raises:
        NoList: It is none.
    """
    rows, digest, found = iter(lines), sha256(), list[str]()
    for number, (pattern, what) in enumerate(_BEGINNING, 1):
        line = next(rows, b"")
        first = pattern.fullmatch(line)
        if first is None:
            raise NoList(f"line {number} is not {what}")
        found.append(first.group(1).decode())
        if number > 1:
            digest.update(line)
    heads: list[Head] = []
    for number, line in enumerate(rows, len(_BEGINNING) + 1):
        head = _HEAD.fullmatch(line)
        if head is None:
            raise NoList(f"line {number} is not a match's id with its records and digest")
        match_id, records, last, damaged = head.groups()
        heads.append(Head(match_id.decode(), int(records), last.decode(), damaged is None))
        digest.update(line)
    said, day, *_ = found
    try:
        listed = Heads(date.fromisoformat(day), tuple(heads))
    except ValueError:
        raise NoList(f"{day} is no day") from None
    return Listed(listed, digest.hexdigest(), _problem(listed, digest.hexdigest(), said))


def _problem(listed: Heads, digest: str, said: str) -> str:
    if digest != said:
        return f"it was changed: its lines come to the digest {digest}, and it says {said}"
    ids = [head.match_id for head in listed.heads]
    if ids != sorted(dict.fromkeys(ids)) or listed.digest() != digest:
        return "it is not as `sahrat heads` writes it: in another order, or with other counts"
    return ""


# ---- from the log


def number_of(day: date) -> int:
    """Return a day's number: days since 1970-01-01, by the time in UTC at which the log stored the
    record that ended a match.
    """
    return day.toordinal() - _EPOCH


@dataclass(slots=True)
class Found:
    """What the log has.

    Attributes:
        days: The heads of the days that are asked for, by day's number and match.
        elsewhere: Of matches that are asked for by id, the first head of another day.
        strangers: How many records are no match's, as every reader passes them over.
        stranger: Where the first of them is, and why it is none.
    """

    days: dict[int, dict[str, Head]]
    wanted: Collection[str] = ()
    elsewhere: dict[str, tuple[int, Head]] = field(default_factory=dict)
    strangers: int = 0
    stranger: str = ""

    def heads(self, day: date) -> Heads:
        """Return the heads of a day that was asked for."""
        return Heads(day, tuple(sorted(self.days[number_of(day)].values())))

    def put(self, head: Head, at_ms: int) -> None:
        """Take a match that ended, or was damaged, by the record that was stored at this time."""
        number = at_ms // DAY_MS
        heads = self.days.get(number)
        if heads is None:
            if head.match_id in self.wanted:
                self.elsewhere.setdefault(head.match_id, (number, head))
        elif head.match_id in heads:  # something stands behind its end
            heads[head.match_id] = replace(heads[head.match_id], whole=False)
        else:
            heads[head.match_id] = head

    def pass_over(self, stored: Stored, why: Poison) -> None:
        """Take a record that is no match's."""
        self.strangers += 1
        if not self.stranger:
            self.stranger = f"{stored.topic}/{stored.partition} at {stored.offset}: {why}"


class Chains:
    """The matches of a partition that are on, each by its last record.

    Args:
        number: The partition.
        end: Where its intents end: a record with a cause from there on comes from none.
        found: Told of each match that ends.
    """

    def __init__(self, number: int, end: int, found: Found) -> None:
        self._number = number
        self._end = end
        self._found = found
        self._high = -1
        self._on: dict[str, Head] = {}
        self._damaged: dict[str, None] = {}

    def take(self, stored: Stored) -> None:
        """Take the partition's next stored record.

        Raises:
            FromTheFuture: It is newer than this program.
        """
        key = stored.key.decode("utf-8", "replace")
        if key in self._damaged:
            return
        head = self._on.get(key)
        try:
            record = read_record(stored, self._number, self._end, known=head is not None)
            events_of(record)
        except FromTheFuture as newer:
            raise located(newer, stored) from None
        except Poison as poison:
            if head is None:
                self._found.pass_over(stored, poison)
            else:
                self._damage(head, stored)
            return
        digest, cause = sha256(stored.value).hexdigest(), record.caused_by.offset
        if head is None:
            if cause <= self._high:  # written once more, of a match that is over
                return
            head = Head(key)
        elif record.seq <= head.records:
            if record.seq == head.records and digest != head.digest:
                self._damage(head, stored)
            return
        self._high = max(self._high, cause)
        if (record.seq, record.prev) != (head.records + 1, head.digest):
            self._damage(head, stored)
            return
        self._on[key] = Head(key, record.seq, digest)
        if record.events[-1].get("type") in _FINAL:
            self._found.put(self._on.pop(key), stored.at_ms)

    def _damage(self, head: Head, stored: Stored) -> None:
        self._on.pop(head.match_id, None)
        self._damaged[head.match_id] = None
        self._found.put(replace(head, whole=False), stored.at_ms)


# ---- a list against the log


@dataclass(frozen=True, slots=True)
class Change:
    """A match that is not as it was listed.

    Attributes:
        what: `moved` is one that the log now says ended on another day.
    """

    match_id: str
    what: Literal["rewritten", "lost", "added", "moved"]
    said: str


def compare(listed: Heads, found: Found) -> Iterator[Change]:
    """Yield what became of the matches of a list, in its order, and then what came to it."""
    number, was = number_of(listed.day), {head.match_id for head in listed.heads}
    now = found.days[number]
    for head in listed.heads:
        here = now.get(head.match_id)
        if here is not None and here != head:
            yield Change(head.match_id, "rewritten", f"{_say(head)} listed, {_say(here)} there")
        elif here is None and head.match_id not in found.elsewhere:
            yield Change(head.match_id, "lost", f"{_say(head)} listed, and no end of it is there")
        elif here is None:
            other, moved = found.elsewhere[head.match_id]
            what: Literal["moved", "rewritten"] = "moved" if moved == head else "rewritten"
            said = f"{_say(head)} listed, {_say(moved)} there, on {_day(other)}"
            yield Change(head.match_id, what, said)
    for head in sorted(now.values()):
        if head.match_id not in was:
            yield Change(head.match_id, "added", f"not listed, and {_say(head)} there")


def _day(number: int) -> date:
    """Return the day with a number; for one that no calendar has, the last of all."""
    return date.fromordinal(min(max(1, _EPOCH + number), date.max.toordinal()))


def _say(head: Head) -> str:
    records = f"{head.records} record{'' if head.records == 1 else 's'}"
    state = "" if head.whole else "damaged after "
    return f"{state}{records} to {head.digest}"
