"""Whole matches at a desk, of any game, and what their records say afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from sahrat import verify
from tests.unit.match.desk import Desk, refold

Act = Callable[[Desk, random.Random], None]
"""Lets the seat on turn do something that it may, or miss its time."""


def play(
    desk: Desk, rng: random.Random, act: Act, *, entry: int = 0, leavers: int = 0, **options: Any
) -> Desk:
    """Play a match to its end; some get up now and then, and at a free table come back."""
    seats = int(options.pop("players", 2))
    if entry:
        desk.coin_table(*range(seats), entry=entry, **options)
    else:
        desk.table_of(*range(seats), **options)
    while desk.match.live:
        if leavers and rng.random() < 0.02:
            leavers -= 1
            desk.leave(rng.randrange(seats))
        elif desk.state.sitters[desk.state.chair_of_seat(desk.state.step_seat)].bot:
            bot = desk.match.game.bot(desk.state.board, "")
            desk.wait(1).send(bot, system="bots", step=desk.state.step)
        else:
            act(desk, rng)
    return desk


def sound(desk: Desk, *drawn: str) -> verify.Report:
    """Verify a match from its records alone. `drawn`: the events that show a roll."""
    report = verify.verify(desk.values)
    assert report.problem == ""
    assert report.secret
    assert report.places == desk.state.places
    assert len(report.draws) == sum(e.type in drawn for r in desk.records for e in r.events)
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state
    return report
