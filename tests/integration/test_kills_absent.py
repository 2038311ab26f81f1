"""Rules K and S on a real house by the wall's clock: one who sleeps, and one whose line is gone.

Both at once, since a minute is a minute.
"""

import asyncio
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import pytest

from services.house.line import Internet
from tests.chaos.chains import Chains
from tests.chaos.commands import started, stopped
from tests.chaos.fleet import Fleet, Guest
from tests.chaos.raw import Log, read_sqlite
from tests.chaos.verifier import verify

pytestmark = [pytest.mark.slow]

STEP_MS: Final = 15_000
AWAY_MS: Final = 60_000
LATE_MS: Final = 1_500  # of a timeout, on a busy machine
ALIVE_MS: Final = 2_000  # rule K: a house that did nothing for longer stood still
AWAY_S: Final = 66.0
ACTS: Final = 3
LIMIT_S: Final = 240.0
BOTS: Final = "system:bots"

Happened = tuple[dict[str, Any], dict[str, Any]]
"""An event, and the cause of its record."""


async def test_one_who_sleeps_keeps_his_seat_and_one_who_is_away_gets_a_bot_until_he_is_back(
    data: Path, postgres: str
) -> None:
    options = ("--port", "0", "--bot-pause-ms", "0")
    async with started(data, *options, SAHRAT_POSTGRES=postgres) as house:
        fleet = Fleet(Internet(house.url), think_s=0.2)
        try:
            _, sleeper = await fleet.table({"players": 2}, players=1, sleepers=1)
            _, absent = await fleet.table({"players": 2}, players=1, sleepers=1)
            async with asyncio.timeout(LIMIT_S):
                await absent.phone.lose_line(AWAY_S, silently=False)
                absent.phone.plays = True  # as soon as he is back
                while absent.phone.counts.acts < ACTS:
                    await asyncio.sleep(0.1)
                await fleet.leave()
        finally:
            await fleet.close()
        assert await stopped(house) == 0, house.said()
    log = read_sqlite(data / "log" / "log.sqlite3")
    report = verify(log, None, fleet.seen())
    assert list(report.findings) == []
    assert fleet.problems() == []
    assert report.figures["resumes"] == 0 or _stood_still(log)
    assert report.figures["latest_ms"] <= LATE_MS
    _check_sleeper(_until_somebody_leaves(log, sleeper), sleeper)
    _check_absent(_until_somebody_leaves(log, absent), absent)


def _stood_still(log: Log) -> bool:
    """Whether a tick came later than a house that works lets it."""
    ticks = [(line, line.decoded()["intent"]) for line in log.intents]
    return any(
        intent["type"] == "clock.tick" and line.at_ms - intent["last_ms"] > ALIVE_MS
        for line, intent in ticks
    )


def _until_somebody_leaves(log: Log, guest: Guest) -> list[Happened]:
    """A match's events up to the end of the test, when all get up."""
    chains = Chains()
    chains.take([line for line in log.events if line.key == guest.match_id.encode()])
    events = [
        (event, record["caused_by"])
        for record in chains.stories[guest.match_id].records
        for event in record["events"]
    ]
    return list(takewhile(lambda happened: happened[0].get("why") != "left", events))


def _steps(events: Sequence[Happened], guest: Guest) -> tuple[dict[int, int], dict[int, int]]:
    """When each of a guest's steps was due, and when it ran out, by its number. A house that could
    do nothing for two seconds gives the step that is open its full time afresh.
    """
    due: dict[int, int] = {}
    out: dict[int, int] = {}
    his = False  # the step that is open
    for event, cause in events:
        match event["type"]:
            case "step.opened":
                his = event["seat"] == guest.table.seat
                if his:
                    due[event["step"]] = cause["at_ms"] + STEP_MS
            case "match.resumed" if his:
                due[max(due)] = cause["at_ms"] + STEP_MS
            case "step.timed_out" if his:
                assert event["step"] not in out  # each once
                out[event["step"]] = cause["at_ms"]
    return due, out


def _of(events: Sequence[Happened], guest: Guest) -> list[Happened]:
    """What happened to a guest's presence."""
    me = guest.phone.account.player_id
    return [pair for pair in events if pair[0].get("player_id") == me and "line" not in pair[0]]


def _check_timeouts(events: Sequence[Happened], guest: Guest, least: int) -> list[int]:
    """K.1, K.2: his steps are played at 15 s, once each; return when."""
    due, out = _steps(events, guest)
    assert len(out) >= least
    assert all(0 <= ms - due[step] <= LATE_MS for step, ms in out.items())
    assert list(out) == list(due)[: len(out)]  # none of them was left out
    return list(out.values())


def _check_sleeper(events: Sequence[Happened], guest: Guest) -> None:
    """K.2: he keeps his seat, however often his time runs out."""
    _check_timeouts(events, guest, least=4)
    assert _of(events, guest) == []
    assert BOTS not in [cause["sender"] for _, cause in events]


def _check_absent(events: Sequence[Happened], guest: Guest) -> None:
    """S.1, S.2, B.3: his seat is kept for a minute; then a bot has it, so labelled, until he is
    back; from then on he plays himself.
    """
    (away, gone), (left, lost) = _of(events, guest)
    ((back, returned),) = [pair for pair in events if pair[0]["type"] == "player.present"]
    assert (away["type"], left["type"]) == ("player.away", "player.left")
    assert (left["why"], left["bot"], back["returned"]) == ("away", True, True)
    until_ms = gone["at_ms"] + AWAY_MS
    for event, _ in events:
        if event["type"] == "match.resumed":  # so has whoever is away
            until_ms = max(until_ms, *(one["until_ms"] for one in event["away"]), 0)
    assert 0 <= lost["at_ms"] - until_ms <= LATE_MS
    timeouts = _check_timeouts(events, guest, least=3)
    assert max(timeouts) <= lost["at_ms"]
    bots = {cause["offset"] for _, cause in events if cause["sender"] == BOTS}
    assert bots
    assert lost["offset"] < min(bots)
    assert max(bots) < returned["offset"]
    me = f"player:{guest.phone.account.player_id}"
    his = {cause["offset"] for _, cause in events if cause["sender"] == me}
    assert sum(offset > returned["offset"] for offset in his) >= ACTS
