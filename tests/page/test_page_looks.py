"""What the page looks like to everybody: every view, both languages, a phone and a desktop."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from playwright.async_api import Page

from sahrat import games
from sahrat.games.pachisi.options import PRESETS
from services.gateway import static_files
from tests.integration.gateway_house import table
from tests.page.site import DESKTOP, PHONE, QUICK, Guest, Site
from tests.servers import missing

HERE: Final = Path(__file__).parent
STATIC: Final = HERE.parents[1] / "services/gateway/static"
AXE: Final = HERE / "node_modules/axe-core/axe.min.js"
TSC: Final = HERE / "node_modules/typescript/bin/tsc"
FIRST_TABLE_BYTES: Final = 200_000  # transferred until the first table is shown, fonts apart
TOUCH: Final = 44  # px
VIEWS: Final = ("#/", "#/new", "#/coins", "#/me", "#/help")

TOO_WIDE: Final = """() => {
  const clipped = [...document.querySelectorAll('main *, header *')].filter((one) => {
    const style = getComputedStyle(one);
    return one.scrollWidth > one.clientWidth + 1 && style.overflowX === 'hidden'
      && style.clipPath === 'none' && !one.closest('.name, .hidden-text');
  });
  const root = document.documentElement;
  const broken = [...document.querySelectorAll('.bar span')].filter((one) =>
    getComputedStyle(one).display === 'inline' && one.getClientRects().length > 1);
  clipped.push(...broken);
  const wide = root.scrollWidth > innerWidth ? [`page ${root.scrollWidth}`] : [];
  return [...wide, ...clipped.map((one) => one.outerHTML.slice(0, 200))];
}"""
AXE_RUN: Final = """async ([theme, rules]) => {
  document.documentElement.dataset.theme = theme;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await Promise.allSettled(document.getAnimations().map((one) => one.finished));
  const options = { resultTypes: ['violations'] };
  if (rules) options.runOnly = { type: 'rule', values: rules };
  return (await axe.run(options)).violations;
}"""
PRESS: Final = "() => document.querySelector('.choice, .thrower.ready')?.click()"
TOO_SMALL: Final = f"""() =>
  [...document.querySelectorAll('button, summary, select, input, .button, header a')]
    .filter((one) => one.checkVisibility() && !one.closest('.skip'))
    .filter((one) => one.getBoundingClientRect().height < {TOUCH} - 0.5)
    .map((one) => one.outerHTML.slice(0, 200))"""


async def _look(page: Page, what: str) -> list[str]:
    """Return what is wrong with what a page shows now, in both themes and sizes; axe is there."""
    wrong: list[str] = []
    for size in (DESKTOP, PHONE):
        await page.set_viewport_size(size)
        name = f"{what}, {size['width']} px"
        wrong += [f"{name}: too wide: {one}" for one in await page.evaluate(TOO_WIDE)]
        wrong += [f"{name}: too small: {one}" for one in await page.evaluate(TOO_SMALL)]
    for theme, rules in (("light", None), ("dark", ["color-contrast"])):
        found: list[Any] = await page.evaluate(AXE_RUN, [theme, rules])
        wrong += [
            f"{what}, {theme}: {one['nodes'][0]['failureSummary']}: {one['nodes'][0]['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
    return wrong


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.slow
@pytest.mark.parametrize("language", ["ar", "en"])
async def test_every_view_is_for_everybody(place: Site, language: str) -> None:
    if not AXE.exists():
        missing("axe-core", "`npm ci` in tests/page installs it")
    match_id, phones = await table(place.house, place.gateway, players=2, step_seconds=30)
    waiting = await place.house.phone(place.gateway, "ليلى")
    await waiting.wish("open", game="pachisi", options=dict(PRESETS["seven"]), entry_coins=100)
    place.archive.tell_all()
    page = await place.page(language)
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    await page.wait_for_selector(".running-card")
    wrong = await _look(page, "welcome")
    guest = Guest(page, "سلمى ذات الاسم الطويل"[:20])
    await guest.come_in()
    for view in VIEWS:
        await page.evaluate("(view) => { location.hash = view }", view)
        await page.wait_for_selector("main h1")
        await page.wait_for_function("() => !document.querySelector('main .loading')")
        for summary in await page.query_selector_all("main summary"):
            await summary.click()
        wrong += await _look(page, view)
    await guest.open(**{**QUICK, "pawns_out": 4})
    wrong += await _look(page, "an open table")
    await page.wait_for_selector(".thrower.ready, .choice")
    wrong += await _look(page, "a table in play")
    await page.click("[data-do=rules]")
    await page.wait_for_selector("dialog")
    wrong += await _look(page, "the rules of a table")
    await page.keyboard.press("Escape")
    await guest.plays()
    await guest.over()
    wrong += await _look(page, "the end")
    await guest.plays(yes=False)
    seven: dict[str, Any] = {**PRESETS["seven"], "fill_seconds": 5}
    await guest.open(game="pachisi", **seven)
    await page.wait_for_selector(".thrower.ready")
    wrong += await _look(page, "pachisi, a throw")
    while not await page.locator(".open-throw").count():
        await page.wait_for_selector(".thrower.ready, .choice")
        await page.evaluate(PRESS)
    wrong += await _look(page, "pachisi, choices")
    await guest.open(game="carrom", fill_seconds=5)
    await page.wait_for_selector(".shoot.ready")
    wrong += await _look(page, "carrom, a shot")
    place.street.cut()
    await page.wait_for_selector("#line:not([hidden])")
    wrong += await _look(page, "a lost line")
    place.archive.forget()
    for phone in phones:
        await phone.wish("leave", match_id=match_id)
    await waiting.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.slow
async def test_the_first_table_is_small(place: Site) -> None:
    """What is transferred until a table is shown to somebody new, fonts apart."""
    page = await place.page()
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: dict[str, int] = {}
    kinds: dict[str, str] = {}
    session.on("Network.responseReceived", lambda m: kinds.update({m["requestId"]: m["type"]}))
    session.on(
        "Network.loadingFinished",
        lambda m: sizes.update({m["requestId"]: int(m["encodedDataLength"])}),
    )
    await page.reload()
    await page.click("[data-do=play]")
    await page.wait_for_selector(".picture")
    spent = sum(size for at, size in sizes.items() if kinds.get(at) != "Font")
    assert len(sizes) > len(VIEWS)  # they were counted
    assert spent < FIRST_TABLE_BYTES


def test_the_types_hold() -> None:
    node = shutil.which("node")
    if node is None or not TSC.exists():
        missing("tsc", "`npm ci` in tests/page installs it, for node")
    command = [node, str(TSC), "--project", str(HERE / "tsconfig.json")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def _words() -> dict[str, dict[str, Any]]:
    """Every language file, its texts by their whole key; plurals as {category: text}."""
    script = """
      const flat = (tree, at) => Object.entries(tree).flatMap(([key, value]) =>
        typeof value === 'string' ? [[at + key, value]]
        : 'other' in value && !('name' in value) && at !== 'refused.' && key !== 'refused'
          ? [[at + key, value]] : flat(value, `${at}${key}.`));
      const found = {};
      for (const path of process.argv.slice(1)) {
        const name = path.split('/').at(-1).split('.')[0];
        const words = (await import(path)).default;
        const categories = new Intl.PluralRules(name).resolvedOptions().pluralCategories;
        found[name] = { words: Object.fromEntries(flat(words, '')), categories };
      }
      console.log(JSON.stringify(found));
    """
    node = shutil.which("node") or missing("node", "it reads the language files")
    paths = [str(path) for path in sorted((STATIC / "lang").glob("*.js"))]
    command = [node, "--input-type=module", "--eval", script, *paths]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, dict[str, Any]] = json.loads(said.stdout)
    return found


def _blanks(text: str | dict[str, str]) -> set[str]:
    whole = text if isinstance(text, str) else " ".join(text.values())
    return set(re.findall(r"\{(\w+)\}", whole))


def test_every_language_has_every_text() -> None:
    """The same keys, with the same blanks to fill in, and every plural that the language has."""
    found = _words()
    assert {"ar", "en"} <= found.keys()
    for name, language in found.items():
        for other in found.values():
            assert language["words"].keys() == other["words"].keys()
        for key, text in language["words"].items():
            if isinstance(text, dict):
                needed = {one for one in language["categories"] if one != "zero"}
                assert (name, key, needed - text.keys()) == (name, key, set())
            else:
                assert (key, _blanks(text)) == (key, _blanks(found["ar"]["words"][key]))


def test_arabic_has_one_kind_of_digits() -> None:
    """What is no name, such as SHA-256 or a match's id, has those of the page's numbers."""
    for key, text in _words()["ar"]["words"].items():
        for said in (text,) if isinstance(text, str) else text.values():
            own = re.sub(r"\{\w+\}|[\w\u2011-]*[A-Za-z][\w\u2011-]*", "", said, flags=re.ASCII)
            assert not re.search("[0-9]", own), (key, said)


def test_every_option_is_told_in_every_language() -> None:
    """P5: a name and a sentence for each, words for its values and for presets."""
    shown = {path.stem for path in (STATIC / "games").glob("*.js")} - {"all"}
    assert {"ludo", "pachisi"} <= shown
    for language in _words().values():
        words = language["words"]
        for name in shown:
            game = games.current(name)
            assert game is not None
            for preset in game.options.presets:
                assert {f"{name}.preset.{preset}.{part}" for part in ("name", "help")} <= {*words}
            for option, field in game.options.model_fields.items():
                own, common = f"{name}.option.{option}", f"option.{option}"
                at = own if f"{own}.name" in words else common
                assert words[f"{at}.name"]
                assert words[f"{at}.help"]
                for value in get_args(field.annotation):
                    if isinstance(value, str):
                        assert f"{at}.values.{value}" in words or f"value.{value}" in words


def test_every_text_that_the_page_asks_for_is_there() -> None:
    words = _words()["ar"]["words"]
    asked = {
        key
        for path in STATIC.rglob("*.js")
        if path.parent.name not in ("lang", "carrom")
        for key in re.findall(r'\bt\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert len(asked) > 100
    assert asked <= words.keys()


def test_no_file_makes_markup_of_text() -> None:
    """Threat T14: the page has no way to make an element of what somebody wrote."""
    for path, file in static_files.files().items():
        if path.endswith(".js"):
            text = file.body.decode()
            assert not re.findall(
                r"(inner|outer)HTML|insertAdjacent|document\.write|\beval\(", text
            ), path
