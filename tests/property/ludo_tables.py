"""Tables of Ludo with all kinds of options: drawn, dealt evenly, and every two values together."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from hypothesis import strategies as st
from pydantic import ValidationError

from sahrat.games.game import LimitedOptions
from sahrat.games.ludo.options import LudoOptions

Values = dict[str, Any]
CLOCKS: Final = tuple(LimitedOptions.model_fields)
"""Options of every game, which the pure rules never look at."""
ALL: Final[dict[str, tuple[Any, ...]]] = {
    name: get_args(field.annotation) for name, field in LudoOptions.model_fields.items()
}
BOARD: Final = {name: values for name, values in ALL.items() if name not in CLOCKS}


def allowed(values: Mapping[str, Any]) -> bool:
    """Tell whether a table can be opened that has these options, and others as they please."""
    free = dict(values)
    if free.get("teams") == "on":
        free.setdefault("players", 4)
    try:
        LudoOptions.model_validate(free)
    except ValidationError:
        return False
    return True


@st.composite
def tables(draw: st.DrawFn) -> Values:
    """Draw a table's options; most of them have their defaults."""
    chosen = draw(
        st.fixed_dictionaries({}, optional={n: st.sampled_from(v) for n, v in BOARD.items()})
    )
    if chosen.get("teams") == "on":
        chosen["players"] = 4
    if not allowed(chosen):
        del chosen["capture_before_home"]
    return chosen


def dealt(times: int, seed: int, **fixed: Any) -> Iterator[Values]:
    """Yield tables until each value of each option that is not fixed was there so often, all mixed
    as evenly as it goes.
    """
    chance = random.Random(seed)
    mixed = [name for name in BOARD if name not in fixed]
    seen: Counter[tuple[str, Any]] = Counter()
    while any(seen[name, value] < times for name in mixed for value in BOARD[name]):
        table: Values = {**fixed}
        for name in chance.sample(mixed, len(mixed)):
            open_to = [v for v in BOARD[name] if allowed({**table, name: v})]
            table[name] = min(open_to, key=lambda v: (seen[name, v], chance.random()))
        seen.update(table.items())
        yield table


Pair = frozenset[tuple[str, Any]]


def pairs() -> list[Pair]:
    """Return every two values of two options."""
    return [
        frozenset({(one, a), (other, b)})
        for one, other in itertools.combinations(ALL, 2)
        for a in ALL[one]
        for b in ALL[other]
    ]


def covering() -> list[Values]:
    """Return tables of which each allowed pair of values has one: greedily, the same each time."""
    left = dict.fromkeys(pair for pair in pairs() if allowed(dict(pair)))
    rows: list[Values] = []
    while left:
        row = dict(next(iter(left)))
        for name in ALL:
            if name not in row:
                row[name] = max(
                    (v for v in ALL[name] if allowed({**row, name: v})),
                    key=lambda v: sum(frozenset({(name, v), item}) in left for item in row.items()),
                )
        for pair in itertools.combinations(row.items(), 2):
            left.pop(frozenset(pair), None)
        rows.append(row)
    return rows
