"""How a phone of ours plays Carrom: see `hands`."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import orjson

from sahrat.games.carrom import CARROM, board
from sahrat.games.carrom.bot_aim import aims, on_line
from sahrat.games.carrom.messages import EVENTS, CarromBoard, Shoot
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.state import NOBODY, OVER, State
from sahrat.games.carrom.weak import overlaps
from sahrat.messages.base import Message

BLIND: Final = 0.1  # of the shots are not aimed at anything
FEW: Final = 3  # among so many of the most promising aims it takes any
_EVENTS: Final[Mapping[str, type[Message]]] = {
    str(kind.model_fields["type"].default): kind for kind in EVENTS
}
_COLOURS: Final = ("white", "black")


class CarromHand:
    """Aims as the house's bots do, but tries nothing out in its head; sometimes it does not aim."""

    __slots__ = ("_state",)

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._state: State = CARROM.initial(CarromOptions.model_validate(options))

    def take(self, event: Mapping[str, Any]) -> None:
        """See `Hand`."""
        kind = _EVENTS.get(event["type"])
        if kind is not None:
            told = kind.model_validate_json(orjson.dumps(event))
            self._state = CARROM.evolve(self._state, told)

    def load(self, board: Mapping[str, Any]) -> None:
        """See `Hand`."""
        shown = CarromBoard.model_validate_json(orjson.dumps(board))
        self._state = State(
            options=self._state.options,
            breaker=shown.white[0] if shown.white else shown.seats[0],
            seats=shown.seats,
            turn=OVER if shown.turn is None else shown.turn,
            board=shown.board,
            places=tuple((placed.disc, placed.x, placed.y) for placed in shown.places),
            queen=shown.queen,
            first=shown.first,
            owed=shown.owed,
            tries=shown.tries,
            shots=shown.shots,
            winner=NOBODY if shown.winner is None else _COLOURS.index(shown.winner),
        )

    def choose(self, chance: Random) -> dict[str, Any]:
        """See `Hand`."""
        state = self._state
        places = board.turned(state.places, state.turn)
        near, far = board.MOON_UM  # whatever the table allows
        free = (x for x in on_line() if not near < abs(x) < far)
        spots = [x for x in free if not overlaps(x, places)] or [0]
        blind = chance.random() < BLIND
        aimed = [] if blind else aims(state, places, spots)[:FEW]
        shot = chance.choice(aimed) if aimed else _blind(chance.choice(spots), chance)
        return shot.model_dump()


def _blind(x: int, chance: Random) -> Shoot:
    """Return a shot from there somewhere ahead, so fast that it comes back."""
    least, most = board.SPEED_UM_S[1] // 4, board.SPEED_UM_S[1]
    dx = chance.randrange(-board.HALF_UM, board.HALF_UM + 1)
    return Shoot(x=x, dx=dx, dy=-board.LINE_Y_UM, speed=chance.randrange(least, most + 1))
