"""The port that every worker reads and writes the log through.

Delivery is at least once: a record may be stored twice when an owner dies or freezes between a
write and its acknowledgement. Owners write the same bytes again, and readers drop what they know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sahrat.log.replays import SharedReplays
from sahrat.messages.stored import Ack, Draft, Stored
from sahrat.messages.topics import Topic

__all__ = ["Ack", "Draft", "Stored"]  # the values of the port; pure code takes them from `stored`

METADATA_LIMIT_BYTES: Final = 4096  # the broker's default limit for a committed offset's metadata


class LogFault(Exception):
    """The log can't be used as it is, or is away. The process ends and is started again."""


class LogAway(LogFault):
    """The log does not answer (yet): what is found wrong with it is another fault."""


class AppendFailed(LogFault):
    """Not known to be stored. The caller's process must end at once (`os._exit`), without another
    append or bookmark: a later batch might be stored where this one was not.
    """


class OutOfRange(LogFault):
    """The records asked for are not there (any more): the log was trimmed, or is another one."""


class Released(Exception):
    """The claim's partition goes to another owner: stop reading, leave nothing half done."""


class OwnershipLost(LogFault):
    """A bookmark came from somebody who no longer owns the partition. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """First offset still stored, and the offset that the next record will get."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Where a group goes on in a partition, and what it wants to know then."""

    offset: int
    metadata: str = ""


class Reader(Protocol):
    """Reads one partition onwards from an offset, each record once, in order."""

    async def read(self, limit: int = 500) -> Sequence[Stored]:
        """Wait for records and return 1..limit of them.

        Raises:
            OutOfRange: The next offset is below the log's start or above its end.
            Released: The claim that this reader belongs to is being released.
            LogFault: The log is away for longer than its retries last.
        """

    async def close(self) -> None:
        """Stop reading."""


class Claim(Protocol):
    """One partition of a group's topic, owned until released."""

    partition: int

    def reader(self, topic: Topic, offset: int) -> Reader:
        """Read this partition of any match topic; ends with `Released` when the claim does."""

    async def bookmark(self, mark: Bookmark) -> None:
        """Store where the group goes on.

        Raises:
            OwnershipLost: Another member has the partition now.
            LogFault: The log is away.
            ValueError: The metadata is longer than `METADATA_LIMIT_BYTES`.
        """


Serve = Callable[[Claim], Awaitable[None]]


class LogReader(Protocol):
    """The half of a log that auditors and exports need: it changes nothing in it.

    Attributes:
        shared: What those who follow it in this process have worked out; None where only one does.
    """

    shared: SharedReplays | None = None

    async def start(self) -> None:
        """Connect and check all; what may write also makes the topics that are missing.

        Raises:
            LogFault: The log is away; or a topic has other partitions, retention, compaction or
                time stamps than it should, or a whole topic no longer starts at offset 0.
        """

    async def close(self) -> None:
        """Let go of everything; nothing is flushed that was not acknowledged."""

    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        """Return the partition's first and next offset."""

    def reader(self, topic: Topic, partition: int, offset: int) -> Reader:
        """Read a partition from an offset on, without owning anything."""

    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        """Return a group's bookmarks by partition; partitions without one are missing."""

    def healthy(self) -> str | None:
        """Return None while the log answers; else what is wrong, for the health page."""


class Log(LogReader, Protocol):
    """A log of topics with partitions, as `messages/topics.py` lists them."""

    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        """Store the drafts in order, and return once all are stored for good.

        Calls for the same partition may overlap; each call's drafts stay in order and together
        unless they are too large for one batch.

        Raises:
            AppendFailed: Some or all may not be stored, or a record is larger than
                `RECORD_LIMIT_BYTES`.
        """

    async def own(self, group: str, topic: Topic, serve: Serve, stop: asyncio.Event) -> None:
        """Be a member of the group: run `serve` for each partition that is assigned, until
        `stop` is set; then release all, wait for them and leave the group.

        A partition is given to the next owner only after its `serve` has returned, or the group
        counts this member as dead. `serve` may only end by returning or raising `Released` once
        its claim is released, or by `OwnershipLost`: a member counted as dead joins again.
        Anything else ends `own`: it releases the member's other claims, waits for them and raises
        that exception (`LogFault` for a `serve` that returned too early).
        """

    async def trim(self, topic: Topic, partition: int, before: int) -> None:
        """Delete the records below an offset; refused (`ValueError`) for a whole topic.

        Raises:
            OutOfRange: The offset is above the partition's end.
            LogFault: The log is away.
        """
