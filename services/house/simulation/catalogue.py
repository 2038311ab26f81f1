"""Which faults there are, how often each is chosen, and the names under which they count."""

from __future__ import annotations

from random import Random
from typing import Final

from sahrat.messages import topics
from services.house.simulation import damage, faults
from services.house.simulation.faults import HAS, Fault
from services.house.simulation.machine_log import Loss
from services.house.simulation.world import KINDS

COMMON: Final[tuple[tuple[Fault, int], ...]] = (
    (faults.crash_at_a_point, 12),
    (faults.crash_anywhere, 3),
    (faults.one_part_down, 2),
    (faults.all_down, 1),
    (faults.hand_over, 2),
    (faults.lose_an_answer, 3),
    (faults.zombie, 3),
    (faults.freeze, 2),
    (faults.cut_off, 2),
    (faults.silence, 1),
    (faults.broker_away, 1),
    (faults.slow_log, 1),
    (faults.database_away, 1),
    (faults.commit_unheard, 1),
    (faults.own_clock, 2),
    (faults.broker_clock, 1),
    (faults.repeat_intents, 3),
    (faults.repeat_records, 2),
    (faults.poison, 2),
    (faults.stop_a_match, 1),
    (faults.open_again, 1),
    (damage.rewind, 1),
)
"""With weights. Dying at a named point weighs most: there are so many of them."""
RARE: Final[tuple[Fault, ...]] = (
    faults.night,
    damage.lose_bookmark,
    damage.damage_bookmark,
    damage.lose_tail,
)
"""These take long, or end what was going on."""
RARELY: Final = 0.05

_KINDS: Final = [fault for fault, _ in COMMON]
_WEIGHTS: Final = [weight for _, weight in COMMON]


def choose(chance: Random) -> Fault:
    """Return the fault that strikes next."""
    if chance.random() < RARELY:
        return chance.choice(RARE)
    return chance.choices(_KINDS, _WEIGHTS)[0]


NAMES: Final[tuple[str, ...]] = (
    *(f"crash: {kind} {point.value}" for kind in KINDS for point in HAS[kind]),
    *(f"crash: {kind} anywhere" for kind in KINDS),
    "crash: everything",
    *(f"down: {kind}" for kind in KINDS),
    "hand-over",
    *(loss.value for loss in Loss),
    *(f"two owners: {kind}" for kind in faults.OWNERS),
    *(f"{how}: {kind}" for how in ("frozen", "cut off") for kind in KINDS),
    "all gateways silent",
    "broker away",
    "slow log",
    "database away",
    "commit unheard",
    *(f"clock of a {kind}" for kind in KINDS),
    "log's clock forward",
    "log's clock back",
    "intents repeated",
    "intents late",
    *(f"repeated in {faults.short(topic)}" for topic in faults.REPEATED),
    *(f"poison in {faults.short(topic)}" for topic in topics.ALL),
    "operator's stop",
    "an opening again",
    "rolling upgrade",
    "a night's stillness",
    *(f"bookmark rewound: {group.name}" for group in damage.GROUPS),
    *(f"bookmark lost: {group.name}" for group in damage.GROUPS),
    *(f"bookmark damaged: {group.name}" for group in damage.GROUPS),
    *(f"tail lost: {faults.short(topic)}" for topic in damage.TAILS),
)
"""Whatever must have struck in a long run."""
