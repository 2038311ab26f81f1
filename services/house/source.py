"""Where a command reads a match's records from: a running house, a house's folder, or Kafka.

A folder is read whether its house runs or not. Nothing is changed anywhere. What a place needs is
loaded where that place is opened: a client for the web or for Kafka takes longer to load than most
commands take to run.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar
from urllib.parse import urlsplit

import click

from sahrat.log.port import LogAway, LogFault, LogReader
from sahrat.log.sqlite_reader import SqliteReader
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture
from sahrat.runtime import logs
from sahrat.runtime.exits import Exit
from sahrat.runtime.settings import BadSetting, Settings
from services.house.folder import Folder, LogKind, default_folder
from services.house.local.errors import LocalError
from services.house.local.kafka import LocalKafka
from services.house.problem import Problem

P = ParamSpec("P")
T = TypeVar("T")
MATCH_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
READ_RECORDS: Final = 500


@dataclass(frozen=True, slots=True)
class House:
    """A house that runs, and answers at an address."""

    url: str

    def __str__(self) -> str:
        return f"the house at {self.url}"


@dataclass(frozen=True, slots=True)
class Embedded:
    """The log in a house's folder."""

    folder: Folder

    def __str__(self) -> str:
        return f"the log in {self.folder.path}"


@dataclass(frozen=True, slots=True)
class Kafka:
    """A broker: at an address, or None: the one that the folder's house has, started for this."""

    address: str | None
    folder: Folder

    def __str__(self) -> str:
        return f"the broker {self.address or f'of {self.folder.path}'}"


Place = House | Embedded | Kafka


@dataclass(frozen=True, slots=True)
class Where:
    """What the options of a command say of where to read."""

    url: str | None = None
    data: Path | None = None
    kind: LogKind | None = None

    def place(self) -> Place:
        """Return where that is. Raises as `locate`."""
        return locate(self.url, self.data, self.kind)


def locate(
    url: str | None, data: Path | None, kind: LogKind | None, *, by_url: bool = True
) -> Place:
    """Return where to read, from the options of a command, which has no --url unless `by_url`.

    By default it is the log of the default folder itself, whether its house runs or not: what a
    house serves comes from its read models, which are a moment behind or may be away.

    Raises:
        Problem: They contradict each other, or nothing is there.
    """
    if url is not None:
        if data is not None or kind is not None:
            raise Problem("--url names a house: leave out --data and --log")
        return House(sound_url(url))
    folder = Folder((data or default_folder()).resolve())
    address = folder.address()
    if kind == "kafka":
        return _kafka(folder)
    last = folder.last_log() if address is None else address.log
    if kind is None and last == "kafka":
        return _kafka(folder)
    if folder.has_log():
        return Embedded(folder)
    if kind is None and folder.has_broker():
        return _kafka(folder)
    hint = f"name one with {'--url, ' if by_url else ''}--data or --log kafka"
    raise Problem(f"no log in {folder.path}: start a house with `sahrat run`, or {hint}")


def kind_of(place: Place) -> LogKind:
    """Return which log a place has."""
    return "kafka" if isinstance(place, Kafka) else "embedded"


def house_url(url: str | None, data: Path | None) -> str:
    """Return the address of a running house: as named, or of the one that runs on a folder.

    Raises:
        Problem: None runs there.
    """
    if url is not None:
        return sound_url(url)
    folder = Folder((data or default_folder()).resolve())
    address = folder.address()
    if address is None:
        raise Problem(
            f"no house runs on {folder.path}: start one with `sahrat run`, or name one with --url"
        )
    return address.url


def sound_url(url: str) -> str:
    """Return an address without a slash at its end. Raises Problem for what is none."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise Problem(f"--url {url}: not like http://127.0.0.1:8000")
    return url.rstrip("/")


def _kafka(folder: Folder) -> Kafka:
    named = Settings.read().kafka
    if named is not None:
        return Kafka(named, folder)
    address = folder.address()
    if address is not None and address.kafka is not None:
        return Kafka(address.kafka, folder)
    if folder.has_broker():
        return Kafka(None, folder)
    raise Problem(
        f"no broker: set SAHRAT_KAFKA to its address, or start a house with `sahrat run --log "
        f"kafka` on {folder.path}"
    )


class Source(Protocol):
    """Where records are read from."""

    async def records(self, match_id: str) -> Sequence[bytes]:
        """Return a match's records as stored, in order, each once; nothing for an unknown match.

        Raises:
            Problem: They can't be read.
        """


class LogSource(Source):
    """A log, read from one end to the other."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def records(self, match_id: str) -> Sequence[bytes]:
        """See `Source`. A second copy, of an owner who died too early, is left out; the same
        record with other bytes is not, for that is a fault that must be seen.
        """
        partition = topics.partition_of(match_id)
        bounds = await self._log.bounds(topics.EVENTS, partition)
        found: dict[bytes, None] = {}
        offset = bounds.start
        reader = self._log.reader(topics.EVENTS, partition, offset)
        try:
            while offset < bounds.end:
                for stored in await reader.read(READ_RECORDS):
                    offset = stored.offset + 1
                    if stored.key == match_id.encode():
                        found[stored.value] = None
        finally:
            await reader.close()
        return tuple(found)


@asynccontextmanager
async def open_log(place: Place) -> AsyncIterator[LogReader]:
    """Open the log of a place for reading.

    Raises:
        Problem: The place is a house's address, whose log nobody but itself can reach.
        LogFault: It can't be read.
        LocalError: The broker of the folder can't be started.
    """
    if isinstance(place, House):
        raise Problem("this needs the log itself: name it with --data or --log kafka, not by --url")
    if isinstance(place, Embedded):
        async with _started(SqliteReader(place.folder.log)) as log:
            yield log
        return
    from sahrat.log.kafka import KafkaLog

    async with (
        _broker(place) as address,
        _started(KafkaLog(address, make=False, name="sahrat-read")) as log,
    ):
        yield log


@asynccontextmanager
async def _broker(place: Kafka) -> AsyncIterator[str]:
    """Yield the address of a place's broker, which runs, or is started for this."""
    if place.address is not None:
        yield place.address
        return
    broker = LocalKafka(place.folder.kafka)
    click.echo(f"starting {place} to read it, which can take half a minute", err=True)
    try:
        yield await asyncio.to_thread(broker.start)
    finally:
        await asyncio.to_thread(broker.stop)


@asynccontextmanager
async def _started(log: LogReader) -> AsyncIterator[LogReader]:
    await log.start()
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def open_source(place: Place) -> AsyncIterator[Source]:
    """Open a place, to read matches' records from. Raises as `open_log` and `door.visit`."""
    if isinstance(place, House):
        from services.house.door import visit
        from services.house.served import HouseSource

        async with visit(place.url) as http:
            yield HouseSource(http, place.url)
    else:
        async with open_log(place) as log:
            yield LogSource(log)


def sound_match_id(text: str) -> str:
    """Return a match's id as it is written in the log. Raises Problem for what is none."""
    match_id = text.strip().lower()
    if MATCH_ID.fullmatch(match_id) is None:
        raise Problem(
            f"{text[:60]} is no match's id: it is like 01890a5d-ac96-774b-bcce-b302099a8057"
        )
    return match_id


def sound_player_id(text: str) -> str:
    """Return a player's id as it is written in the log. Raises Problem for what is none."""
    player_id = text.strip().lower()
    if MATCH_ID.fullmatch(player_id) is None:
        raise Problem(f"{text[:60]} is no player's id: `sahrat stop --all` shows who plays")
    return player_id


def reads_log(command: Callable[P, T]) -> Callable[P, T]:
    """Give a command the options `data` and `kind` that say which log to read: see `locate`."""
    data = click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="A house's folder, whether it runs or not.  [default: .sahrat in the checkout]",
    )
    kind = click.option(
        "--log",
        "kind",
        type=click.Choice(["embedded", "kafka"]),
        help="Read the folder's log itself, or Kafka's.  [default: that of the folder's house]",
    )
    return data(kind(command))


def reads(command: Callable[Concatenate[Where, P], T]) -> Callable[..., T]:
    """Give a command the options that say where to read; it gets them as its first argument, and
    need not look there when it is given a file.

    Stands right above the function, below `@click.command` and the command's own options.
    """

    @click.option("--url", help="A running house, such as http://127.0.0.1:8000.")
    @reads_log
    @functools.wraps(command)
    def placed(
        url: str | None,
        data: Path | None,
        kind: LogKind | None,
        *arguments: P.args,
        **options: P.kwargs,
    ) -> T:
        return command(Where(url, data, kind), *arguments, **options)

    return placed


def finish(
    work: Coroutine[Any, Any, T], run: Callable[[Coroutine[Any, Any, T]], T] = asyncio.run
) -> T:
    """Run a command's work to its end; what ends it otherwise is said in one line.

    What is logged meanwhile goes to standard error, errors alone: a reader's output is records.

    Args:
        work: The work.
        run: Runs it on a loop.

    Raises:
        Problem: With the exit code that belongs to what happened.
    """
    logs.configure("sahrat", level="error")
    # Of a broker that is away the last line says all that its client would say again and again.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    try:
        return run(work)
    except FromTheFuture as fault:
        raise Problem(f"a record is newer than this program: {fault}", Exit.NEWER) from None
    except LogAway as fault:
        hint = "start the broker, or name another with SAHRAT_KAFKA"
        raise Problem(f"the log is away: {fault}: {hint}", Exit.LOG) from None
    except LogFault as fault:
        raise Problem(str(fault), Exit.LOG) from None
    except (BadSetting, LocalError) as fault:
        raise Problem(str(fault)) from None
