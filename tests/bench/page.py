"""How quick the page is, in a real browser, also on a CPU slowed four times, as a cheap phone's is.

From the line's beginning until a match in play is drawn, for whoever comes back to it; and the
frames that are drawn while a pawn walks six squares.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from tests.bench.ask import Ask
from tests.bench.places import LogKind
from tests.bench.processes import Failed
from tests.bench.report import Report, Row
from tests.page.browser import chromium
from tests.page.site import Guest, site
from tests.page.site import chromium as started

PAGE: Final = "page"
SLOWED: Final = (1, 4)
TIMES: Final = 7
WATCH: Final = """
  window.sent = 0;
  window.shown = 0;
  window.WebSocket = class extends WebSocket {
    constructor(...about) {
      super(...about);
      window.sent = performance.now();
    }
  };
  new MutationObserver(() => {
    if (!window.shown && document.querySelector('.board[data-seq]')) {
      requestAnimationFrame(() => { window.shown ||= performance.now(); });
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-seq'] });
"""
WALK: Final = """async () => {
  const { Pieces } = await import('/games/parts/pieces.js');
  const { GROUND } = await import('/games/ludo/view.js');
  const pawns = new Pieces(GROUND, () => {});
  pawns.show([[0, -1, -1, -1], [], [], []]);
  document.querySelector('svg.picture').append(pawns.layer);
  let [frames, walking] = [0, true];
  const count = () => {
    frames += 1;
    if (walking) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  const begun = performance.now();
  await pawns.walk(0, 0, 0, 6);
  walking = false;
  pawns.layer.remove();
  return (1000 * frames) / (performance.now() - begun);
}"""


def page(ask: Ask, kind: LogKind, report: Report) -> None:
    """Measure one table; without a log."""
    del ask, kind
    if chromium() is None:
        raise Failed("there is no Chromium here")
    report.add(*asyncio.run(_measured()))


async def _measured() -> list[Row]:
    rows: list[Row] = []
    async with _guest() as guest:
        match_id = await guest.open(players=2, fill_seconds=60)
        devtools = await guest.page.context.new_cdp_session(guest.page)
        await guest.page.add_init_script(WATCH)
        for slowed in SLOWED:
            await devtools.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
            cpu = "" if slowed == 1 else f", CPU slowed {slowed} times"
            times_ms = [await _shown(guest, match_id) for _ in range(TIMES)]
            note = f"median of {TIMES}, {max(times_ms):.0f} at worst"
            rows.append(_row(f"a table drawn{cpu}", statistics.median(times_ms), "ms", note))
            frames = [float(await guest.page.evaluate(WALK)) for _ in range(TIMES)]
            note = f"median of {TIMES}, {min(frames):.0f} at worst"
            rows.append(_row(f"while a pawn walks{cpu}", statistics.median(frames), "fps", note))
    return rows


def _row(name: str, value: float, unit: str, note: str) -> Row:
    return Row(PAGE, "", name, value, unit, note=note)


@asynccontextmanager
async def _guest() -> AsyncIterator[Guest]:
    async with started() as browser, site(browser) as place:
        yield await place.guest(motion=True)
        await place.clear()


async def _shown(guest: Guest, match_id: str) -> float:
    """Return how many milliseconds passed from the line's beginning until the table was drawn."""
    await guest.page.reload()
    await guest.page.wait_for_function("() => window.shown > 0")
    assert match_id in guest.page.url
    took_ms: float = await guest.page.evaluate("() => window.shown - window.sent")
    return took_ms
