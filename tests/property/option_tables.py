"""Tables of a game with all kinds of options: dealt evenly, and every two values together."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, get_args

from pydantic import ValidationError

from sahrat.games.game import LimitedOptions

Values = dict[str, Any]
Pair = frozenset[tuple[str, Any]]
CLOCKS: Final = tuple(LimitedOptions.model_fields)
"""Options of every game, which the pure rules never look at."""


class OptionTables:
    """The tables of one game.

    Attributes:
        all: Every option with its values.
        board: Those that the rules look at.
    """

    def __init__(
        self, model: type[LimitedOptions], needs: Mapping[tuple[str, Any], Values]
    ) -> None:
        """Take the game's options, and what some of their values need of the others."""
        self.model = model
        self.needs = needs
        self.all: dict[str, tuple[Any, ...]] = {
            name: get_args(field.annotation) for name, field in model.model_fields.items()
        }
        self.board = {name: values for name, values in self.all.items() if name not in CLOCKS}

    def completed(self, values: Mapping[str, Any]) -> Values:
        """Return the same options, and what they need where nothing is said of it."""
        free = dict(values)
        for _ in self.needs:
            for (name, value), needed in self.needs.items():
                if free.get(name) == value:
                    free = {**needed, **free}
        return free

    def allowed(self, values: Mapping[str, Any]) -> bool:
        """Tell whether a table can be opened that has these options, and others as they please."""
        try:
            self.model.model_validate(self.completed(values))
        except ValidationError:
            return False
        return True

    def dealt(
        self, times: int, seed: int, others: Iterable[Values] = (), **fixed: Any
    ) -> Iterator[Values]:
        """Yield tables until each value that goes with what is fixed was there so often, all mixed
        as evenly as it goes; with `others`, which there are anyway.
        """
        chance = random.Random(seed)
        mixed = [name for name in self.board if name not in fixed]
        wanted = [
            (name, value)
            for name in mixed
            for value in self.board[name]
            if self.allowed({**fixed, name: value})
        ]
        seen = Counter(item for table in others for item in table.items())
        while any(seen[item] < times for item in wanted):
            table: Values = {**fixed}
            for name in chance.sample(mixed, len(mixed)):
                open_to = [v for v in self.board[name] if self.allowed({**table, name: v})]
                table[name] = min(open_to, key=lambda v: (seen[name, v], chance.random()))
            seen.update(table.items())
            yield table

    def pairs(self) -> list[Pair]:
        """Return every two values of two options."""
        return [
            frozenset({(one, a), (other, b)})
            for one, other in itertools.combinations(self.all, 2)
            for a in self.all[one]
            for b in self.all[other]
        ]

    @cached_property
    def covering(self) -> list[Values]:
        """Tables of which each allowed pair of values has one: greedily, the same each time."""
        left = dict.fromkeys(pair for pair in self.pairs() if self.allowed(dict(pair)))
        rows: list[Values] = []
        while left:
            row = dict(next(iter(left)))
            for name in self.all:
                if name not in row:
                    row[name] = max(
                        (v for v in self.all[name] if self.allowed({**row, name: v})),
                        key=lambda v: sum(
                            frozenset({(name, v), item}) in left for item in row.items()
                        ),
                    )
            for pair in itertools.combinations(row.items(), 2):
                left.pop(frozenset(pair), None)
            rows.append(row)
        return rows
