"""Tables of Pachisi with all kinds of options."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from sahrat.games.pachisi.options import PachisiOptions
from tests.property.option_tables import OptionTables, Values

TABLES: Final = OptionTables(
    PachisiOptions,
    {
        ("teams", "on"): {"players": 4},
        ("two_colours", "on"): {"players": 2},
        ("six_up", 35): {"cowries": 7},
        ("finished_partner", "plays_partner"): {"teams": "on"},
        ("recapture_void", "first"): {"capture_before_home": "on"},
        ("recapture_void", "any"): {"capture_before_home": "on"},
        ("last_square", "pyada_only"): {"pyada": "on"},
    },
)


@st.composite
def tables(draw: st.DrawFn) -> Values:
    """Draw a table's options; most of them have their defaults."""
    optional = {name: st.sampled_from(values) for name, values in TABLES.board.items()}
    drawn: dict[str, Any] = draw(st.fixed_dictionaries({}, optional=optional))
    chosen: Values = {}
    for name, value in drawn.items():
        if TABLES.allowed({**chosen, name: value}):
            chosen[name] = value
    return TABLES.completed(chosen)
