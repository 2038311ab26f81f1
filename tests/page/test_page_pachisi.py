"""Pachisi on the page, in a real browser."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from sahrat.games.pachisi import board
from sahrat.games.pachisi.messages import PieceCaptured, ThrowDeclined
from sahrat.games.pachisi.options import PRESETS, PachisiOptions
from sahrat.match.state import State
from sahrat.messages import match as m
from tests.page.site import Guest, Site, pieces

SHORT: Final[dict[str, Any]] = {
    "game": "pachisi",
    "cowries": 7,
    "timing": "turn_end",
    "pyada": "on",
    "grace_use": "bonus",
    "capture_before_home": "on",
    "fill_seconds": 5,
}
"""Options with which a match is over soon, and nobody comes home without a capture (rule P6)."""
OFFERED_HAS_FOCUS: Final = "() => document.activeElement.matches('.thrower.ready, .choice')"

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_two_phones_see_what_the_log_has(place: Site) -> None:
    """After every record both boards are the log's fold; a throw is declined, a piece captured."""
    salma, noor = await asyncio.gather(place.guest(), place.guest(motion=True))
    match_id = await salma.open(**{**SHORT, "fill_seconds": 60})
    await noor.join(match_id)
    await salma.page.evaluate("() => { window.declines = 2 }")
    await asyncio.gather(salma.plays(), noor.plays())
    await asyncio.gather(salma.over(), noor.over())
    events = [event for record in await place.records(match_id) for event in record.events]
    assert any(isinstance(event, ThrowDeclined) for event in events)
    assert any(isinstance(event, PieceCaptured) for event in events)
    states = await place.folded(match_id)
    for guest in (salma, noor):
        await guest.drawn(len(states))
        boards = await guest.boards()
        begun = next(seq for seq, state in enumerate(states, 1) if state.board is not None)
        for seq, state in enumerate(states, 1):
            if seq >= begun:
                assert (seq, boards[seq]) == (seq, pieces(state))
        lying = await guest.page.evaluate("() => window.seen.map((one) => [one.seq, one.lying])")
        assert dict(lying) == {seq: _lying(states[seq - 1]) for seq, _ in lying}
        assert any(count > 0 for _, count in lying)
        shown = await guest.page.locator(".place").all()
        places = {await one.get_attribute("data-seat"): one for one in shown}
        assert [*places] == [str(seat) for seat, _ in states[-1].places]
        lines = await guest.page.locator(".moves li").all_inner_texts()
        assert not any("pachisi." in line for line in lines)


def _lying(state: State) -> int:
    """How many pieces come home, which are drawn lying down (rule P4.9)."""
    return sum(board.RETURN <= at < board.HOME for row in pieces(state) for at in row)


async def test_pachisi_is_played_by_keyboard_and_heard(place: Site) -> None:
    """Which throw, which piece, and to leave one: with Tab, Enter and Space alone."""
    guest = await place.guest(language="en")
    match_id = await guest.open(**SHORT)
    left, pressed = False, 0
    while pressed < 24 or not left:
        await guest.page.wait_for_selector(".thrower.ready, .choice")
        await guest.page.wait_for_function(OFFERED_HAS_FOCUS)
        if not left and await guest.page.locator("[data-do=decline]").count():
            await _tab_to(guest, "[data-do=decline]")
            left = True
        await guest.page.keyboard.press("Enter" if pressed % 2 else "Space")
        pressed += 1
        await guest.page.wait_for_selector(".controls:not(.yours), .thrower.ready, .choice")
    heard = await guest.page.inner_text("[data-do=live]")
    assert "threw" in heard or "piece" in heard or "Your turn" in heard
    events = [event for record in await place.records(match_id) for event in record.events]
    assert any(isinstance(event, ThrowDeclined) for event in events)
    assert not any(isinstance(event, m.StepTimedOut) for event in events)


async def _tab_to(guest: Guest, selector: str) -> None:
    for _ in range(40):
        if await guest.page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
        await guest.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {selector}")


async def test_a_table_is_opened_by_the_form_of_the_published_schema(place: Site) -> None:
    """P5: presets are a shorter way to say options; what does not go together is said."""
    other = await place.guest(language="en")  # there before the table: after a minute bots fill it
    guest = await place.guest(language="en")
    await guest.page.click("[data-do=new]")
    await guest.page.click("[data-game=pachisi]")
    await guest.page.click("[data-preset=seven]")
    await guest.page.click("main summary")
    seven = PachisiOptions.model_validate(PRESETS["seven"])
    for name, value in seven.model_dump().items():
        chosen = await guest.page.input_value(f"#option-{name}")
        assert chosen.strip('"') == str(value)
        assert await guest.page.inner_text(f"#help-{name}")
    await guest.page.select_option("#option-teams", '"on"')
    clash = await guest.page.inner_text(".notice.bad")
    assert "Two sides" in clash
    assert "Players" in clash
    await guest.page.select_option("#option-players", "4")
    assert await guest.page.locator(".notice.bad:visible").count() == 0
    assert await guest.page.locator("[data-preset][aria-pressed=true]").count() == 0
    await guest.page.select_option("#option-teams", '"off"')
    await guest.page.click("[data-do=open]")
    await guest.page.wait_for_selector(".picture.pachisi")
    match_id = guest.page.url.rsplit("/", 1)[-1]
    opened = (await place.records(match_id))[0].events[0]
    assert isinstance(opened, m.TableOpened)
    assert opened.options == {**seven.model_dump(), "players": 4}
    await guest.page.click("[data-do=rules]")
    rules = await guest.page.inner_text("dialog")
    assert "castles" in rules
    assert "Seven" in await guest.page.inner_text("dialog .differs >> nth=0") or "Four" in rules
    await guest.page.keyboard.press("Escape")
    card = other.page.locator(f"[data-table='{match_id}']")
    assert "Seven cowries" in await card.inner_text()
    await card.locator("[data-do=rules]").click()
    told = await other.page.inner_text("dialog")
    assert "castles" in told
    assert "Every option is free" in told


async def test_one_tap_plays_the_game_that_was_chosen(place: Site) -> None:
    """The choice is kept: coming back, it is one tap again."""
    page = await place.page()
    await page.click("[data-game=pachisi]")
    await page.reload()
    await page.click("[data-do=play]")
    await page.wait_for_selector(".picture.pachisi")
