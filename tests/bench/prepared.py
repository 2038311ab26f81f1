"""The log of a site, opened by the bench itself, and filled with stories."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from sahrat.log.follow import RULES
from sahrat.log.kafka import KafkaLog
from sahrat.log.port import Bookmark, Bounds, Claim, Log, LogReader, Released
from sahrat.log.sqlite import SqliteLog
from sahrat.log.sqlite_reader import SqliteReader
from sahrat.messages import topics
from sahrat.messages.stored import Draft
from sahrat.messages.topics import Topic
from sahrat.runtime.keys import MatchKeys, match_keys
from sahrat.runtime.settings import Settings
from services.rules.host import mark
from services.wallet import router
from tests.bench.places import Site
from tests.bench.stories import Told

APPEND: Final = 1_000  # records in one append
AWAY_S: Final = 60.0  # a bench on a machine that is busy with more than it waits


def open_log(servers: str, folder: str) -> Log:
    """Return a log, not started: on a broker if there is one, else in a folder."""
    return KafkaLog(servers, away_s=AWAY_S) if servers else SqliteLog(Path(folder))


def open_reader(servers: str, folder: str) -> LogReader:
    """Return the reading half of a log, not started; several may read one."""
    return KafkaLog(servers, away_s=AWAY_S) if servers else SqliteReader(Path(folder))


def where(here: Site, folder: Path | None = None) -> dict[str, str]:
    """Return what `open_log` is to be told of a site. `folder`: of the embedded log."""
    return {"servers": here.address, "folder": str(folder or here.folder / "log")}


def keys_of(here: Site) -> MatchKeys:
    """Return the keys that rules has at a site."""
    return match_keys(Settings.read(here.keys).master_keys)


async def fill(log: Log, told: Sequence[Told], *, judged: bool) -> None:
    """Store a story in an empty log.

    Args:
        log: The log; started and closed here.
        told: All partitions.
        judged: Whether its records are stored too, and the bookmarks of a rules worker that has
            judged all intents, and of a wallet that has seen what came of them; else these are for
            rules to judge.
    """
    await log.start()
    for partition in told:
        await _append(log, topics.INTENTS, partition.number, partition.intents)
        if judged:
            await _append(log, topics.EVENTS, partition.number, partition.events)
    if judged:
        await _bookmark(log, told)
    await log.close()


async def _append(log: Log, topic: Topic, partition: int, drafts: Sequence[Draft]) -> None:
    found = await log.bounds(topic, partition)
    assert found == Bounds(0, 0), f"{topic.name}[{partition}] is not empty: {found}"
    for begin in range(0, len(drafts), APPEND):
        await log.append(topic, partition, drafts[begin : begin + APPEND])


async def _bookmark(log: Log, told: Sequence[Told]) -> None:
    """Store the bookmarks that rules and wallet would have, as members of their groups."""
    judged = {partition.number: mark(partition.live, len(partition.intents)) for partition in told}
    await _as_member(log, RULES, topics.INTENTS, judged)
    routed = {partition.number: router.mark(partition.live, 0) for partition in told}
    await _as_member(log, router.GROUP, topics.EVENTS, routed)


async def _as_member(log: Log, group: str, topic: Topic, marks: Mapping[int, Bookmark]) -> None:
    stop, left = asyncio.Event(), dict(marks)

    async def serve(claim: Claim) -> None:
        await claim.bookmark(left.pop(claim.partition))
        if not left:
            stop.set()
        end = (await log.bounds(topic, claim.partition)).end
        try:
            await claim.reader(topic, end).read()
        except Released:
            return

    await log.own(group, topic, serve, stop)
