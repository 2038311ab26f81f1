"""A lost line: said at once, and after it the page has what the house has."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from playwright.async_api import Route

from sahrat.match import limits
from sahrat.messages import match as m
from sahrat.messages.base import Message
from services.gateway.matches import TAIL_RECORDS
from tests.integration.gateway_house import PATIENT_S
from tests.page.site import QUICK, Guest, Site, pieces

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SHORT_AWAY_MS = 1_500
LOOK_S = 0.05
GIVES_UP_MS = 32_000
NOTE_TOASTS: Final = """() => {
  window.toasted = 0;
  const noted = new MutationObserver(() => (window.toasted += 1));
  noted.observe(document.getElementById('toasts'), { childList: true });
}"""
"""What is said for a few seconds may come and go between two looks of a test."""
TOASTED: Final = "() => window.toasted > 0"


async def _until(place: Site, match_id: str, kind: type[Message], after: int = 0) -> int:
    """Wait until the log has such an event in a record behind `after`; return the record's seq."""
    async with asyncio.timeout(PATIENT_S):
        while True:
            for record in (await place.records(match_id))[after:]:
                if any(isinstance(event, kind) for event in record.events):
                    return record.seq
            await asyncio.sleep(LOOK_S)


async def _opened(place: Site, guest: Guest, **options: int) -> str:
    match_id = await guest.open(**{**QUICK, **options})
    await guest.page.wait_for_selector(".thrower.ready")
    return match_id


async def _agrees(place: Site, guest: Guest, match_id: str) -> None:
    """The page shows, once it has come so far, what the log has; nothing more."""
    seq = len(await place.records(match_id))
    await guest.drawn(seq)
    boards, states = await guest.boards(), await place.folded(match_id)
    newest = max(boards)
    assert (newest, boards[newest]) == (newest, pieces(states[newest - 1]))


async def test_S1_a_line_cut_in_mid_turn(place: Site) -> None:
    """C16: nothing is lost, nothing is done twice, and the seat is still his."""
    guest = await place.guest()
    match_id = await _opened(place, guest, step_seconds=8)
    seen = len(await place.records(match_id))
    place.street.cut()
    await guest.page.wait_for_selector("#line:not([hidden])")
    assert await guest.page.locator(".thrower.ready").count() == 0
    away = await _until(place, match_id, m.PlayerAway, seen)
    await _until(place, match_id, m.StepTimedOut, away)
    assert max(await guest.boards()) <= away  # nothing is shown that did not come
    place.street.mend()
    await guest.page.wait_for_selector("#line[hidden]", state="attached")
    await _until(place, match_id, m.PlayerPresent, away)
    await _agrees(place, guest, match_id)
    await guest.page.wait_for_selector(".thrower.ready, .choice")


async def test_S2_away_for_too_long(place: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """C21: others see him away, then a bot under its label; he comes back to his seat."""
    monkeypatch.setattr(limits, "AWAY_MS", SHORT_AWAY_MS)
    monkeypatch.setattr(limits, "KEEP_MS", SHORT_AWAY_MS)
    guest = await place.guest("سلمى")
    other = await place.guest(language="en", beside=True)
    match_id = await guest.open(**{**QUICK, "fill_seconds": 60, "step_seconds": 30})
    await other.join(match_id)
    await guest.page.wait_for_selector(".seats.dealt")
    place.street.cut()
    left = await _until(place, match_id, m.PlayerLeft)
    await other.drawn(left)
    seat = other.page.locator(".seat", has_text="سلمى")
    assert "Bot" in await seat.inner_text()
    place.street.mend()
    back = await _until(place, match_id, m.PlayerPresent, left)
    event = (await place.records(match_id))[back - 1].events[0]
    assert isinstance(event, m.PlayerPresent)
    assert event.returned
    await other.drawn(back)
    lines = await other.page.locator(".moves li").all_inner_texts()
    assert any("a bot plays on" in line for line in lines)
    assert any("took the seat" in line for line in lines)
    assert "Bot" not in await seat.inner_text()
    await _agrees(place, guest, match_id)


async def test_a_page_loaded_anew_has_the_moves(place: Site) -> None:
    """Also where the board came whole: what led to it is read, and a change in it is said."""
    guest = await place.guest()
    match_id = await guest.open(players=2, fill_seconds=5, step_seconds=30)
    await guest.plays()
    async with asyncio.timeout(PATIENT_S):
        while len(await place.records(match_id)) <= TAIL_RECORDS + 20:
            await asyncio.sleep(LOOK_S)
    await guest.plays(yes=False)
    await guest.page.wait_for_selector(".controls.yours")
    lines = await place.house.records(match_id)
    await guest.drawn(len(lines))
    before = await guest.page.locator(".moves li").all_inner_texts()
    place.archive.keep(lines)
    await guest.page.reload()
    await guest.page.wait_for_selector(".moves li[data-seq='1']")
    after = await guest.page.locator(".moves li").all_inner_texts()
    assert after[-len(before) :] == before  # that he is back comes on top
    assert await guest.page.locator("[data-do=doubt]").count() == 0
    place.archive.keep([*lines[:9], lines[9].replace(b'"at_ms":1', b'"at_ms":2'), *lines[10:]])
    await guest.page.reload()
    assert "\u0661\u0661" in await guest.page.inner_text("[data-do=doubt]")


async def test_a_house_that_says_nothing(place: Site) -> None:
    """What waits for it is told so after a while and may be asked again; the line says it too."""
    page = await place.page()
    await page.clock.install()
    await page.reload()
    await page.route_web_socket("**/play", lambda _: None)  # it opens, and that is all
    await page.evaluate(NOTE_TOASTS)
    await page.click("[data-do=play]")
    await page.wait_for_selector("#line.first:not([hidden])")
    calling = await page.inner_text("#line")
    await page.clock.run_for(GIVES_UP_MS)
    await page.wait_for_function(TOASTED)
    await page.wait_for_selector("#play[aria-disabled=false]")
    assert calling not in await page.inner_text("#line")


async def test_an_answer_that_never_comes(place: Site) -> None:
    """A request is given up, and the button can be pressed again."""
    page = await place.page()
    held: asyncio.Queue[Route] = asyncio.Queue()
    await page.route("**/api/guests", held.put_nowait, times=1)
    await page.evaluate(NOTE_TOASTS)
    await page.click("[data-do=play]")
    await page.wait_for_selector("#play[aria-disabled=true]")
    await page.wait_for_function(TOASTED)
    await page.click("#play[aria-disabled=false]")
    await page.wait_for_selector(".picture")


@pytest.mark.parametrize("kept", ["{", '{"account_key":"x"}', '{"account_key":1}', "7"])
async def test_an_account_that_is_damaged_is_none(place: Site, kept: str) -> None:
    """Who had it may come in anew, or by his recovery code."""
    page = await place.page()
    await page.evaluate("(kept) => localStorage.setItem('sahrat.account', kept)", kept)
    await page.reload()
    await page.wait_for_selector("#nickname")
    assert await page.locator("#line:not([hidden])").count() == 0


@pytest.mark.parametrize("hours", [-5, 5])
async def test_a_device_clock_that_is_hours_off(place: Site, hours: int) -> None:
    """The first tap of a new player leads to a table: what he asks for is of the house's time."""
    page = await place.page()
    await page.add_init_script(
        f"{{ const now = Date.now; Date.now = () => now.call(Date) + {hours} * 3_600_000 }}"
    )
    await page.reload()
    await page.click("[data-do=play]")
    await page.wait_for_selector(".picture")
