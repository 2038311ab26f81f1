"""Tables of Ludo with all kinds of options."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from sahrat.games.ludo.options import LudoOptions
from tests.property.option_tables import OptionTables, Values

TABLES: Final = OptionTables(LudoOptions, {("teams", "on"): {"players": 4}})


@st.composite
def tables(draw: st.DrawFn) -> Values:
    """Draw a table's options; most of them have their defaults."""
    optional = {name: st.sampled_from(values) for name, values in TABLES.board.items()}
    chosen: Values = draw(st.fixed_dictionaries({}, optional=optional))
    if chosen.get("teams") == "on":
        chosen["players"] = 4
    if not TABLES.allowed(chosen):
        del chosen["capture_before_home"]
    return chosen
