"""The lobby: what is played and may be watched; and what is told of matches that are over."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from playwright.async_api import Route

from sahrat.runtime.ids import new_id
from services.gateway.messages import PastSeat
from tests.integration.gateway_house import table
from tests.integration.operator import Operator
from tests.page.archive import stopped_match
from tests.page.site import QUICK, Site

PRESENT: Final = """async (id) => {
  const { house } = await import('/net/house.js');
  return house.matches.get(id)?.me?.present;
}"""

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


def _plain(text: str) -> str:
    """A text in one line, without the marks that keep what is filled in apart."""
    return " ".join(text.replace("\u2068", "").replace("\u2069", "").split())


async def test_what_is_played_can_be_found_and_watched(place: Site) -> None:
    """By a player in the lobby, and by whoever has not come in yet."""
    match_id, phones = await table(place.house, place.gateway, players=2, step_seconds=30)
    stranger, guest = await place.page(language="en"), await place.guest()
    for page in (stranger, guest.page):
        card = page.locator(f"[data-running='{match_id}']")
        await card.wait_for()
        names = await card.locator(".name").all_inner_texts()
        assert sorted(names) == ["لاعبة 0", "لاعبة 1"]
        await card.locator("[data-do=watch]").click()
        await page.wait_for_selector(".seats.dealt")
    assert "watching" in await stranger.inner_text(".table-bar")
    assert "تشاهد" in await guest.page.inner_text(".table-bar")
    seen = await stranger.get_attribute("[data-seq]", "data-seq")
    for phone in phones:
        await phone.wish("leave", match_id=match_id)
    # Who has no line yet sees it go on as well.
    await stranger.wait_for_selector(f"[data-seq]:not([data-seq='{seen}'])")


async def test_a_new_player_sits_down_at_a_coin_table_with_his_welcome(place: Site) -> None:
    """He is told what he has before, though his welcome is on its way."""
    host = await place.guest("سلمى")
    match_id = await host.open(400, players=2)
    page = await place.page(language="en")
    await page.fill("#nickname", "نورة")
    await page.click(f"[data-table='{match_id}'] [data-do=join]")
    assert "You have 1,000 coins." in _plain(await page.inner_text("[data-do=have]"))
    await page.click("[data-do=yes]")
    await page.wait_for_selector(".seat.mine")


async def test_an_answer_that_comes_late_draws_over_nothing(place: Site) -> None:
    """Whoever went on to the lobby stays there, though the table that he looked at comes now."""
    match_id = await (await place.guest()).open(players=2, fill_seconds=60)
    page = await place.page()
    late: asyncio.Future[Route] = asyncio.get_running_loop().create_future()

    def hold(route: Route) -> None:
        late.set_result(route)

    await page.route("**/api/matches/*", hold, times=1)
    await page.evaluate("(id) => { location.hash = `#/table/${id}` }", match_id)
    answer = await late
    await page.evaluate("() => { location.hash = '#/' }")
    await page.wait_for_selector("#nickname")
    async with page.expect_response("**/api/matches/*") as came:
        await answer.continue_()
    await (await came.value).finished()
    await page.wait_for_timeout(100)
    assert await page.locator("#nickname").count() == 1


async def test_who_has_too_little_is_told_before_he_sits_down(place: Site) -> None:
    guest = await place.guest("نورة", language="en")
    await guest.page.evaluate("() => { location.hash = '#/new' }")
    await guest.page.click("#kind-coins")
    sizes = await guest.page.locator("#option-players option").all_inner_texts()
    assert sizes == ["Two", "Three", "Four"]
    assert not await guest.page.is_visible("[data-option=fill_seconds]")  # rule B.1: no bots there
    await guest.page.fill("#entry", "\u0665\u0660\u0660\u0660")  # in Arabic digits
    await guest.page.click("[data-do=open]")
    told = _plain(await guest.page.inner_text("[data-do=have]"))
    assert told == "You have 1,000 coins. Not enough for this table."
    await guest.page.click("[data-do=close]")
    assert "#/new" in guest.page.url


async def test_whoever_comes_by_takes_a_seat_at_once(place: Site) -> None:
    """He sees the open tables, and sits down under the name that stands in the field."""
    host = await place.guest("سلمى")
    match_id = await host.open(players=2, fill_seconds=60)
    page = await place.page()
    await page.fill("#nickname", "نورة")
    await page.click(f"[data-table='{match_id}'] [data-do=join]")
    await page.wait_for_selector(".seat.mine:has-text('نورة')")
    await host.page.wait_for_selector(".seat:has-text('نورة')")


async def test_a_player_comes_back_to_his_match(place: Site) -> None:
    guest = await place.guest(language="en")
    match_id = await guest.open(**{**QUICK, "step_seconds": 30})
    await guest.page.wait_for_selector(".seats.dealt")
    await guest.page.click(".brand")
    await guest.page.click("[data-do=back]")
    await guest.page.wait_for_selector(".seat.mine")
    assert match_id in guest.page.url
    await guest.page.evaluate("() => history.replaceState(null, '', '/')")
    await guest.page.reload()
    await guest.page.wait_for_selector(".seats.dealt")  # opened anew, it is his match that is shown
    assert match_id in guest.page.url
    await guest.page.evaluate("() => { location.hash = '#/coins' }")
    await guest.page.reload()
    await guest.page.wait_for_selector(".back [data-do=back]:has-text('Ludo')")
    await guest.page.wait_for_function(PRESENT, arg=match_id)  # S.1: wherever he looks
    await guest.page.goto(f"{place.street.url}/verify")  # which has no line of its own
    await guest.page.click(".back [data-do=back]")
    await guest.page.wait_for_selector(".seat.mine")
    assert await guest.page.is_hidden(".back")
    await guest.page.evaluate("() => { location.hash = '#/nonsense' }")
    await guest.page.click("[data-do=lost] a")
    await guest.page.wait_for_selector(".lobby")


async def test_the_focus_stays_where_it_was(place: Site) -> None:
    """Whoever chooses by keyboard is not sent back to the top when the lobby changes."""
    guest = await place.guest()
    match_id = await (await place.guest()).open(players=2, fill_seconds=60)
    await guest.page.focus(f"#watch-{match_id}")
    other = await (await place.guest()).open(players=4, fill_seconds=60)
    await guest.page.wait_for_selector(f"#watch-{other}")
    focus = "() => document.activeElement.id"
    assert await guest.page.evaluate(focus) == f"watch-{match_id}"
    await guest.page.click("#size-4")
    assert await guest.page.evaluate(focus) == "size-4"
    assert await guest.page.get_attribute("#size-4", "aria-pressed") == "true"


async def test_a_player_is_told_what_became_of_his_matches(place: Site) -> None:
    """Prizes, that he left, and of a stop by whom and why: rule M.8."""
    guest = await place.guest(language="en")
    place.archive.tell_all()
    try:
        await guest.page.click("a[href='#/me']")
        rows = guest.page.locator(".card.row")
        await rows.nth(2).wait_for()
        said = [_plain(text) for text in await rows.all_inner_texts()]
        assert "First +180" in said[0]
        assert "Second You left No prize" in said[1]
        assert "Stopped" in said[2]
        await guest.page.click("a[href='#/coins']")
        await guest.page.wait_for_selector(".changes li")
        coins = _plain(await guest.page.inner_text(".changes"))
        assert "Stopped by amal: <b>the power</b> fails" in coins
        assert "a prize of the spring cup" in coins
    finally:
        place.archive.forget()


async def test_an_old_match_says_how_it_ended(place: Site) -> None:
    seated = (
        PastSeat(seat=0, player_id=new_id(), nickname="سالم", bot=True, has_left=True, place=None),
        PastSeat(seat=2, player_id=None, nickname="", bot=True, has_left=False, place=None),
    )
    past = stopped_match(seated)
    place.archive.past[past.match_id] = past
    page = await place.page(language="en")
    await page.evaluate("(id) => { location.hash = `#/table/${id}` }", past.match_id)
    await page.wait_for_selector(".place")
    said = await page.inner_text(".result")
    assert "It stood still for over half an hour." in said
    rows = [_plain(text) for text in await page.locator(".place").all_inner_texts()]
    assert rows == ["سالم Bot Left", "Bot"]


async def test_a_stop_is_told_at_the_table(place: Site) -> None:
    """Whoever plays sees at once by whom and why (rule M.8)."""
    guest = await place.guest(language="en")
    match_id = await guest.open(**{**QUICK, "step_seconds": 30})
    await guest.page.wait_for_selector(".seats.dealt")
    await Operator(place.gateway).stop(match_id)
    await guest.over()
    assert "Stopped by amal: a test" in _plain(await guest.page.inner_text(".result"))
