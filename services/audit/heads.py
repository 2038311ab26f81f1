"""The heads of whole days, read from the log: every record of a match once, from the beginning.

Nothing is kept but the matches that are on and those of the days that are asked for.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Final

from sahrat.log.port import LogReader
from sahrat.messages import topics
from services.audit import marks
from services.audit.core.heads import Chains, Found, number_of
from services.audit.streams import Progress, Stream, Tell

CLOCKS_MS: Final = 60_000  # the clocks of a cluster's brokers differ by less


def is_over(day: date, log_ms: int) -> bool:
    """Tell whether nothing can be stored on a day any more, at this time of the log."""
    return log_ms >= (number_of(day) + 1) * topics.DAY_MS + CLOCKS_MS


async def log_time(log: LogReader) -> int:
    """Return the log's time: the latest at which it stored an intent or a record as the last of its
    partition; 0 while nothing is there. A house that runs writes a tick twice a second.

    Raises:
        LogFault: The log is away.
    """
    latest_ms = 0
    for topic in (topics.INTENTS, topics.EVENTS):
        for number in range(topics.MATCH_PARTITIONS):
            bounds = await log.bounds(topic, number)
            if bounds.start == bounds.end:
                continue
            reader = log.reader(topic, number, bounds.end - 1)
            try:
                latest_ms = max(latest_ms, (await reader.read(1))[0].at_ms)
            finally:
                await reader.close()
    return latest_ms


async def find(
    log: LogReader,
    days: Collection[date],
    wanted: Collection[str] = (),
    tell: Tell = lambda *_: None,
) -> Found:
    """Return the heads of days. Of one that is not over they may become more.

    Args:
        log: The log, which may be written to meanwhile.
        days: Which.
        wanted: Ids of matches that are looked for on every day.
        tell: Told how far it is.

    Raises:
        FromTheFuture: A record is newer than this program.
        LogFault: The log is away, or not whole.
    """
    found = Found({number_of(day): {} for day in days}, wanted)
    progress = Progress(tell)
    streams = [
        Stream(log, topics.EVENTS, number, progress) for number in range(topics.MATCH_PARTITIONS)
    ]
    kept = await marks.read(log)
    for stream in streams:
        await stream.begin(kept)
    for number, stream in enumerate(streams):
        # After the records: their causes were stored before.
        chains = Chains(number, (await log.bounds(topics.INTENTS, number)).end, found)
        try:
            while (stored := await stream.take()) is not None:
                chains.take(stored)
        finally:
            await stream.close()
    return found
