"""What a phone of ours needs to know of each game, to choose something that it may do.

A hand sees the game's events as they come, as plain objects, and folds the little that a choice is
made from: the house decides what happens, not the phone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol

from services.house.hand_carrom import CarromHand


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

    def __init__(self, options: Mapping[str, Any]) -> None:
        del options  # what may be done is told
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


_USED: Final = ("pachisi.throws_again", "pachisi.turn_passed", "pachisi.seat_finished")
"""After these no throw is to be used any more."""


class PachisiHand:
    """Throws, and does anything with an open throw that may be done, or declines one."""

    __slots__ = ("_choices",)

    def __init__(self, options: Mapping[str, Any]) -> None:
        del options  # what may be done is told
        self._choices: Sequence[Mapping[str, Any]] = ()

    def take(self, event: Mapping[str, Any]) -> None:
        """See `Hand`."""
        kind = event["type"]
        if kind == "pachisi.choice_opened":
            self._choices = event["choices"]
        elif kind in _USED:
            self._choices = ()

    def load(self, board: Mapping[str, Any]) -> None:
        """See `Hand`."""
        self._choices = board["choices"]

    def choose(self, chance: Random) -> dict[str, Any]:
        """See `Hand`."""
        if not self._choices:
            return {"type": "pachisi.throw", "number": str(chance.getrandbits(64))}
        declined = [choice["item"] for choice in self._choices if choice["may_decline"]]
        if declined and chance.random() < DECLINES:
            return {"type": "pachisi.decline", "item": chance.choice(declined)}
        return chance.choice([use for choice in self._choices for use in _uses(choice)])


def _uses(choice: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what may be done with an open throw; of a group all move, and go on if they can."""
    item = choice["item"]
    ways = [(piece, False) for piece in choice["pieces"]] + [(p, True) for p in choice["laps"]]
    found = [{"type": "pachisi.move", "item": item, "piece": p, "lap": lap} for p, lap in ways]
    for group in choice["groups"]:
        lap = group[0] not in choice["pieces"]
        found.append({"type": "pachisi.move_group", "item": item, "pieces": group, "lap": lap})
    if choice["split"]:
        found.append({"type": "pachisi.split", "item": item, "shares": choice["split"]})
    return found


HANDS: Final[Mapping[str, Callable[[Mapping[str, Any]], Hand]]] = {
    "ludo": LudoHand,
    "pachisi": PachisiHand,
    "carrom": CarromHand,
}
"""By the name of the game, as `table.opened` has it; each begins with the table's options."""
