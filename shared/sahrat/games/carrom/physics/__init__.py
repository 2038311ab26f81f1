"""The shot: whole numbers in, whole numbers out, and the same bits everywhere (rule K3).

`shots` is what others use. `phases` is the arithmetic, `engines` what runs it.
"""

from __future__ import annotations

from sahrat.games.carrom.physics.engines import PURE, Engine, best, found
from sahrat.games.carrom.physics.shots import (
    PHYSICS_VERSION,
    BadShot,
    Rest,
    Shot,
    check,
    position_hash,
    quick,
    simulate,
)

__all__ = [
    "PHYSICS_VERSION",
    "PURE",
    "BadShot",
    "Engine",
    "Rest",
    "Shot",
    "best",
    "check",
    "found",
    "position_hash",
    "quick",
    "simulate",
]
