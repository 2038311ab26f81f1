"""What people bring to the page: names, other devices, and coins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import pytest

from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.envelope import Record
from sahrat.runtime.ids import new_id
from services.gateway.lobby import RUNNING
from services.gateway.messages import PastMatch, PastSeat
from tests.integration.gateway_house import PATIENT_S
from tests.integration.operator import Operator
from tests.integration.phone import Phone
from tests.page.archive import stopped_match
from tests.page.hostile import HOSTILE
from tests.page.site import QUICK, Guest, Site

LOOK_S: Final = 0.05
IS_AT: Final = "(url) => location.href === url"
SEEN: Final = """(what) => {
  const box = document.querySelector(what).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}"""

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_T14_C32_hostile_nicknames_are_text(place: Site) -> None:
    """In the lobby, at the table, in what happened and at the end, in both directions."""
    assert len({*HOSTILE}) == 30
    past = _past(HOSTILE)
    place.archive.past[past.match_id] = past
    for language, mine, other in (("ar", HOSTILE[0], HOSTILE[23]), ("en", HOSTILE[7], HOSTILE[24])):
        guest = await place.guest(mine, language=language)
        hosts = await _hostile_tables(place)  # anew: bots take the free seats after a minute
        await _shows(guest, ".table-card", {*HOSTILE[25:]})
        await _shows(guest, ".running-card", {*HOSTILE})
        assert {*await _names(guest, ".running-card")} == {*HOSTILE}
        await guest.join(hosts[other][1])
        await guest.page.wait_for_selector(".seats.dealt")
        assert sorted(await _names(guest, ".seat")) == sorted([mine, other])
        lines = await guest.page.locator(".moves li").all_inner_texts()
        assert any(other in line for line in lines)
        await _nothing_ran(guest)
        await Operator(place.gateway).stop(hosts[other][1])
        await guest.over()
        await guest.page.evaluate("(id) => { location.hash = `#/table/${id}` }", past.match_id)
        await guest.page.wait_for_selector(".place")
        assert await _names(guest, ".place") == [*HOSTILE]
        await _nothing_ran(guest)
        await guest.page.click("a[href='#/me']")
        assert await guest.page.inner_text("main h1") == mine
        await _nothing_ran(guest)
        for phone, match_id in hosts.values():  # or bots would play all these matches
            await phone.wish("leave", match_id=match_id)
            await phone.close()


async def _hostile_tables(place: Site) -> dict[str, tuple[Phone, str]]:
    """A table for each of these names; all of them play at the newest of them that are full."""
    hosts: dict[str, tuple[Phone, str]] = {}
    slow = {**QUICK, "fill_seconds": 60, "step_seconds": 30}
    for name in HOSTILE:
        phone = await place.house.phone(place.gateway, name)
        await phone.wish("open", game="ludo", options=slow)
        opened = await phone.until(lambda frame: "events" in frame)
        hosts[name] = phone, opened["match_id"]
    for at in range(RUNNING):
        phone, match_id = hosts[HOSTILE[at + len(HOSTILE) - RUNNING]][0], hosts[HOSTILE[at]][1]
        await phone.record(match_id, await phone.wish("join", match_id=match_id))
    return hosts


def _past(names: Sequence[str]) -> PastMatch:
    """A match that is long over, at which all of these sat down."""
    seated = [
        PastSeat(seat=None, player_id=new_id(), nickname=n, bot=False, has_left=True, place=None)
        for n in names
    ]
    return stopped_match(tuple(seated))


async def _shows(guest: Guest, where: str, names: set[str]) -> None:
    async with asyncio.timeout(PATIENT_S):
        while not names <= {*await _names(guest, where)}:
            await asyncio.sleep(LOOK_S)


async def _names(guest: Guest, where: str) -> list[str]:
    return await guest.page.locator(f"{where} .name").all_inner_texts()


async def _nothing_ran(guest: Guest) -> None:
    assert await guest.page.evaluate("() => window.ran") == 0
    foreign = "bdi *, .moves span *, main script, main img, main iframe, main b, main i"
    assert await guest.page.locator(foreign).count() == 0


async def test_another_device_is_the_same_player(place: Site) -> None:
    """By the code that was written down, whatever became of its hyphens and capitals."""
    first = await place.guest("هدى")
    await first.page.click("a[href='#/me']")
    await first.page.click("[data-do=code]")
    code = await first.page.inner_text(".secret")
    other = await place.page(language="en")
    await other.click("a[href='#/me']")
    await other.fill("#code", code.replace("-", " ").lower()[:-1] + "?")
    await other.fill("#nickname", "Huda")
    await other.click("[data-do=recover]")
    await other.wait_for_selector(".notice.bad:not([hidden])")
    await other.fill("#code", code.replace("-", " ").lower())
    await other.click("[data-do=recover]")
    await other.wait_for_selector("a[href='#/coins']")
    kept = "() => JSON.parse(localStorage.getItem('sahrat.account')).player_id"
    assert await other.evaluate(kept) == await first.page.evaluate(kept)
    assert code not in first.page.url


async def test_P_a_coin_table_tells_and_asks_first(place: Site) -> None:
    """What an entry costs and how it can be lost is told before a seat; leaving asks (S.3)."""
    host, guest = await place.guest(), await place.guest(language="en")
    match_id = await host.open(100, **QUICK)
    await guest.to_table(match_id)
    await guest.page.click("[data-do=join]")
    told = await guest.page.inner_text("dialog")
    for word in ("100", "20", "180", "60 seconds", "never sold", "No bot", "whole entry back"):
        assert word in told
    await guest.page.click("dialog [data-do=no]")
    assert len(_sitters(await place.records(match_id))) == 1
    await guest.page.click("[data-do=join]")
    await guest.page.click("dialog [data-do=yes]")
    await guest.page.wait_for_selector(".seats.dealt")
    await guest.page.click("[data-do=leave]")
    assert "100" in await guest.page.inner_text("dialog")
    await guest.page.click("dialog [data-do=no]")
    await guest.page.click("[data-do=leave]")
    await guest.page.click("dialog [data-do=yes]")
    await host.over()
    assert "+" in await host.page.inner_text(".place[data-place='1']")
    await host.page.wait_for_function("() => window.sahrat.house.wallet.available_coins === 1080")
    assert "−100" in await guest.page.inner_text("[data-do=change]")
    await host.page.wait_for_function(SEEN, arg="[data-do=verify]")  # without scrolling, on a phone
    await host.page.click("[data-do=again]")
    cost = await host.page.inner_text("dialog")  # before he sits down
    assert "\u0661\u0660\u0660" in cost
    await host.page.click("dialog [data-do=yes]")
    await host.page.wait_for_selector(".seat.vacant")
    await guest.page.click("[data-do=again]")
    await guest.page.click("dialog [data-do=yes]")
    await guest.page.wait_for_function(IS_AT, arg=host.page.url)  # they play each other once more
    await guest.page.wait_for_selector(".seats.dealt")


def _sitters(records: Sequence[Record[Message]]) -> list[m.SeatTaken]:
    found = [event for record in records for event in record.events]
    return [event for event in found if isinstance(event, m.SeatTaken)]


async def test_the_newest_device_has_the_seat(place: Site) -> None:
    """C21: the older one is told, sees the match go on, and may take the seat back."""
    first = await place.guest(language="en")
    match_id = await first.open(players=2, fill_seconds=60)
    other = await first.page.context.new_page()
    await other.goto(f"{place.street.url}/#/table/{match_id}")
    await other.wait_for_selector(".seat.mine")
    back = first.page.get_by_role("button", name="Take it here")
    await back.click()
    await other.get_by_role("button", name="Take it here").wait_for()
    await back.wait_for(state="detached")


async def test_T13_a_token_that_is_no_good_is_renewed(place: Site) -> None:
    """By the key that the device keeps; a house that does not know the key says so."""
    guest = await place.guest(language="en")
    spoil = """(part) => {
      const account = JSON.parse(localStorage.getItem('sahrat.account'));
      account[part] = account[part].replace(/[0-9a-f]/g, '0');
      localStorage.setItem('sahrat.account', JSON.stringify(account));
    }"""
    await guest.page.evaluate(spoil, "token")
    await guest.page.reload()
    await guest.page.wait_for_selector("a[href='#/coins']:has-text('1,000')")
    await guest.page.evaluate(spoil, "token")
    await guest.page.evaluate(spoil, "account_key")
    await guest.page.reload()
    await guest.page.locator("#line", has_text="does not know your account").wait_for()
    await guest.page.click("#line a")
    await guest.page.click("[data-do=forget]")
    await guest.page.click("dialog [data-do=yes]")
    await guest.page.wait_for_selector("#nickname")
    assert await guest.page.evaluate("() => localStorage.getItem('sahrat.account')") is None


async def test_a_link_shows_a_match_to_whoever_has_it(place: Site) -> None:
    """He sees what the players see, sits nowhere, and can press nothing of theirs."""
    host = await place.guest()
    match_id = await host.open(players=3, **QUICK)
    stranger = await place.page(language="en")
    await stranger.goto(f"{place.street.url}/#/table/{match_id}")
    await stranger.reload()
    await stranger.evaluate("() => { location.hash = '#/' }")
    offered = await stranger.input_value("#nickname")
    await stranger.evaluate("(id) => { location.hash = `#/table/${id}` }", match_id)
    assert offered in await stranger.inner_text("[data-do=guest]")
    await stranger.click("[data-do=guest]")
    await stranger.wait_for_selector(".table-bar .tag:has-text('watching')")
    await host.plays()
    await host.over()
    await Guest(stranger, "").over()
    assert "watching" in await stranger.inner_text(".table-bar")
    assert await stranger.locator(".seat.mine, .thrower.ready, [data-do=leave]").count() == 0
    states = await place.folded(match_id)
    await Guest(stranger, "").drawn(len(states))
    assert await stranger.locator(".place").count() == len(states[-1].places)


async def test_an_account_comes_back_by_itself(place: Site) -> None:
    """Whoever loads the page again is who he was, and in the match that is on."""
    guest = await place.guest()
    match_id = await guest.open(players=2, fill_seconds=60)
    await guest.page.goto(place.street.url + "/#/")
    await guest.page.reload()
    await guest.page.wait_for_selector(".picture")
    assert match_id in guest.page.url
    again = Guest(guest.page, guest.nickname)
    assert guest.nickname in await again.page.inner_text(".seat.mine")
