"""The projection worker on the log: keeps the read models in step with matches and journal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final, Protocol

import structlog

from sahrat.log.port import Claim, Log, LogFault
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.stored import Stored
from sahrat.messages.topics import Topic
from sahrat.runtime.served import Served
from services.projection.core.journal import Damaged
from services.projection.follower import Bury, Follower
from services.projection.journal_follower import JournalTables
from services.projection.models import JournalModels, Overtaken, Places, ReadModels
from services.projection.rows import Alarm, Letter, Place

GROUP: Final = "projection"
JOURNAL_GROUP: Final = "projection-journal"
BATCH: Final = 500
# Between two batches that were not full, or every record would be a transaction of its own, at ten
# times the cost: a page may be so much behind the play, which never looks at it.
PAUSE_S: Final = 0.5
FIRST_RETRY_S: Final = 0.5
LAST_RETRY_S: Final = 5.0
RED_S: Final = 10.0  # so long without the database, and health says so

_log = structlog.get_logger("projection")


class Written(Protocol):
    """What a batch came to."""

    @property
    def alarms(self) -> Sequence[Alarm]:
        """What people should look at."""


class Takes(Protocol):
    """Takes the records of one partition, batch by batch."""

    async def take(self, batch: Sequence[Stored]) -> Written:
        """Project the next records. See `Follower.take`."""


class Part:
    """Projects the partitions of one topic that it owns.

    How far it has come stands in the read models, not in the group's bookmarks: rows and place
    are one transaction. While the database is away it waits and tries again; nobody's play waits
    for it.

    Args:
        log: Where the records are.
        models: Where their rows go.
        topic: Which records.
        group: Who owns their partitions.
        follow: Returns what takes a partition's records from a place on.
    """

    def __init__(
        self,
        log: Log,
        models: Places,
        topic: Topic,
        group: str,
        follow: Callable[[Place, Bury], Takes],
    ) -> None:
        self._log = log
        self._models = models
        self._topic = topic
        self._group = group
        self._taker = follow
        self._damaged = ""
        self._taken_up = Served(_log, f"projecting {topic.name}")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._trying: dict[int, float] = {}  # by partition, since when it waits for the database
        self._trouble: dict[int, str] = {}
        self._buried: dict[int, int] = {}  # the last offset that has its dead letter

    async def run(self, stop: asyncio.Event) -> None:
        """Own partitions until `stop`."""
        self._loop = asyncio.get_running_loop()
        await self._models.open()
        try:
            await self._log.own(self._group, self._topic, self.serve, stop)
        finally:
            self._loop = None
            await self._models.close()

    def health(self) -> str | None:
        """Return what keeps the read models from following the events."""
        if self._loop is None:
            return "not running"
        if self._damaged:
            return f"{self._topic.name} is damaged: {self._damaged}"
        partition = min(self._trying, key=self._trying.__getitem__, default=None)
        if partition is None or self._loop.time() - self._trying[partition] <= RED_S:
            return self._log.healthy()
        return f"the database does not take the rows: {self._trouble.get(partition, 'no answer')}"

    async def serve(self, claim: Claim) -> None:
        """Project one partition from wherever its read models stand.

        Raises:
            FromTheFuture: A record is newer than this code; nothing of its batch was written.
            LogFault: The log is away, or is not the one that the read models were made from.
        """
        partition, retry_s = claim.partition, FIRST_RETRY_S
        try:
            while True:
                try:
                    self._ask(partition)
                    place = await self._models.place(partition)
                    await self._recognise(place)
                    self._answered(partition)
                    retry_s = FIRST_RETRY_S
                    await self._follow(claim, place)
                except Overtaken as why:
                    _log.info("asking for the place anew", partition=partition, why=str(why))
                except self._models.away as fault:
                    self._refused(partition, fault)
                except Damaged as why:  # whoever writes it has stopped too; the rest goes on
                    self._answered(partition)
                    self._damaged = str(why)
                    _alarm("what is to be projected is damaged", self._topic.name, str(why))
                    await self._wait(claim, None)
                await self._wait(claim, retry_s)
                retry_s = min(2 * retry_s, LAST_RETRY_S)
        finally:
            self._trying.pop(partition, None)
            self._trouble.pop(partition, None)

    async def _follow(self, claim: Claim, place: Place) -> None:
        """Project on from a place until the claim is released or something is in the way."""
        partition = claim.partition
        follower = self._taker(place, self._bury)
        reader = claim.reader(self._topic, place.next_offset)
        self._taken_up.began(partition, topic=self._topic.name, offset=place.next_offset)
        try:
            while True:
                batch = await reader.read(BATCH)
                self._ask(partition)
                try:
                    writes = await follower.take(batch)
                except FromTheFuture as fault:
                    _alarm("a record is newer than this program", _where(batch[0]), str(fault))
                    raise
                self._answered(partition)
                for alarm in writes.alarms:
                    _alarm("a record that does not fit", alarm.where, alarm.what)
                if len(batch) < BATCH:
                    await asyncio.sleep(PAUSE_S)
        finally:
            await reader.close()

    async def _recognise(self, place: Place) -> None:
        """Make sure that the read models were made from this log, as far as they go."""
        if place.next_offset == 0:
            return
        where = f"{self._topic.name}/{place.partition}"
        bounds = await self._log.bounds(self._topic, place.partition)
        if bounds.end < place.next_offset:
            raise LogFault(
                f"{where} ends at {bounds.end} and its read models at {place.next_offset}: records "
                "were lost, or this is another log. Look, and then rebuild the read models"
            )
        reader = self._log.reader(self._topic, place.partition, place.next_offset - 1)
        try:
            last = (await reader.read(1))[0]
        finally:
            await reader.close()
        if sha256(last.value).hexdigest() != place.digest:
            raise LogFault(
                f"{where} has another record at {last.offset} than its read models were made from: "
                "this is another log. Look, and then rebuild the read models"
            )

    async def _bury(self, letter: Letter) -> None:
        """Store a dead letter, once, however often its batch must be tried."""
        if letter.offset <= self._buried.get(letter.partition, -1):
            return
        shelf = letter.partition % topics.DEAD_LETTERS.partitions
        await self._log.append(topics.DEAD_LETTERS, shelf, (letter.draft,))
        self._buried[letter.partition] = letter.offset

    async def _wait(self, claim: Claim, seconds: float | None) -> None:
        """Wait, None: for ever, but not for a partition that is to be another's meanwhile
        (`Released`).
        """
        end = (await self._log.bounds(self._topic, claim.partition)).end
        reader = claim.reader(self._topic, end)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while True:  # what comes is read again from the place
                        await reader.read(BATCH)
        finally:
            await reader.close()

    def _ask(self, partition: int) -> None:
        self._trying.setdefault(partition, asyncio.get_running_loop().time())

    def _answered(self, partition: int) -> None:
        self._trying.pop(partition, None)
        if self._trouble.pop(partition, None) is not None and not self._trouble:
            _log.info("the database takes rows again", topic=self._topic.name)

    def _refused(self, partition: int, fault: Exception) -> None:
        detail = f"{type(fault).__name__}: {' '.join(str(fault).split())}"[:300]
        if detail not in self._trouble.values():  # else each partition says the same, all at once
            _log.warning("the database does not take rows", topic=self._topic.name, detail=detail)
        self._trouble[partition] = detail


class Projection(Part):
    """Projects the matches.

    Args:
        log: Where the events are.
        models: Where their rows go.
    """

    name = "projection"

    def __init__(self, log: Log, models: ReadModels) -> None:
        super().__init__(
            log,
            models,
            topics.EVENTS,
            GROUP,
            lambda place, bury: Follower(models, place, bury),
        )


class JournalProjection(Part):
    """Projects the journal. Arguments as `Projection` has them."""

    name = "projection of the journal"

    def __init__(self, log: Log, models: JournalModels) -> None:
        super().__init__(
            log,
            models,
            topics.WALLET_JOURNAL,
            JOURNAL_GROUP,
            lambda place, bury: JournalTables(models, place, bury),
        )


def _alarm(problem: str, where: str, detail: str) -> None:
    _log.error("alarm", problem=problem, where=where, detail=detail)


def _where(stored: Stored) -> str:
    return f"{stored.topic}/{stored.partition}@{stored.offset}"
