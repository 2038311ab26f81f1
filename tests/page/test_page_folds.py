"""What the page makes of records is what a snapshot of the same moment says, at any table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from sahrat import games
from sahrat.games import wire
from sahrat.match.evolve import fold
from sahrat.match.state import State
from sahrat.match.view import view
from sahrat.messages.codec import encode
from tests.page.site import Site
from tests.property import ludo_tables, pachisi_tables
from tests.property.option_tables import CLOCKS
from tests.unit.match.desk import Desk
from tests.unit.test_verify_carrom import played as carrom
from tests.unit.test_verify_options import played as ludo
from tests.unit.test_verify_pachisi import played as pachisi

Play = Callable[..., Desk]

SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "ludo": ("seats", "pawns", "places", "roll", "movable", "may_decline"),
    "pachisi": ("seats", "pieces", "places", "mover", "open", "choices", "done"),
    "carrom": (
        "board",
        "white",
        "black",
        "places",
        "queen",
        "down",
        "owed",
        "points",
        "score",
        "shots",
        "winner",
    ),
}
"""What the page shows of a board: the turn too while there is one, the mover while he chooses."""
FOLD: Final = """async (texts) => {
  const { fold } = await import('/match/fold.js');
  const { words } = await import('/views/moves.js');
  const { game } = await import('/games/all.js');
  const all = [];
  let state = null;
  for (const text of texts) {
    const record = JSON.parse(text);
    state = fold(state, record);
    all.push({ state, said: words({ record, state, old: false }, game(record.rules)) });
  }
  return all;
}"""
TABLES: Final[list[tuple[str, Play, dict[str, Any]]]] = [
    *(("ludo", ludo, row) for row in ludo_tables.TABLES.covering[::9]),
    *(("pachisi", pachisi, row) for row in pachisi_tables.TABLES.covering[::9]),
    ("carrom", carrom, {"players": "2v2", "last_coin_early": "lose_board"}),
    ("carrom", carrom, {"striker_debt": "carried", "striker_penalty": 2, "coins_each": 6}),
    ("carrom", carrom, {"early_queen_turn": "again", "match": "best_of_3", "coins_each": 6}),
    ("carrom", carrom, {"mode": "points", "players": 3, "striker_debt": "carried"}),
]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.slow
async def test_the_page_folds_records_as_the_house_does(place: Site) -> None:
    """After every record, with all kinds of options, leavers and entries; each is said in words."""
    page = await place.page()
    for number, (name, play, row) in enumerate(TABLES):
        options = {option: value for option, value in row.items() if option not in CLOCKS}
        coin = options.get("finish", "places") == "places" and number % 2 == 0
        desk = play(300 + number, entry=33 * coin, leavers=number % 3, **options)
        found = await page.evaluate(FOLD, [value.decode() for value in desk.values])
        state: State | None = None
        game = games.find(desk.records[0].rules)
        assert game is not None
        for record, seen in zip(desk.records, found, strict=True):
            state = fold(game, state, wire.RECORDS.decode(encode(record)).events)
            due = json.loads(encode(view(game, state)))
            assert _shown(name, seen["state"]) == _shown(name, due), (options, record.seq)
            assert not [line for line in seen["said"] if f"{name}." in line or "said." in line]


def _shown(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """What of a state is shown: its places are those that it has, or else the board's."""
    shown = {key: value for key, value in state.items() if key not in ("coins", "stop", "why")}
    board = shown.pop("board")
    if board is None:
        return shown
    ended = state["phase"] != "playing"
    keys = [key for key in SHOWN[name] if key != "places" or name == "carrom" or not ended]
    shown |= {f"board.{key}": board[key] for key in keys if key != "mover" or board["choices"]}
    return shown | ({} if ended else {"board.turn": board["turn"]})
