"""A lost line: said at once, and after it the page has what the house has."""

from __future__ import annotations

import asyncio

import pytest

from sahrat.match import limits
from sahrat.messages import match as m
from sahrat.messages.base import Message
from services.gateway.matches import TAIL_RECORDS
from tests.integration.gateway_house import PATIENT_S
from tests.page.site import QUICK, Guest, Site, pieces

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SHORT_AWAY_MS = 1_500
LOOK_S = 0.05


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
