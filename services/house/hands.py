"""What a phone of ours needs to know of each game, to choose something that it may do.

A hand sees the game's events as they come, as plain objects, and folds the little that a choice is
made from: the house decides what happens, not the phone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol


class Hand(Protocol):
    """One game, from one player's side."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an event of the match, whatever it is about."""

    def load(self, board: Mapping[str, Any]) -> None:
        """Begin anew from a snapshot's board."""

    def choose(self, chance: Random) -> dict[str, Any]:
        """Return an intent for the step that is open, for whoever is on turn."""


DECLINES: Final = 0.1
_CHOSEN: Final = ("ludo.pawn_moved", "ludo.roll_declined", "ludo.rolls_again", "ludo.turn_passed")
"""After these no choice is open any more."""


class LudoHand:
    """Rolls, and picks any pawn that may move, or none where that is allowed."""

    __slots__ = ("_may_decline", "_movable")

    def __init__(self) -> None:
        self._movable: Sequence[int] = ()
        self._may_decline = False

    def take(self, event: Mapping[str, Any]) -> None:
        """See `Hand`."""
        kind = event["type"]
        if kind == "ludo.rolled":
            self._movable, self._may_decline = event["movable"], False
        elif kind == "ludo.choice_opened":
            self._movable, self._may_decline = event["movable"], event["may_decline"]
        elif kind in _CHOSEN:
            self._movable = ()

    def load(self, board: Mapping[str, Any]) -> None:
        """See `Hand`."""
        self._movable, self._may_decline = board["movable"], board["may_decline"]

    def choose(self, chance: Random) -> dict[str, Any]:
        """See `Hand`."""
        if self._movable:
            if self._may_decline and chance.random() < DECLINES:
                return {"type": "ludo.decline"}
            return {"type": "ludo.move", "pawn": chance.choice(self._movable)}
        return {"type": "ludo.roll", "number": str(chance.getrandbits(64))}


HANDS: Final[Mapping[str, Callable[[], Hand]]] = {"ludo": LudoHand}
"""By the name of the game, as `table.opened` has it."""
