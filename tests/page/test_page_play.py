"""Whole matches on the page, in a real browser."""

from __future__ import annotations

import asyncio
import json
from typing import Final

import pytest
from playwright.async_api import Page

from tests.page.site import QUICK, Guest, Site, pieces

OFFERED_HAS_FOCUS: Final = (
    "() => document.activeElement.matches('.thrower.ready, .choice')"
    " || document.querySelector('[data-do=result]')"
)

OWN_BASE: Final = """() => {
  const { seat } = document.querySelector('.seat.mine').dataset;
  const colour = ['red', 'green', 'yellow', 'blue'][seat];
  const middle = (box) => [box.top + box.height / 2, box.left + box.width / 2];
  const [y, x] = middle(document.querySelector(`.base.colour-${colour}`).getBoundingClientRect());
  const [top, left] = middle(document.querySelector('.picture').getBoundingClientRect());
  return [y > top ? 'below' : 'above', x > left ? 'right' : 'left'];
}"""
"""Where a player's own pawns wait: the board is turned for whoever plays."""

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_two_phones_and_two_bots_see_what_the_log_has(place: Site) -> None:
    """After every record both boards are the log's fold, and the places are shown."""
    salma, noor = await asyncio.gather(place.guest(), place.guest(motion=True))
    match_id = await salma.open(**{**QUICK, "players": 4, "fill_seconds": 15})
    await noor.join(match_id)
    await asyncio.gather(salma.plays(), noor.plays())
    await asyncio.gather(salma.over(), noor.over())
    states = await place.folded(match_id)
    for guest in (salma, noor):
        await guest.drawn(len(states))
        boards = await guest.boards()
        bots = guest.page.locator(".seat .name", has_text="لاعب آلي")
        assert await bots.count() == 2  # rule B.3
        begun = next(seq for seq, state in enumerate(states, 1) if state.board is not None)
        for seq, state in enumerate(states, 1):
            if seq >= begun:
                assert (seq, boards[seq]) == (seq, pieces(state))
        assert await guest.page.evaluate(OWN_BASE) == ["below", "right"]
        assert await guest.page.locator(".seat.mine.corner-c").count() == 1
        assert await _places(guest) == {str(seat): str(place) for seat, place in states[-1].places}


async def _places(guest: Guest) -> dict[str, str]:
    places: dict[str, str] = await guest.page.eval_on_selector_all(
        ".place",
        "all => Object.fromEntries(all.map((one) => [one.dataset.seat, one.dataset.place]))",
    )
    return places


async def test_a_match_is_played_by_keyboard_alone(place: Site) -> None:
    """In from the first view, out again, and a whole match: with Tab, Enter and Space alone."""
    page = await place.page(language="en")
    await _tab_to(page, "[data-do=play]")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".thrower.ready, .choice, .seat.turn:not(.mine)")
    await _tab_to(page, "[data-do=leave]")
    await page.keyboard.press("Enter")
    assert "A bot plays for you" in await page.inner_text("dialog")
    await _tab_to(page, "dialog [data-do=yes]")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[data-do=return]")
    guest = await place.guest(language="en")
    await guest.open(**QUICK)
    pressed = 0
    while await guest.page.wait_for_selector(".thrower.ready, .choice, [data-do=result]"):
        if await guest.page.locator("[data-do=result]").count():
            break
        await guest.page.wait_for_function(OFFERED_HAS_FOCUS)
        await guest.page.keyboard.press("Enter" if pressed % 2 else "Space")
        pressed += 1
    assert pressed > 0
    assert "The match is over" in await guest.page.inner_text("[data-do=live]")


async def _tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if await page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {selector}")


async def test_a_record_that_does_not_fit_is_said(place: Site) -> None:
    """Whoever sits between the house and the page can't change a record unseen."""
    page = await place.page(language="en")
    changed: list[int] = []

    def change(text: str) -> str:
        if changed or '"ludo.rolled"' not in text:
            return text
        changed.append(json.loads(text)["seq"])
        return text.replace('"index":0', '"index":1')

    await place.meddle(page, change)
    guest = Guest(page, "ليلى")
    await guest.come_in()
    await guest.open(**QUICK)
    await guest.plays()
    said = await page.inner_text("[data-do=doubt]")
    assert str(changed[0] + 1) in said
    await guest.over()
