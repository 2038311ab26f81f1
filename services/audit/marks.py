"""What the workers' bookmarks say was there: nothing may have become shorter since.

Read with this program's own words: of what rides along with a bookmark only the end counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import orjson

from sahrat.log.port import Bookmark, LogFault, LogReader
from sahrat.messages.topics import EVENTS, INTENTS, WALLET_COMMANDS, WALLET_JOURNAL, Topic

LEDGER: Final = "wallet-ledger"
ROUTER: Final = "wallet-router"
RULES: Final = "rules"


@dataclass(slots=True)
class Marks:
    """What was there when the workers kept their places.

    Attributes:
        judged: Commands before this offset were judged by the ledger.
        routed: By partition: records before this offset were routed.
        ends: By topic and partition: where it ends at the least.
    """

    judged: int = 0
    routed: dict[int, int] = field(default_factory=dict)
    ends: dict[tuple[str, int], int] = field(default_factory=dict)

    def _reached(self, topic: Topic, partition: int, end: int) -> None:
        place = (topic.name, partition)
        self.ends[place] = max(end, self.ends.get(place, 0))

    def take_ledger(self, mark: Bookmark) -> None:
        """Take the ledger's bookmark. Raises LogFault."""
        self.judged = mark.offset
        self._reached(WALLET_COMMANDS, 0, mark.offset)
        self._reached(WALLET_JOURNAL, 0, _end(LEDGER, mark))

    def take_router(self, partition: int, mark: Bookmark) -> None:
        """Take the router's bookmark in a partition of the matches. Raises LogFault."""
        self.routed[partition] = mark.offset
        self._reached(EVENTS, partition, mark.offset)
        self._reached(WALLET_COMMANDS, 0, _end(ROUTER, mark))

    def take_rules(self, partition: int, mark: Bookmark) -> None:
        """Take rules' bookmark in a partition of the intents. Raises LogFault."""
        self._reached(EVENTS, partition, _end(RULES, mark))

    def check(self, topic: Topic, partition: int, end: int) -> None:
        """Check where a partition ends.

        Raises:
            LogFault: It ends below what a bookmark says.
        """
        least = self.ends.get((topic.name, partition), 0)
        if end < least:
            raise LogFault(
                f"{topic.name}/{partition} ends at {end}, below {least}, where it had ended: what "
                "stood there is lost, and nobody can tell whether it was right"
            )


async def read(log: LogReader) -> Marks:
    """Read all bookmarks that coins hang on.

    Raises:
        LogFault: The log is away, or a bookmark is somebody else's.
    """
    marks = Marks()
    for mark in (await log.bookmarks(LEDGER, WALLET_COMMANDS)).values():
        marks.take_ledger(mark)
    for partition, mark in (await log.bookmarks(ROUTER, EVENTS)).items():
        marks.take_router(partition, mark)
    for partition, mark in (await log.bookmarks(RULES, INTENTS)).items():
        marks.take_rules(partition, mark)
    return marks


def _end(group: str, mark: Bookmark) -> int:
    """Return where the topic ended which a group writes."""
    try:
        end = orjson.loads(mark.metadata)["end"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        end = None
    if not isinstance(end, int):
        raise LogFault(f"the bookmark of {group} at {mark.offset} is somebody else's")
    return end
