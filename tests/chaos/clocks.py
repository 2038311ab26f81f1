"""Whether each clock ran out once, never early, and not for a time in which the house stood still.

Deadlines are compared with append times, as stored. Whether the house was alive is told by the
answers to the timer's ticks; and by those who took a part of it down, if they say when.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from tests.chaos.chains import Finding, Story
from tests.chaos.raw import Line, Log

ALIVE_MS: Final = 2_000  # rule K: without an answered tick for longer, the house stood still
NOTICED_MS: Final = {"rules": 500, "timer": 0, "gateway": 2_000, "broker": 0}
"""So long the house may go on without a part before a tick fails: the next one, and the time for
which a gateway that was heard counts as alive. Parts that are not here may be missing."""
SLACK_MS: Final = 1_000  # for heartbeats, ticks and dues on their way, on a busy machine
FLIGHT_MS: Final = 500  # what was on its way when a part was taken down is stored by then
BOTS: Final = "system:bots"


@dataclass(frozen=True, slots=True)
class Outage:
    """When a part of the house was taken down, and by when it worked again."""

    part: str
    from_ms: int
    to_ms: int

    def narrowed(self, log: Log) -> Outage:
        """Return it up to the first sign of life: before that the part was down for certain."""
        first_ms = min(
            (ms for ms in _signs(self.part, log) if ms > self.from_ms + FLIGHT_MS), default=0
        )
        return replace(self, to_ms=min(self.to_ms, first_ms or self.to_ms))


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick that was answered.

    Attributes:
        offset, tick_ms: Where and when it was stored.
        answer_ms: When its first answer was.
        resumed: It set all clocks anew.
    """

    offset: int
    tick_ms: int
    answer_ms: int
    resumed: bool

    @property
    def marks(self) -> tuple[int, ...]:
        """The times up to which it says that all was alive; after a resume its cost counts too."""
        return (self.tick_ms, self.answer_ms) if self.resumed else (self.tick_ms,)


def ticks_of(answers: Sequence[Line]) -> dict[int, list[Tick]]:
    """Return each partition's answered ticks in their order, each once."""
    found: dict[int, dict[int, Tick]] = {}
    for line in answers:
        answer = line.decoded()
        if answer["type"] == "ticked":
            tick = Tick(answer["offset"], answer["tick_ms"], line.at_ms, answer["resumed"])
            found.setdefault(line.partition, {}).setdefault(tick.offset, tick)
    return {
        partition: [ticks[offset] for offset in sorted(ticks)] for partition, ticks in found.items()
    }


@dataclass(slots=True)
class _Seat:
    player_id: str
    bot: bool


@dataclass(slots=True)
class _Match:
    """What of one match its clocks need."""

    step_length_ms: int = 0
    fill_ms: int = 0
    playing: bool = False
    step: int = 0
    step_seat: int = -1
    step_ms: int = 0
    since_ms: int = 0
    since_offset: int = 0
    away_ms: dict[str, int] = field(default_factory=dict)
    sitters: list[_Seat] = field(default_factory=list)
    seats: dict[int, _Seat] = field(default_factory=dict)
    timed_out: set[int] = field(default_factory=set)


class Clocks:
    """Follows the clocks of all matches of a log.

    Args:
        intents: By (partition, offset).
        ticks: As `ticks_of`.
        outages: When parts of the house were down, if that is known.

    Attributes:
        findings: What did not fit.
        timeouts: How many steps ran out.
        returns: How often a bot gave a seat back.
        resumes: How many records set the clocks anew.
        latest_ms: The longest time by which a step that ran out was late.
    """

    def __init__(
        self,
        intents: Mapping[tuple[int, int], Line],
        ticks: Mapping[int, Sequence[Tick]],
        outages: Sequence[Outage] = (),
    ) -> None:
        self.findings: list[Finding] = []
        self.timeouts = self.resumes = self.returns = self.latest_ms = 0
        self._intents = intents
        self._ticks = ticks
        self._outages = outages

    def take(self, story: Story) -> None:
        """Follow one match from its first record to its last."""
        match = _Match()
        for record in story.records:
            cause, where = record["caused_by"], story.where(record["seq"])
            line = self._intents.get((cause["partition"], cause["offset"]))
            intent = {} if line is None else line.decoded()["intent"]
            if intent.get("type") == "clock.due":
                self._check_due(where, cause, intent["last_ms"])
            if cause["sender"] == BOTS and not match.seats[match.step_seat].bot:
                self._found("stray bot", where, f"a bot acted for seat {match.step_seat}")
            for event in record["events"]:
                self._event(match, where, cause, intent, event)

    def _check_due(self, where: str, cause: Mapping[str, Any], last_ms: int) -> None:
        """A clock may only run out within two seconds of a tick that was answered."""
        at_ms, ticks = cause["at_ms"], self._ticks.get(cause["partition"], ())
        if abs(at_ms - last_ms) > ALIVE_MS:
            self._found("down", where, f"its due is {at_ms - last_ms} ms off the last tick")
        if not any(last_ms in tick.marks and tick.offset < cause["offset"] for tick in ticks):
            self._found("down", where, f"no answered tick is of {last_ms}, which its due names")

    def _event(
        self,
        match: _Match,
        where: str,
        cause: Mapping[str, Any],
        intent: Mapping[str, Any],
        event: Mapping[str, Any],
    ) -> None:
        at_ms = cause["at_ms"]
        match event["type"]:
            case "table.opened":
                match.step_length_ms = event["options"]["step_seconds"] * 1000
                match.fill_ms = event["fill_ms"]
            case "seat.taken":
                if event["bot"] and at_ms < match.fill_ms:
                    self._found("early", where, f"bots came {match.fill_ms - at_ms} ms too soon")
                match.sitters.append(_Seat(event["player_id"], event["bot"]))
            case "seat.freed":
                match.sitters = [s for s in match.sitters if s.player_id != event["player_id"]]
                self._check_away(match, where, at_ms, event)
            case "match.started":
                dealt = [match.sitters[index] for index in event["dealt"]]
                match.seats = dict(zip(event["seats"], dealt, strict=True))
                match.playing = True
            case "step.opened":
                match.step, match.step_seat = event["step"], event["seat"]
                self._set(match, where, cause, event["deadline_ms"])
            case "step.timed_out":
                self._check_timeout(match, where, cause, event)
            case "player.present":
                match.away_ms.pop(event["player_id"], None)
                _seat_of(match, event["player_id"]).bot = False
                self.returns += event["returned"]
            case "player.away":
                match.away_ms[event["player_id"]] = event["until_ms"]
            case "player.left":
                self._check_away(match, where, at_ms, event)
                _seat_of(match, event["player_id"]).bot = event["bot"]
            case "match.resumed":
                self._resumed(match, where, cause, intent, event)
            case _:
                pass

    def _set(self, match: _Match, where: str, cause: Mapping[str, Any], deadline_ms: int) -> None:
        """An open step has its full time from now on, neither less nor more."""
        match.step_ms = deadline_ms
        match.since_ms, match.since_offset = cause["at_ms"], cause["offset"]
        if deadline_ms - cause["at_ms"] != match.step_length_ms:
            has_ms = deadline_ms - cause["at_ms"]
            self._found("deadline", where, f"the step has {has_ms} ms")

    def _resumed(
        self,
        match: _Match,
        where: str,
        cause: Mapping[str, Any],
        intent: Mapping[str, Any],
        event: Mapping[str, Any],
    ) -> None:
        self.resumes += 1
        last_ms = intent.get("last_ms", 0)
        if intent.get("type") != "clock.tick" or abs(cause["at_ms"] - last_ms) <= ALIVE_MS:
            self._found("resume", where, "no tick that was late caused it")
        if match.playing:
            self._set(match, where, cause, event["step_ms"])
        else:
            match.fill_ms = event["fill_ms"]
        match.away_ms |= {away["player_id"]: away["until_ms"] for away in event["away"]}

    def _check_away(self, match: _Match, where: str, at_ms: int, event: Mapping[str, Any]) -> None:
        until_ms = match.away_ms.pop(event["player_id"], None)
        if event["why"] == "away" and (until_ms is None or at_ms < until_ms):
            self._found("early", where, f"{event['player_id']} had until {until_ms} to come back")

    def _check_timeout(
        self, match: _Match, where: str, cause: Mapping[str, Any], event: Mapping[str, Any]
    ) -> None:
        self.timeouts += 1
        at_ms, step = cause["at_ms"], event["step"]
        if step in match.timed_out:
            self._found("twice", where, f"step {step} had run out before")
        elif step != match.step:
            self._found("twice", where, f"step {step} was not open, but {match.step}")
        match.timed_out.add(step)
        if at_ms < match.step_ms:
            self._found("early", where, f"step {step} had {match.step_ms - at_ms} ms left")
        self.latest_ms = max(self.latest_ms, at_ms - match.step_ms)
        self._check_alive(match, where, cause)
        for gone in self._outages:
            if gone.part not in NOTICED_MS:
                continue
            unnoticed_ms = gone.from_ms + NOTICED_MS[gone.part]
            ran_ms = min(gone.to_ms, at_ms) - max(unnoticed_ms, match.since_ms)
            if ran_ms > ALIVE_MS + SLACK_MS:
                self._found("down", where, f"step {step} ran for {ran_ms} ms without {gone.part}")

    def _check_alive(self, match: _Match, where: str, cause: Mapping[str, Any]) -> None:
        """While a step ran, ticks were answered without a gap, and none of them was a resume."""
        ticks = self._ticks.get(cause["partition"], ())
        offsets = [tick.offset for tick in ticks]
        first = bisect_right(offsets, match.since_offset)
        last = bisect_right(offsets, cause["offset"])
        if first == 0:
            self._found("down", where, "the step ran out before any tick was answered")
            return
        alive_ms = max(ticks[first - 1].marks)
        for tick in ticks[first:last]:
            if tick.resumed:
                self._found("down", where, f"the resume at {tick.offset} has passed it over")
            if tick.tick_ms - alive_ms > ALIVE_MS:
                gap_ms = tick.tick_ms - alive_ms
                self._found("down", where, f"no tick was answered for {gap_ms} ms of its time")
            alive_ms = max(tick.marks)

    def _found(self, kind: str, where: str, what: str) -> None:
        self.findings.append(Finding(kind, where, what))


def _signs(part: str, log: Log) -> Iterator[int]:
    """Yield the append times of all that only a living part can have caused."""
    for line in log.intents:
        writer = line.decoded()["system"] or "gateway"  # a phone's intent comes by a gateway
        if part in (writer, "broker"):
            yield line.at_ms
    if part in ("rules", "broker"):
        yield from (line.at_ms for line in (*log.events, *log.answers))


def _seat_of(match: _Match, player_id: str) -> _Seat:
    return next(sitter for sitter in match.sitters if sitter.player_id == player_id)


def overdue(ticks: Mapping[int, Sequence[Tick]]) -> Iterator[Finding]:
    """Yield each tick that should have been a resume and was not one."""
    for partition, found in ticks.items():
        for before, tick in pairwise(found):
            gap_ms = tick.tick_ms - max(before.marks)
            if gap_ms > ALIVE_MS and not tick.resumed:
                where = f"intents[{partition}]@{tick.offset}"
                yield Finding("down", where, f"a tick after {gap_ms} ms was no resume")
