"""A house with bots, a browser in front of it, and the people who use the page."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.async_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    WebSocketRoute,
    async_playwright,
)
from playwright.async_api import Error as BrowserError

from sahrat import games
from sahrat.games import wire
from sahrat.match.evolve import fold
from sahrat.match.state import State
from sahrat.messages.base import Message
from sahrat.messages.envelope import Record
from sahrat.runtime.ids import new_id
from services.bots.host import Bots
from services.gateway.host import Gateway
from services.gateway.sessions import Limits
from tests.integration.gateway_house import PATIENT_S, House, memory_house
from tests.page.archive import Archive
from tests.page.browser import arguments
from tests.page.browser import chromium as installed
from tests.page.street import Street
from tests.servers import missing

PLAYER: Final = Path(__file__).with_name("player.js").read_text(encoding="utf-8")
PHONE: Final = ViewportSize(width=360, height=740)
DESKTOP: Final = ViewportSize(width=1280, height=800)
BUSY_S: Final = 240.0  # a machine that also runs other tests may need so long for a whole match
QUICK: Final[dict[str, Any]] = {"pawns_to_win": 1, "pawns_out": 1, "fill_seconds": 5}
"""Options with which a match is over soon."""

_numbers = itertools.count(1)


@dataclass
class Guest:
    """Somebody with a browser of his own."""

    page: Page
    nickname: str

    async def come_in(self) -> None:
        """Become a player by the page's own form, and be in the lobby with a line."""
        await self.page.evaluate("() => import('/net/house.js').then((m) => (window.sahrat = m))")
        await self.page.evaluate("(name) => window.sahrat.house.become(name)", self.nickname)
        await self.page.wait_for_function("() => window.sahrat.house.greeted")

    async def open(self, entry_coins: int = 0, *, game: str = "ludo", **options: Any) -> str:
        """Open a table, sit down and see it; return the match's id."""
        match_id: str = await self.page.evaluate(
            "([game, options, coins]) => window.sahrat.house.open(game, options, coins)",
            [game, options, entry_coins],
        )
        await self.to_table(match_id)
        return match_id

    async def join(self, match_id: str) -> None:
        """Come to a table by its link, and sit down by the button."""
        await self.to_table(match_id)
        await self.page.click("[data-do=join]")

    async def to_table(self, match_id: str) -> None:
        await self.page.evaluate("(id) => { location.hash = `#/table/${id}` }", match_id)
        await self.page.wait_for_selector(".picture")

    async def plays(self, yes: bool = True) -> None:
        """Press what is offered from now on, as soon as it is; or no more."""
        await self.page.evaluate("(yes) => { window.plays = yes }", yes)
        if yes:
            await self.page.evaluate("() => document.body.classList.toggle('looked-at')")

    async def over(self) -> None:
        """Wait until the page says that the match is over."""
        await self.page.wait_for_selector("[data-do=result]", timeout=BUSY_S * 1000)

    async def drawn(self, seq: int) -> None:
        """Wait until a record is drawn."""
        await self.page.wait_for_function(
            "(seq) => Number(document.querySelector('.board')?.dataset.seq) >= seq", arg=seq
        )

    async def boards(self) -> dict[int, list[list[int]]]:
        """Every board that was drawn, by the number of its record."""
        seen = await self.page.evaluate("() => window.seen")
        return {one["seq"]: one["pieces"] for one in seen}


@dataclass
class Site:
    """The house, the way to it, and the browser.

    Attributes:
        street: What lies between them, for a test to cut.
        archive: Its read models.
        faults: What failed in any page.
    """

    house: House
    gateway: Gateway
    street: Street
    archive: Archive
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    async def guest(self, nickname: str = "", **kw: Any) -> Guest:
        """Somebody new, in the lobby."""
        guest = Guest(await self.page(**kw), nickname or f"ضيفة {next(_numbers)}")
        await guest.come_in()
        return guest

    async def page(
        self,
        language: str = "ar",
        theme: str = "light",
        size: ViewportSize = PHONE,
        *,
        motion: bool = False,
        beside: bool = False,
    ) -> Page:
        """The page in a new browser profile, loaded; `beside`: not by the street that is cut."""
        context = await self.browser.new_context(
            viewport=size,
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="no-preference" if motion else "reduce",
        )
        context.set_default_timeout(PATIENT_S * 1000)
        self.contexts.append(context)
        key = json.dumps("sahrat.language")
        await context.add_init_script(
            f"localStorage.getItem({key}) ?? localStorage.setItem({key}, {json.dumps(language)})"
        )
        await context.add_init_script(PLAYER)
        page = await context.new_page()
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        await page.goto(self.gateway.url if beside else self.street.url)
        await page.wait_for_selector("h1")
        return page

    async def meddle(self, page: Page, change: Callable[[str], str]) -> None:
        """Sit between a page and the house: it hears what `change` makes of each message."""

        def between(line: WebSocketRoute) -> None:
            def hand_on(message: str | bytes) -> None:
                line.send(change(message if isinstance(message, str) else message.decode()))

            line.connect_to_server().on_message(hand_on)

        await page.route_web_socket("**/play", between)

    async def clear(self) -> None:
        """Send everybody home."""
        while self.contexts:
            await self.contexts.pop().close()
        self.street.mend()

    async def records(self, match_id: str) -> list[Record[Message]]:
        """A match's records, as the log has them."""
        return [wire.RECORDS.decode(value) for value in await self.house.records(match_id)]

    async def folded(self, match_id: str) -> list[State]:
        """A match after each of its records, as the log has them."""
        states: list[State] = []
        state: State | None = None
        for record in await self.records(match_id):
            game = games.find(record.rules)
            assert game is not None
            state = fold(game, state, record.events)
            states.append(state)
        return states


def pieces(state: State) -> list[list[int]]:
    """Where the pieces of a match stand, by seat."""
    board: Any = state.board
    if board is None:
        return [[], [], [], []]
    return [list(seat) for seat in (board.pieces if hasattr(board, "pieces") else board.pawns)]


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run the Chromium that is installed; Playwright's own is not downloaded."""
    program = installed()
    if program is None:
        missing("Chromium", "it shows the page")
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(executable_path=program, args=arguments())
        except BrowserError as fault:
            missing("Chromium", fault)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def site(browser: Browser) -> AsyncIterator[Site]:
    """Run a house whose bots do not think, and a street to it."""
    async with memory_house() as house:
        house.start("bots", Bots(house.log, 0, new_id))
        house.wallet()
        limits = Limits(rate=1000, lag_s=PATIENT_S, welcome_coins=1000)
        archive = Archive()
        gateway = await house.gateway(limits=limits, reads=archive)
        street = Street(gateway.port)
        await street.start()
        try:
            yield Site(house, gateway, street, archive, browser)
        finally:
            await street.close()
