"""Makes the read models anew from the topics, beside those that are read, and swaps them in.

Readers see the old tables or the new ones, each whole, and never wait. A projection may be at work
meanwhile, on this machine or another: for the swap it is held off by a lock on the row that each of
its batches begins with, and afterwards it finds its place in the new tables. The swap comes when
these are as far as the old ones, so nobody sees a match go back. Whatever ends a rebuild before the
swap leaves the old tables as they are, and the next rebuild clears away.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog
from psycopg.errors import DependentObjectsStillExist, LockNotAvailable
from psycopg.sql import SQL, Composed, Identifier

from sahrat.log.port import LogReader
from sahrat.messages import topics
from sahrat.messages.topics import Topic
from sahrat.storage import migrate
from sahrat.storage.pool import LIVE, Connection, connect
from services.projection.follower import Follower
from services.projection.journal_follower import JournalTables
from services.projection.journal_store import PostgresJournal
from services.projection.rows import Place
from services.projection.store import TOPICS, PostgresModels

NAME: Final = "sahrat-rebuild"
BATCH: Final = 2_000
AT_ONCE: Final = 3  # partitions: one is decoded while others are written
ROUNDS: Final = 20  # of catching up before the swap; each is much shorter than the one before
NEAR: Final = 500  # records that may be left for the swap itself to take
DROP_TRIES: Final = 5
STATEMENT_MS: Final = 120_000
LOCK: Final = 0x5A_48_52_42  # one rebuild at a time
OURS: Final = re.compile(r"(rebuild|old)_(\d{1,6})")

Source = tuple[str, int]
"""A topic's name and a partition of it."""

_log = structlog.get_logger("rebuild")


class RebuildError(Exception):
    """It can't be done as things are; one line that says why. The read models are as before."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rebuild has come: records taken, and how many there are as far as is known."""

    records: int
    total: int

    @property
    def percent(self) -> int:
        """Whole percent; 100 when there is nothing to do."""
        return 100 if self.total == 0 else self.records * 100 // self.total


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did.

    Attributes:
        places: Where each partition of the matches stood at the swap.
        journal: Where the journal stood.
        left: The old tables' schema if it could not be dropped, and why; empty when it is gone.
    """

    places: Mapping[int, Place]
    journal: Place
    records: int
    left: str = ""


async def rebuild(
    log: LogReader, dsn: str, report: Callable[[Progress], None] | None = None
) -> Rebuilt:
    """Make the read models anew and put them in the place of the old ones.

    Args:
        log: A log that was started; nothing is written to it.
        dsn: The database.
        report: Told how far it is, after each batch.

    Raises:
        RebuildError: Another rebuild is at work, or a newer version has set up the database.
        Damaged: The journal does not fit.
        FromTheFuture: A record is newer than this code.
        LogFault: The log is away.
        psycopg.Error: The database is away.
    """
    connection = await connect(dsn, name=NAME, statement_ms=STATEMENT_MS)
    async with connection:
        cursor = await connection.execute("select pg_try_advisory_lock(%s)", (LOCK,))
        if await cursor.fetchone() != (True,):
            raise RebuildError("another rebuild of this database is at work: wait for it")
        fresh = await _clear(connection)
        async with _working(log, dsn, fresh, report) as work:
            await work.catch_up()
            old = await _swap(connection, fresh, work)
        left = "" if old is None else await _drop_patiently(connection, old)
        return Rebuilt(work.places, work.journal, work.records, left)


async def build(
    log: LogReader, dsn: str, schema: str, report: Callable[[Progress], None] | None = None
) -> Rebuilt:
    """Make read models in a schema of their own and leave them there, for whoever compares.

    What the schema holds already is gone on with. Arguments and faults as in `rebuild`.
    """
    async with _working(log, dsn, schema, report) as work:
        await work.catch_up()
        return Rebuilt(work.places, work.journal, work.records)


@asynccontextmanager
async def _working(
    log: LogReader, dsn: str, schema: str, report: Callable[[Progress], None] | None
) -> AsyncIterator[_Work]:
    models = PostgresModels(dsn, schema=schema, name=NAME)
    journal = PostgresJournal(dsn, schema=schema, name=NAME)
    await models.open()
    await journal.open()
    try:
        yield _Work(log, models, journal, report)
    finally:
        await models.close()
        await journal.close()


class _Work:
    """Takes the records of all partitions into fresh tables."""

    def __init__(
        self,
        log: LogReader,
        models: PostgresModels,
        journal: PostgresJournal,
        report: Callable[[Progress], None] | None,
    ) -> None:
        self._log = log
        self._models = models
        self._journal = journal
        self._report = report
        self._followers: dict[Source, Follower | JournalTables] = {}
        self._total = 0
        self.records = 0

    @property
    def places(self) -> dict[int, Place]:
        """Where each partition of the matches stands."""
        return {
            partition: follower.place
            for (topic, partition), follower in self._followers.items()
            if topic == topics.EVENTS.name
        }

    @property
    def journal(self) -> Place:
        """Where the journal stands."""
        return self._followers[topics.WALLET_JOURNAL.name, 0].place

    async def catch_up(self) -> None:
        """Take all that there is, again and again until only little came meanwhile."""
        for partition in range(topics.EVENTS.partitions):
            place = await self._models.place(partition)
            self._followers[topics.EVENTS.name, partition] = Follower(self._models, place)
        place = await self._journal.place(0)
        self._followers[topics.WALLET_JOURNAL.name, 0] = JournalTables(self._journal, place)
        for _ in range(ROUNDS):
            ends = await self.ends()
            left = self._left(ends)
            await self.take(ends)
            if left <= NEAR:
                return

    async def take(self, ends: Mapping[Source, int]) -> None:
        """Take the records below these offsets."""
        self._total = self.records + self._left(ends)
        gate = asyncio.Semaphore(AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                for topic in TOPICS:
                    for partition in range(topic.partitions):
                        end = ends.get((topic.name, partition), 0)
                        group.create_task(self._take(topic, partition, end, gate))
        except BaseExceptionGroup as failed:  # the others were cancelled for the first one's sake
            raise failed.exceptions[0] from None
        self._tell()

    async def _take(self, topic: Topic, partition: int, end: int, gate: asyncio.Semaphore) -> None:
        async with gate:
            follower = self._followers[topic.name, partition]
            if follower.place.next_offset >= end:
                return
            reader = self._log.reader(topic, partition, follower.place.next_offset)
            try:
                while follower.place.next_offset < end:
                    batch = await reader.read(min(BATCH, end - follower.place.next_offset))
                    await follower.take(batch)
                    self.records += len(batch)
                    self._tell()
            finally:
                await reader.close()

    async def ends(self) -> dict[Source, int]:
        """Return where the log ends now."""
        return {
            (topic.name, partition): (await self._log.bounds(topic, partition)).end
            for topic in TOPICS
            for partition in range(topic.partitions)
        }

    def _left(self, ends: Mapping[Source, int]) -> int:
        return sum(
            max(0, end - self._followers[source].place.next_offset) for source, end in ends.items()
        )

    def _tell(self) -> None:
        if self._report is not None:
            self._report(Progress(self.records, max(self._total, self.records)))


async def _clear(connection: Connection) -> str:
    """Drop what earlier rebuilds left behind, and return the name of the fresh schema."""
    taken = [0]
    for schema in await _schemas(connection):
        match = OURS.fullmatch(schema)
        if match is not None:
            try:
                await _drop(connection, schema)
            except (DependentObjectsStillExist, LockNotAvailable) as fault:
                _log.warning("an old schema stays", schema=schema, detail=str(fault))
                taken.append(int(match[2]))
    return f"rebuild_{max(taken) + 1}"


async def _swap(connection: Connection, fresh: str, work: _Work) -> str | None:
    """Put the fresh tables in the place of the live ones, in one transaction.

    Returns:
        The old tables' schema; None when there were none.
    """
    old = fresh.replace("rebuild", "old")
    async with connection.transaction():
        # Whoever makes or migrates tables holds this one: nothing appears under our hands.
        await connection.execute("select pg_advisory_xact_lock(%s)", (migrate.LOCK,))
        schemas = await _schemas(connection)
        if LIVE in schemas:
            await _check_version(connection)
            stands = await _hold_off(connection)
            ends = await work.ends()  # looked up last, or the live tables may be beyond them
            await work.take({of: min(end, stands.get(of, 0)) for of, end in ends.items()})
            await connection.execute(_rename(LIVE, old))
        await connection.execute(_rename(fresh, LIVE))
    return old if LIVE in schemas else None


async def _hold_off(connection: Connection) -> dict[Source, int]:
    """Let no projection begin a batch until this transaction ends; return how far they are."""
    if not await _exists(connection, "projection_progress"):
        return {}
    await connection.execute("set local lock_timeout = 60000")
    # Conflicts with the row lock that each batch begins with, and with no reader. A batch that
    # waits here looks the name up again afterwards, and finds the new table.
    await connection.execute("lock table projection_progress in exclusive mode")
    cursor = await connection.execute(
        "select topic, topic_partition, next_offset from projection_progress"
    )
    return {(topic, partition): at for topic, partition, at in await cursor.fetchall()}


async def _check_version(connection: Connection) -> None:
    """Refuse to put tables of this version in the place of a newer one's."""
    known = len(migrate.migrations())
    if await _exists(connection, "schema_migrations"):
        newer = [name for number, name, _ in await migrate.applied(connection) if number > known]
        if newer:
            raise RebuildError(
                f"a newer version has set up this database ({newer[-1]}): rebuild with that one"
            )


async def _exists(connection: Connection, table: str) -> bool:
    cursor = await connection.execute("select to_regclass(%s) is not null", (f"{LIVE}.{table}",))
    return await cursor.fetchone() == (True,)


async def _schemas(connection: Connection) -> list[str]:
    cursor = await connection.execute("select nspname::text from pg_namespace order by 1")
    return [schema for (schema,) in await cursor.fetchall()]


def _rename(schema: str, name: str) -> Composed:
    return SQL("alter schema {} rename to {}").format(Identifier(schema), Identifier(name))


async def _drop_patiently(connection: Connection, schema: str) -> str:
    """Drop a schema once its last readers are done; return why it could not be, else nothing."""
    why = ""
    for _ in range(DROP_TRIES):
        try:
            await _drop(connection, schema)
        except LockNotAvailable:
            why = f"{schema} stays until the next rebuild: it is still being read"
        except DependentObjectsStillExist as fault:
            return f"{schema} stays: {fault.diag.message_detail or fault}"
        else:
            return ""
    return why


async def _drop(connection: Connection, schema: str) -> None:
    """Drop a schema with its views and tables, but nothing outside it that somebody has made of
    them.
    """
    async with connection.transaction():
        cursor = await connection.execute(
            "select relkind = 'v', relname::text from pg_class "
            "where relnamespace = to_regnamespace(%s) and relkind in ('v', 'r') order by 2",
            (schema,),
        )
        views: list[Identifier] = []
        tables: list[Identifier] = []
        for is_view, name in await cursor.fetchall():
            (views if is_view else tables).append(Identifier(schema, name))
        if views:
            await connection.execute(SQL("drop view {}").format(SQL(", ").join(views)))
        if tables:
            await connection.execute(SQL("drop table {}").format(SQL(", ").join(tables)))
        await connection.execute(SQL("drop schema {}").format(Identifier(schema)))
