"""The Verify page in a real browser: what it says of matches that fit, and of those that do not."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import pytest
import pytest_asyncio
from playwright.async_api import Browser, FilePayload, Page

from sahrat import verify
from sahrat.messages import match as m
from services.gateway.host import Gateway
from tests.integration.gateway_house import memory_house
from tests.page.archive import Archive
from tests.page.hostile import HOSTILE
from tests.servers import missing
from tests.unit.match.desk import Desk
from tests.unit.rules.test_core import play
from tests.unit.test_verify import first_with, rechained, whole_match
from tests.unit.test_verify_carrom import played as shot
from tests.unit.test_verify_options import SHORT, played

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

AXE: Final = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
LOOKS: Final = (
    ("ar", 360, "light", "fits"),
    ("en", 1280, "dark", "fits"),
    ("ar", 1280, "dark", "forged"),
    ("en", 360, "light", "forged"),
)
Lines = Sequence[bytes]


@dataclass
class Site:
    """A gateway with matches to read, and a browser in front of it."""

    browser: Browser
    gateway: Gateway
    archive: Archive

    async def page(self, language: str = "en", width: int = 360, theme: str = "light") -> Page:
        context = await self.browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="reduce",
        )
        kept = json.dumps(["sahrat.language", language])
        await context.add_init_script(f"localStorage.setItem(...{kept})")
        page = await context.new_page()
        await page.goto(f"{self.gateway.url}/verify")
        await page.wait_for_selector("form")
        return page


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(browser: Browser) -> AsyncIterator[Site]:
    archive = Archive()
    async with memory_house() as house:
        gateway = await house.gateway(reads=archive)
        yield Site(browser, gateway, archive)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def phone(site: Site) -> Page:
    return await site.page()


@pytest_asyncio.fixture(loop_scope="session")
async def page(site: Site, phone: Page) -> AsyncIterator[Page]:
    """The page in English, just opened, with a network."""
    await phone.goto("about:blank")
    await phone.goto(f"{site.gateway.url}/verify")
    await phone.wait_for_selector("form")
    yield phone
    await phone.context.set_offline(offline=False)


@pytest.fixture(scope="module")
def lines() -> Lines:
    return whole_match().values


@pytest.fixture(scope="module")
def short() -> Lines:
    return played(810, start="random", players=4, entry=33, **SHORT).values


@pytest.fixture(scope="module")
def stopped() -> Lines:
    """A match of four that was stopped after a few rolls."""
    desk = Desk(n=812)
    desk.table_of(0, 1, 2, 3, start="highest_roll")
    play(desk, seed=8, steps=8)
    desk.send(m.StopMatch(reason="operator", operator="hind", detail="why"), system="operator")
    return desk.values


async def ask(page: Page, text: str) -> str:
    """Ask for a match by what one would paste, and return what the page says."""
    await page.fill("#match", text)
    await page.click("form button")
    return await said(page)


async def choose(page: Page, data: bytes | Lines, name: str = "match.jsonl") -> str:
    """Give the page a file, and return what it says."""
    body = data if isinstance(data, bytes) else b"".join(line + b"\n" for line in data)
    file = FilePayload(name=name, mimeType="application/octet-stream", buffer=body)
    await page.set_input_files("#file", file)
    return await said(page)


async def said(page: Page) -> str:
    """Wait for an outcome; it has the focus, and is read out. Return its text."""
    await page.wait_for_selector("#verdict:focus")
    await page.wait_for_selector("[aria-busy=false]")
    shown = await page.inner_text(".result > :has(#verdict)")
    told = await page.inner_text("[role=status]")
    assert await page.inner_text("#verdict") in told
    await page.evaluate("document.activeElement.blur()")
    return shown


async def stages(page: Page) -> dict[str, str]:
    """Return the stages shown, and how each came out."""
    found = await page.eval_on_selector_all(
        ".stage", "all => all.map(e => [e.querySelector('h2').textContent, e.className])"
    )
    return {title: classes.split()[-1] for title, classes in found}


async def test_C28_a_finished_match_fits_and_again_with_the_network_cut(
    site: Site, page: Page, lines: Lines, short: Lines
) -> None:
    match_id = site.archive.keep(lines)
    report = verify.verify(lines)
    shown = await ask(page, match_id)
    assert "Everything fits" in shown
    assert f"{len(report.draws)} rolls" in shown
    assert f"{len(lines)} records" in shown
    assert {*(await stages(page)).values()} == {"good"}
    assert page.url.endswith(f"/verify#{match_id}")

    await page.context.set_offline(offline=True)
    await page.click("text=Check again")
    assert "Everything fits" in await said(page)
    assert await page.is_visible("text=The house can't be reached right now")
    assert "Everything fits" in await ask(page, f"http://somewhere.example/verify#{match_id}")
    assert "Everything fits" in await choose(page, short)
    await page.click("[data-do=language]")
    await page.wait_for_selector("text=كل شيء مطابق")
    assert "can't be reached" in await ask_in_english(page, "01980f6e-5c00-7b2a-9d3e-4f5061728394")


async def ask_in_english(page: Page, text: str) -> str:
    await page.click("[data-do=language]")
    await page.wait_for_selector("text=Check a match")
    return await ask(page, text)


async def test_a_link_checks_at_once_and_with_the_digest_that_was_seen(
    site: Site, page: Page, short: Lines
) -> None:
    match_id, digest = site.archive.keep(short), verify.verify(short).digest
    link = f"{site.gateway.url}/verify#{match_id}&head={digest}"
    await page.goto(link)
    assert "Everything fits" in await said(page)
    site.archive.keep(short[:-1])  # a moment behind: it is asked again, and has the end by then
    asking = asyncio.create_task(ask(page, link))
    await page.wait_for_event("response", lambda answer: answer.url.endswith("/records"))
    site.archive.keep(short)
    assert "Everything fits" in await asking
    site.archive.keep(short[:-1])  # the end does not come
    assert "not the last one that was seen" in await ask(page, link)


async def test_what_is_shown_is_what_the_roll_was_computed_from(page: Page, short: Lines) -> None:
    """Every roll, its inputs and the faces, against what Python finds."""
    assert "Everything fits" in await choose(page, short)
    report = verify.verify(short)
    await page.click("summary:has-text('one by one')")
    while await page.is_visible("text=/^Show \\d+ more/"):
        await page.click("text=/^Show \\d+ more/")
    faces = await page.eval_on_selector_all(
        ".rolls > li summary strong", "all => all.map(e => Number(e.textContent))"
    )
    assert faces == [draw.shown for draw in report.draws]
    counted = await page.eval_on_selector_all(
        ".faces tbody tr:nth-last-child(2) td", "all => all.map(e => Number(e.textContent))"
    )
    assert counted == [faces.count(face) for face in range(1, 7)]
    asked = next(n for n, draw in enumerate(report.draws) if draw.number)
    await page.click(f".rolls > li:nth-child({asked + 1}) summary")
    inputs = await page.inner_text(f".rolls > li:nth-child({asked + 1})")
    assert report.draws[asked].number in inputs
    secret = orjson.loads(short[-1])["events"][-1]["secret"]
    assert f"hexkey:{secret}" in inputs
    assert re.search(r"\d+ mod 6 \+ 1 = " + str(report.draws[asked].due), inputs)


async def test_a_changed_roll_is_named_though_all_digests_fit(page: Page, lines: Lines) -> None:
    number, at = first_with([*lines], "ludo.rolled", after=40)
    roll = orjson.loads(lines[number - 1])["events"][at]

    def change(n: int, record: Any) -> None:
        if n == number:
            record["events"][at]["value"] = roll["value"] % 6 + 1

    forged = rechained([*lines], change)
    shown = await choose(page, forged)
    assert "Something does not fit" in shown
    assert re.search(rf"Roll {roll['index'] + 1}, .* in record {number}: ", shown)
    assert f"says {roll['value'] % 6 + 1}, but the secret gives {roll['value']}" in shown
    assert verify.verify(forged).problem.startswith(f"record {number}: roll {roll['index']} ")
    assert (await stages(page))["Every roll"] == "bad"
    assert (await stages(page))["The promised secret"] == "good"
    assert await page.is_visible(f".rolls li:has-text('records say {roll['value'] % 6 + 1}')")


async def test_K3_every_shot_is_computed_again_and_one_changed_place_is_named(page: Page) -> None:
    lines = shot(813, players="2v2", bot_level="easy").values
    report = verify.verify(lines)
    shown = await choose(page, lines)
    assert "Everything fits" in shown
    assert f"{report.computed} shots were computed again" in shown
    assert {*(await stages(page)).values()} == {"good"}
    number, at = first_with(lines, "carrom.discs_rested", after=10)

    def change(n: int, record: Any) -> None:
        if n == number:
            record["events"][at]["places"][-1]["y"] //= 2

    shown = await choose(page, rechained(lines, change))
    assert f"Record {number}: the shot does not end as it says." in shown
    assert (await stages(page))["Every shot"] == "bad"


async def test_a_changed_record_is_named(page: Page, lines: Lines) -> None:
    changed = [*lines[:49], lines[49].replace(b'"seat":0', b'"seat":2', 1), *lines[50:]]
    assert changed != [*lines]
    shown = await choose(page, changed)
    assert "Record 50 was changed" in shown
    assert verify.verify(changed).problem.startswith("record 50 was changed")
    outcome = await stages(page)
    assert outcome.pop("The chain of records") == "bad"
    assert {*outcome.values()} == {"open"}


async def test_a_match_that_is_not_over_fits_so_far(page: Page, lines: Lines) -> None:
    shown = await choose(page, lines[:60])
    assert "Fits so far" in shown
    assert (await stages(page))["The chain of records"] == "good"
    assert orjson.loads(lines[0])["events"][0]["commitment"] in await page.inner_text(".result")


async def test_a_match_that_was_stopped_or_never_begun_is_checked(
    page: Page, stopped: Lines
) -> None:
    assert "Everything fits" in await choose(page, stopped)
    closed = Desk(n=811)
    closed.open()
    closed.leave(0)
    shown = await choose(page, closed.values)
    assert "Everything fits" in shown
    assert "before the first roll" in shown


async def test_what_can_t_be_checked_is_told(site: Site, page: Page, short: Lines) -> None:
    match_id = site.archive.keep(short)
    unknown = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
    assert "no link and no id" in await ask(page, "my match of yesterday")
    assert "no such match" in await ask(page, unknown)
    await page.evaluate("() => { location.hash = '#a-broken-link' }")
    await page.wait_for_selector("text=no link and no id")
    site.archive.is_away = True
    assert "archive is away" in await ask(page, match_id)
    site.archive.is_away = False
    await page.click("text=Check again")
    assert "Everything fits" in await said(page)
    assert "no file of a match" in await choose(page, b"\x89PNG\r\n\x1a\n" * 100)
    assert "empty" in await choose(page, b"")
    await page.context.set_offline(offline=True)
    assert "can't be reached" in await ask(page, unknown)


@pytest.mark.parametrize("language", ["ar", "en"])
async def test_hostile_nicknames_are_text(site: Site, language: str, stopped: Lines) -> None:
    """Threat T14: what a player calls himself makes no element and runs nothing."""
    page = await site.page(language)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    elements = "() => [...document.querySelectorAll('*')].map(e => e.localName).sort().join()"
    seen = []
    assert len({*HOSTILE}) == 30
    all_names = ["a", "b", "c", "d", *HOSTILE, "e", "f"]
    for names in (all_names[at : at + 4] for at in range(0, len(all_names), 4)):
        chosen = iter(names)

        def rename(_: int, record: Any, chosen: Any = chosen) -> None:
            for event in record["events"]:
                if event["type"] == "seat.taken":
                    event["nickname"] = next(chosen)

        await choose(page, rechained([*stopped], rename))
        assert {*(await stages(page)).values()} == {"good"}
        for summary in await page.query_selector_all(".stage > details > summary"):
            await summary.click()
        shown = await page.eval_on_selector_all(".who bdi", "all => all.map(e => e.textContent)")
        assert {*names} == {*shown}
        seen.append(await page.evaluate(elements))
    assert len({*seen}) == 1
    assert dialogs == []
    await page.context.close()


@pytest.mark.parametrize(("language", "width", "theme", "match"), LOOKS)
async def test_everybody_can_use_it(
    site: Site, stopped: Lines, language: str, width: int, theme: str, match: str
) -> None:
    """No serious finding of axe, nothing that is wider than the screen, targets for a thumb."""
    if not AXE.exists():
        missing("axe-core", "`npm ci` in tests/page installs it")
    page = await site.page(language, width, theme)
    number, at = first_with([*stopped], "ludo.rolled", after=6)

    def change(n: int, record: Any) -> None:
        if n == number:
            record["events"][at]["value"] = record["events"][at]["value"] % 6 + 1

    await page.evaluate(AXE.read_text(encoding="utf-8"))
    records = stopped if match == "fits" else rechained([*stopped], change)
    for shown in ("start", "result"):
        if shown == "result":
            await choose(page, records)
            for summary in await page.query_selector_all(".stage > details > summary"):
                await summary.click()
        found = await page.evaluate(
            "async () => (await axe.run({ resultTypes: ['violations'] })).violations"
        )
        serious = [v for v in found if v["impact"] in ("serious", "critical")]
        assert not serious, [(v["id"], v["nodes"][0]["html"]) for v in serious]
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        small = await page.eval_on_selector_all(
            "main button, main summary, main .button, main input:not([type=file])",
            "all => all.filter(e => e.offsetParent && e.getBoundingClientRect().height < 44)"
            ".map(e => e.outerHTML)",
        )
        assert not small
    await page.context.close()


async def test_the_keyboard_suffices(site: Site, page: Page, short: Lines) -> None:
    match_id = site.archive.keep(short)
    await page.focus("#match")
    await page.keyboard.type(match_id)
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#verdict:focus")
    for _ in range(30):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.localName") == "summary":
            break
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.parentElement.open")
    await page.keyboard.press("Shift+Tab")
    assert await page.inner_text("*:focus") == "Keep the file"


async def test_a_file_can_be_dropped_anywhere(page: Page, short: Lines) -> None:
    drop = """(text) => {
        const files = new DataTransfer();
        files.items.add(new File([text], "match.jsonl"));
        const bubbles = { bubbles: true, cancelable: true, dataTransfer: files };
        return document.body.dispatchEvent(new DragEvent("drop", bubbles));
    }"""
    text = b"".join(line + b"\n" for line in short).decode()
    assert not await page.evaluate(drop, text), "the browser would open the file itself"
    assert "Everything fits" in await said(page)


async def test_a_file_that_is_kept_is_the_match(site: Site, page: Page, short: Lines) -> None:
    await ask(page, site.archive.keep(short))
    async with page.expect_download() as download:
        await page.click("text=Keep the file")
    saved = await (await download.value).path()
    assert saved.read_bytes() == b"".join(line + b"\n" for line in short)
