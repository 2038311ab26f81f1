"""The workers of a house on Kafka: which there are, and what each is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sahrat.messages.topics import MATCH_PARTITIONS
from sahrat.runtime import settings as names
from sahrat.runtime.settings import BadSetting
from services.house.folder import LogKind


@dataclass(frozen=True, slots=True)
class Kind:
    """A worker, and what its processes are told besides the broker.

    Attributes:
        told: The settings that it needs.
        play: Whether play stops without it: the house is red then.
        restart_red: Whether a process whose health page stays red is started anew; not where it
            is red while another part is away, and comes back by itself.
    """

    name: str
    told: tuple[str, ...] = ()
    play: bool = True
    restart_red: bool = True


GATEWAY: Final = "gateway"
KINDS: Final = (
    Kind("rules", (names.MASTER_KEYS,)),
    Kind("timer"),
    Kind("bots", (names.BOT_PAUSE_MS,), play=False),
    Kind("wallet", play=False),
    Kind("projection", (names.POSTGRES,), play=False, restart_red=False),
    Kind(GATEWAY, (names.GATEWAY_KEYS, names.POSTGRES, names.RATE, names.WELCOME)),
)
WORKERS: Final = tuple(kind.name for kind in KINDS)
MOST: Final = MATCH_PARTITIONS  # a partition has one owner, and more would have none


def parse_workers(wishes: Sequence[str], kind: LogKind) -> dict[str, int]:
    """Return how many processes of each named worker there are to be, from `rules=2`.

    Raises:
        BadSetting: A wish is none, or the house has but one process.
    """
    if wishes and kind != "kafka":
        raise BadSetting("--workers is for --log kafka: the embedded house is one process")
    wanted: dict[str, int] = {}
    for wish in wishes:
        name, _, number = wish.partition("=")
        sound = number.isascii() and number.isdecimal() and 1 <= int(number) <= MOST
        if name not in WORKERS or not sound:
            raise BadSetting(
                f"--workers {wish}: not NAME=N, with a name of {', '.join(WORKERS)} and 1 to {MOST}"
            )
        wanted[name] = int(number)
    return wanted
