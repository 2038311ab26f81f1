"""Whether each match is one chain of records, and each record the effect of one stored intent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from tests.chaos.raw import PARTITIONS, Line

GENESIS: Final = "0" * 64
ENDS: Final = {"match.ended": "ended", "match.stopped": "stopped", "table.closed": "closed"}
TIMER: Final = "system:timer"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be. `kind` is one of a few words, `where` says which record."""

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


@dataclass(slots=True)
class Story:
    """One match's records, each once, in their order.

    Attributes:
        lines: As first stored.
        records: The same, decoded.
        digests: SHA-256 of each, in hex.
        repeats: How many were stored again, with the same bytes.
        broken: Nothing more is taken, since the chain has ended in a wrong way.
    """

    match_id: str
    lines: list[Line] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    repeats: int = 0
    broken: bool = False

    @property
    def end(self) -> str:
        """How the match is over: ended, stopped, closed; empty while it is not."""
        if not self.records:
            return ""
        return next((ENDS[e["type"]] for e in self.records[-1]["events"] if e["type"] in ENDS), "")

    def where(self, seq: int) -> str:
        """Name a record for people."""
        return f"{self.match_id} record {seq}"


class Chains:
    """Puts stored events into chains.

    Attributes:
        stories: By match id, in the order of their first records.
        findings: What did not fit.
    """

    def __init__(self) -> None:
        self.stories: dict[str, Story] = {}
        self.findings: list[Finding] = []
        self._high: dict[int, int] = {}

    def take(self, lines: Sequence[Line]) -> None:
        """Take events, in order of partition and offset."""
        for line in lines:
            try:
                record = line.decoded()
                match_id, seq = record["match_id"], record["seq"]
            except (ValueError, KeyError, TypeError):
                where = f"events[{line.partition}]@{line.offset}"
                self._found("unreadable", where, "it is no record")
                continue
            story = self.stories.setdefault(match_id, Story(match_id))
            if not story.broken:
                self._take(story, line, record, seq)

    def _take(self, story: Story, line: Line, record: dict[str, Any], seq: int) -> None:
        where, cause = story.where(seq), record["caused_by"]
        if line.key != story.match_id.encode() or line.partition != partition_of(story.match_id):
            self._found("place", where, f"under key {line.key!r} in partition {line.partition}")
        if seq <= len(story.lines):
            if story.lines[seq - 1].value == line.value:
                story.repeats += 1
            else:
                self._found("fork", where, f"stored again at {line.offset} with other bytes")
            return
        if seq > len(story.lines) + 1:
            self._break("gap", story, seq, f"it follows record {len(story.lines)}")
            return
        if record["prev"] != (story.digests[-1] if story.digests else GENESIS):
            self._break("chain", story, seq, "its prev is not the digest of the record before it")
            return
        if story.end:
            self._found("after the end", where, "the match was over")
        if cause["partition"] != line.partition or cause["offset"] < self._high.get(
            line.partition, -1
        ):
            self._found("order", where, f"its cause {cause['offset']} is below one that was taken")
        self._high[line.partition] = max(self._high.get(line.partition, -1), cause["offset"])
        story.lines.append(line)
        story.records.append(record)
        story.digests.append(sha256(line.value).hexdigest())

    def _break(self, kind: str, story: Story, seq: int, what: str) -> None:
        story.broken = True
        self._found(kind, story.where(seq), what)

    def _found(self, kind: str, where: str, what: str) -> None:
        self.findings.append(Finding(kind, where, what))


def partition_of(match_id: str) -> int:
    """Return the partition that a match belongs to."""
    return int.from_bytes(sha256(match_id.encode()).digest()[:8], "big") % PARTITIONS


def check_causes(
    stories: Mapping[str, Story], intents: Mapping[tuple[int, int], Line]
) -> Iterator[Finding]:
    """Yield each record that is not the only effect of the stored intent that it names."""
    for story in stories.values():
        effects: dict[tuple[str, str], int] = {}
        at_ms = last_offset = -1
        for record in story.records:
            cause, where = record["caused_by"], story.where(record["seq"])
            line = intents.get((cause["partition"], cause["offset"]))
            if line is None:
                yield Finding("cause", where, f"no intent is stored at {cause['offset']}")
                continue
            wrong = _misfit(story.match_id, cause, line)
            if wrong:
                yield Finding("cause", where, wrong)
            if cause["offset"] <= last_offset:
                yield Finding("cause", where, "its intent has made a record before it")
            last_offset = cause["offset"]
            if record["at_ms"] != max(at_ms, cause["at_ms"]):
                yield Finding("time", where, "its time is not its cause's, and not the last one's")
            at_ms = record["at_ms"]
            effect = (cause["sender"], cause["intent_id"])
            if cause["sender"] != TIMER and effect in effects:
                yield Finding("effect", where, f"the intent of record {effects[effect]} again")
            effects[effect] = record["seq"]


def _misfit(match_id: str, cause: Mapping[str, Any], line: Line) -> str:
    intent = line.decoded()
    who = intent["player_id"]
    sender = f"system:{intent['system']}" if who is None else f"player:{who}"
    if (intent["intent_id"], sender) != (cause["intent_id"], cause["sender"]):
        return f"the intent at {line.offset} is another one"
    if intent["match_id"] not in (None, match_id):
        return f"the intent at {line.offset} is for another match"
    if line.at_ms != cause["at_ms"]:
        return f"the intent was stored at {line.at_ms}, not at {cause['at_ms']}"
    return ""
