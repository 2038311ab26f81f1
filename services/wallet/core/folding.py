"""What the ledger does with one stored command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sahrat.ledger import snapshot
from sahrat.ledger.decide import Dropped, Stamp, decide, may_send
from sahrat.ledger.journal import Book
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.dead import dead_letter
from sahrat.messages.stored import Draft, Stored

READER: Final = "wallet"
KEY: Final = w.LEDGER.encode()
_R = w.WalletReason
_NEVER: Final = (_R.WRONG_CAUSE, _R.ALREADY_SETTLED, _R.ALREADY_HELD, _R.BAD_AMOUNTS, _R.TOO_MUCH)
"""Why nothing that a sound match asks for is ever refused."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry for the journal; `alarm` says what people should know of it, or nothing."""

    draft: Draft
    alarm: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    """A snapshot for the journal, which belongs right behind the entry before it. Its parts are
    made as they are asked for: before the next command is taken.
    """

    drafts: Iterator[Draft]


@dataclass(frozen=True, slots=True)
class Dead:
    """A message for the dead letters; `alarm` says what people should know."""

    draft: Draft
    alarm: str


Output = Entry | Whole | Dead


class Doubt(Exception):
    """Nobody knows yet whether an intent of this partition stands where a command says."""

    def __init__(self, partition: int) -> None:
        super().__init__(f"partition {partition}")
        self.partition = partition


def step(
    book: Book,
    stored: Stored,
    every: int = snapshot.EVERY,
    ends: Mapping[int, int] | None = None,
    *,
    sure: bool = True,
) -> Iterator[Output]:
    """Take one stored command into the ledger.

    Args:
        book: The ledger, after all commands before this one.
        stored: The command.
        every: Entries from one snapshot to the next.
        ends: Where the intents ended when they were looked at, by partition. None: every cause
            counts as stored.
        sure: Whether that was after the command had been read.

    Yields:
        What is to be written, in order; nothing for a command that was taken before.

    Raises:
        Doubt: Its cause is not below the end that is known, and that is not sure. Nothing of it
            was taken; the end is to be looked at anew.
        FromTheFuture: It is newer than this code. Nothing of it was taken; the worker must end.
        LawBroken: What was decided breaks a law. It must not be written, nor anything after it.
    """
    try:
        command = _decode(stored)
    except FromTheFuture:
        raise
    except Poison as poison:
        where = f"{stored.topic}/{stored.partition}@{stored.offset}"
        letter = dead_letter(READER, stored, poison.reason, poison.detail)
        yield Dead(letter, f"{where}: {poison}"[:300])
        return
    founded = ends is None or _is_founded(command, ends)
    if not (founded or sure) and isinstance(command.cause, w.MatchCause):
        raise Doubt(command.cause.partition)
    entry = decide(book.state, command, Stamp(stored.offset, stored.at_ms), founded=founded)
    if isinstance(entry, Dropped):
        return
    yield Entry(Draft(KEY, book.write(entry)), _alarm(entry))
    if book.state.entry % every == 0:
        yield Whole(Draft(KEY, encode(part)) for part in snapshot.dump(book.state))


def _decode(stored: Stored) -> w.WalletCommand:
    if stored.key != KEY:
        raise Poison("wrong-key", f"under {stored.key[:40].decode('utf-8', 'replace')}")
    return w.COMMANDS.decode(stored.value)


def _is_founded(command: w.WalletCommand, ends: Mapping[int, int]) -> bool:
    """Tell whether a command's cause stands in the intents; true of one that names none of theirs,
    which is refused for another reason.
    """
    cause = command.cause
    if not isinstance(cause, w.MatchCause) or not may_send(command):
        return True
    return cause.offset < ends.get(cause.partition, 0)


def _alarm(entry: w.JournalEntry) -> str:
    """Return what people should know of a refusal that no sound match brings about."""
    if not isinstance(entry.cause, w.MatchCause):
        odd = entry.reason is _R.WRONG_CAUSE
    else:
        unheld = isinstance(entry.command, w.SettleEntries) and entry.reason is _R.NOTHING_HELD
        odd = unheld or entry.reason in _NEVER
    return f"entry {entry.entry}, {entry.id}: {entry.reason}" if odd else ""
