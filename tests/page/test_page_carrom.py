"""Carrom on the page, in a real browser: shots by finger and by keys, and a whole board."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Final

import pytest
from msgspec.structs import replace

from sahrat.games.carrom import CARROM
from sahrat.games.carrom.messages import DiscsRested, Shoot, StrikerShot
from sahrat.match.state import State
from sahrat.messages import match as m
from sahrat.messages.reasons import Refused
from tests.page.site import Guest, Site
from tests.unit.games.carrom_table import NO_CHANCE, begun

REACH: Final = 406  # mm from the middle of the drawing to its edge
LINE: Final = 252.6  # mm that the striker stands below the middle
TABLE: Final[dict[str, Any]] = {"game": "carrom", "fill_seconds": 60, "step_seconds": 30}

PLAYED: Final = """async ([board, record]) => {
  const { carrom } = await import('/games/carrom.js');
  const view = carrom.view({ act: () => undefined, sound: () => undefined });
  view.show({ options: {}, board });
  await view.play(record);
  const told = view.controls.querySelector('[data-do=differs]');
  return [told.hidden, told.textContent.includes(record.seq)];
}"""
"""Whether a page that plays a record on a board says nothing, or what it says names the record."""
GUIDED: Final = """async ([board, kind]) => {
  const { carrom } = await import('/games/carrom.js');
  const view = carrom.view({ act: () => undefined, sound: () => undefined });
  const state = { options: { aim_guide: kind }, board };
  view.show(state);
  view.offer(state, 0);
  const { aim } = view;
  return [aim.line.hidden, aim.guide.style.display === 'none', aim.guide.getAttribute('d')];
}"""
"""Whether the line's button and the line are hidden, and the line, of a striker in the middle."""
STANDS: Final = """async ([board, options]) => {
  const { carrom } = await import('/games/carrom.js');
  const view = carrom.view({ act: () => undefined, sound: () => undefined });
  view.show({ options, board });
  const mark = carrom.seatMark(2, options, board).querySelector('g').getAttribute('class');
  return [view.down.textContent.replace(/[\u2068\u2069]/g, ''), mark];
}"""
"""What is said under a board, and how the north player is marked."""
BLOCKED: Final = "() => document.querySelector('.disc.striker').classList.contains('blocked')"

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_two_phones_play_a_board(place: Site) -> None:
    """After every record both boards lie on the log's whole numbers; nothing differs."""
    salma, noor = await asyncio.gather(place.guest(), place.guest(motion=True))
    match_id = await salma.open(**TABLE)
    await noor.join(match_id)
    guests = {await _id(guest): guest for guest in (salma, noor)}
    while (state := (await place.folded(match_id))[-1]).live:
        if state.board is None:
            await asyncio.sleep(0.05)
            continue
        sitter = state.sitters[state.chair_of_seat(state.step_seat)]
        await _shoot(guests[sitter.player_id], match_id, state)
    await asyncio.gather(salma.over(), noor.over())
    states = await place.folded(match_id)
    for guest in (salma, noor):
        await guest.drawn(len(states))
        seen = await guest.page.evaluate("() => window.seen.map((one) => [one.seq, one.discs])")
        boards = dict(seen)
        begun = next(seq for seq, state in enumerate(states, 1) if state.board is not None)
        for seq, state in enumerate(states, 1):
            if seq >= begun:
                assert (seq, boards[seq]) == (seq, _places(state))
        assert await guest.page.locator("[data-do=differs]:visible").count() == 0
        assert await guest.page.locator(".place").count() == 2


async def _id(guest: Guest) -> str:
    player_id: str = await guest.page.evaluate("() => window.sahrat.house.account.player_id")
    return player_id


async def _shoot(guest: Guest, match_id: str, state: State) -> None:
    """Shoot as a bot would, and wait until the house has judged it."""
    wish = CARROM.bot(state.board, f"{state.step}").model_dump()
    await guest.page.evaluate(
        "([id, step, wish]) => window.sahrat.house.act(id, step, wish)",
        [match_id, state.step, wish],
    )


def _places(state: State) -> list[list[int]]:
    board: Any = state.board
    return [[*place] for place in board.places]


async def test_a_shot_by_keys_and_one_by_finger(place: Site) -> None:
    """K5: where it stands, which way and how fast; each comes to the house as it was aimed."""
    one, other = await place.guest(language="en"), await place.guest(language="en")
    match_id = await one.open(**TABLE)
    await other.join(match_id)
    await asyncio.gather(*(guest.page.wait_for_selector(".seats.dealt") for guest in (one, other)))
    by_finger = await _ready(one, other)
    board = await by_finger.page.locator(".picture").bounding_box()
    assert board is not None
    scale = board["width"] / (2 * REACH)
    x, y = board["x"] + board["width"] / 2, board["y"] + (REACH + LINE) * scale
    mouse = by_finger.page.mouse
    await mouse.move(x, y)
    await mouse.down()
    await mouse.move(x + 100 * scale, y, steps=4)
    await mouse.move(x + 130 * scale, y + 140 * scale, steps=6)
    await mouse.up()
    shot = await _shot(place, match_id, 1)
    assert abs(shot.x - 100_000) < 12_000
    assert shot.dx < 0 < shot.dy  # pulled back to the right, it goes forward to the left
    assert 1_000_000 < shot.speed < 6_000_000
    by_keys = await _ready(one, other)
    await by_keys.page.focus("#aim-turn")
    await by_keys.page.keyboard.press("Home")
    await by_keys.page.focus("#aim-power")
    await by_keys.page.keyboard.press("End")
    await by_keys.page.focus("[data-do=shoot]")
    await by_keys.page.keyboard.press("Enter")
    shot = await _shot(place, match_id, 2)
    assert shot.dx < -900_000  # as far to the left as it may
    assert (shot.dy > 0, shot.speed) == (True, 6_000_000)


async def _ready(*guests: Guest) -> Guest:
    """Return whose turn it is, once it is somebody's and nothing moves."""
    waiting = {
        asyncio.ensure_future(guest.page.wait_for_selector(".shoot.ready")): guest
        for guest in guests
    }
    done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    return waiting[done.pop()]


async def _rested(place: Site, match_id: str, after: int) -> None:
    """Wait for a shot in a record behind `after`."""
    async with asyncio.timeout(60):
        while True:
            events = [
                e for record in (await place.records(match_id))[after:] for e in record.events
            ]
            if any(isinstance(event, DiscsRested) for event in events):
                return
            await asyncio.sleep(0.05)


async def _shot(place: Site, match_id: str, number: int) -> StrikerShot:
    """Wait for so many shots of a match, and return the last of them."""
    async with asyncio.timeout(60):
        while True:
            events = [e for record in await place.records(match_id) for e in record.events]
            shots = [event for event in events if isinstance(event, StrikerShot)]
            if len(shots) >= number:
                assert not any(isinstance(event, m.StepTimedOut) for event in events)
                assert any(isinstance(event, DiscsRested) for event in events)
                return shots[number - 1]
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("away", [False, True])
async def test_a_shot_that_ends_otherwise_is_said(place: Site, *, away: bool) -> None:
    """Where discs rest is computed again on the device: a difference is shown, never hidden, though
    the line was lost while the shot was made.
    """
    page = await place.page(language="en")
    seq = 1000
    changed: list[int] = []

    def change(text: str) -> str:
        record = json.loads(text)
        if '"carrom.discs_rested"' not in text or record["seq"] <= seq:
            return text
        if changed and record["seq"] not in changed:  # the same again, after a lost line
            return text
        for event in record["events"]:
            if event["type"] == "carrom.discs_rested":
                event["places"][-1]["x"] += 1
        changed.append(record["seq"])
        return json.dumps(record)

    await place.meddle(page, change)
    guest = Guest(page, "ليلى")
    await guest.come_in()
    match_id = await guest.open(**{**TABLE, "fill_seconds": 5, "step_seconds": 10})
    await page.wait_for_selector(".shoot.ready")
    seq = len(await place.records(match_id))
    if away:
        place.street.cut()
        await _rested(place, match_id, seq)
        place.street.mend()
    else:
        await page.click(".shoot.ready")
    said = page.locator("[data-do=differs]:visible")
    await said.wait_for()
    told = re.search(r"in record (\d+)", await said.inner_text())
    assert told is not None
    assert int(told[1]) >= changed[0]  # the next shot begins where that one ended


async def test_what_fell_is_computed_too_and_no_record_stops_the_page(place: Site) -> None:
    """K3: another order of falling is a difference; so is a shot that the physics refuses."""
    page = await place.page(language="en")
    state = begun()
    wish = Shoot(x=0, dx=3_000, dy=252_600, speed=6_000_000)
    events = CARROM.decide(state, 0, wish, NO_CHANCE)
    assert not isinstance(events, Refused)
    board = CARROM.view(state).model_dump(mode="json")
    record: dict[str, Any] = {
        "seq": 7,
        "events": [event.model_dump(mode="json") for event in events],
    }
    assert await page.evaluate(PLAYED, [board, record]) == [True, False]
    rested = record["events"][1]
    fell = rested["pocketed"]
    rested["pocketed"] = [*fell, 19]
    assert await page.evaluate(PLAYED, [board, record]) == [False, True]
    rested["pocketed"] = fell
    board["places"][0] |= {"x": 0, "y": -252_600}  # the striker would stand on it
    assert await page.evaluate(PLAYED, [board, record]) == [False, True]


async def test_a_striker_that_cuts_the_moon_is_shown_so(place: Site) -> None:
    """K7: before it is sent; the house judges."""
    one, other = await place.guest(language="en"), await place.guest(language="en")
    await other.join(await one.open(**{**TABLE, "cut_moon": "forbidden"}))
    breaker = await _ready(one, other)  # before the first shot nothing lies at the line
    await breaker.page.fill("#aim-x", "200")
    assert await breaker.page.evaluate(BLOCKED)
    await breaker.page.fill("#aim-x", "215")
    assert not await breaker.page.evaluate(BLOCKED)


async def test_K7_the_aiming_line_is_the_table_s(place: Site) -> None:
    """Short: by the power; long: to where the striker touches the first coin, and its outline."""
    page = await place.page(language="en")
    board = CARROM.view(begun()).model_dump(mode="json")
    shown = {kind: await page.evaluate(GUIDED, [board, kind]) for kind in ("short", "none", "long")}
    assert shown["none"][:2] == [True, True]
    assert shown["short"][:2] == [False, False]
    assert float(shown["short"][2].rpartition(" ")[2]) == pytest.approx(252.6 - 60 - 4 * 45)
    hidden, _, line = shown["long"]
    assert not hidden
    way, _, outline = line.partition("m")
    # the nearest white coin lies 63.602 mm below the middle, and 20.65 + 15.9 mm are between
    assert float(way.rpartition(" ")[2]) == pytest.approx(63.602 + 20.65 + 15.9)
    assert outline.startswith("20.65 0a20.65 20.65")


@pytest.mark.parametrize(
    ("options", "changes", "said", "mark"),
    [
        ({}, {}, "White 0 of 9 · Black 0 of 9 · the queen is on the board", "black"),
        (
            {"match": "25_points"},
            {"score": (3, 20), "owed": (0, 2), "board": 2, "breaker": 2, "turn": 2},
            "White 0 of 9 · Black 0 of 9 · board 2, the match stands 3 to 20 · "
            "the queen is on the board · Black owes 2",
            "white",
        ),
        (
            {"mode": "points", "players": 3},
            {"covered_by": 1, "queen": "covered", "owed": (0, 0, 1)},
            "South 0 · East 50 · North 0 · the queen is covered · North owes 1",
            "yellow",
        ),
    ],
)
async def test_K7_under_the_board_stands_what_is_played_for(
    place: Site, options: dict[str, Any], changes: dict[str, Any], said: str, mark: str
) -> None:
    page = await place.page(language="en")
    state = replace(begun(**options), **changes)
    board = CARROM.view(state).model_dump(mode="json")
    shown = state.options.model_dump(mode="json")
    assert await page.evaluate(STANDS, [board, shown]) == [said, f"colour-{mark}"]
