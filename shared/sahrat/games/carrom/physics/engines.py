"""What computes a shot: the phases as Python runs them, or compiled by numba where it is installed.

Both are the same functions, and both give the same bits; numba is about forty times as fast and
takes some seconds to get ready. So a process that computes shots for long asks for `best`, and one
that looks at a single match plays in Python.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from sahrat.games.carrom.physics import phases
from sahrat.games.carrom.physics.phases import Discs, Surface

_COMPILED: Final[tuple[Callable[..., Any], ...]] = (
    phases.fall,
    phases.meet,
    phases.stop,
    phases.resolve,
    phases.advance,
    phases.next_meeting,
    phases.next_impact,
    phases.spread_friction,
    phases.step,
    phases.run,
)
"""Each after those that it calls."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to compute.

    Attributes:
        name: For logs: `pure Python`, `numba 0.68.1`.
        run: Lets discs move until all rest, and returns the number of steps.
        array: Makes of a list what `run` wants.
    """

    name: str
    run: Callable[[Discs, Surface], int]
    array: Callable[[list[Any]], Any]


PURE: Final = Engine("pure Python", phases.run, list)


_ready: list[Engine] = [PURE]
"""The fastest one that this process has got ready stands last."""


@functools.cache
def best() -> Engine:
    """Return the fastest engine that this machine has. It is ready to compute: the first call may
    take half a minute.
    """
    if importlib.util.find_spec("numba") is not None:
        _ready.append(_compiled())
    return ready()


def ready() -> Engine:
    """Return the fastest engine that can compute now."""
    return _ready[-1]


def found() -> str:
    """Return the name of the fastest engine that this machine has, ready or not."""
    if importlib.util.find_spec("numba") is None:
        return PURE.name
    return _named(importlib.metadata.version("numba"))


def _named(version: str) -> str:
    return f"numba {version}"


def _compiled() -> Engine:
    """Compile the phases, with the same names among themselves.

    Nothing is kept on the disk: numba looks only at the file of a function to tell whether it has
    changed, and would go on with old numbers after a change of `board`.
    """
    numba = importlib.import_module("numba")
    array = importlib.import_module("numpy").array
    names: dict[str, Any] = dict(vars(phases))
    # Never fastmath or parallel: both reorder sums. With numpy's errors a division by zero gives
    # what IEEE 754 says and needs no check.
    compiler = numba.njit(error_model="numpy")
    for function in _COMPILED:
        if not isinstance(function, FunctionType):
            raise TypeError(f"{function} is no function")
        again = FunctionType(function.__code__, names, function.__name__)
        names[function.__name__] = compiler(again)
    engine = Engine(_named(numba.__version__), names["run"], array)
    _get_ready(engine)
    return engine


def _get_ready(engine: Engine) -> None:
    """Have the phases compiled for arrays, by letting one disc rest."""
    floats, whole = [1.0], [1]
    discs = Discs(
        **{
            name: engine.array(whole if name in ("present", "fallen", "moving") else floats)
            for name in Discs._fields
        }
    )
    engine.run(
        discs._replace(vx=engine.array([0.0]), vy=engine.array([0.0])), Surface(1.0, 1.0, 1.0)
    )
