"""What happens at Carrom, in words: see `tell`. Lengths are told in mm, coins by their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sahrat.games.carrom import board
from sahrat.games.carrom import messages as carrom
from sahrat.messages.base import Message
from services.house.words import Said, Words

Who = Callable[[int], str]
"""Whoever has a seat, by name, side and label."""

_UM_A_MM: Final = 1_000
_UM_A_METRE: Final = 1_000_000


def said(event: Message, words: Words, who: Who) -> Said:
    """Return an event of Carrom in words."""
    match event:
        case carrom.BoardLaid():
            return event.type, {
                "board": event.board,
                "who": who(event.breaker),
                "white": words.comma.join(map(who, event.white)),
                "black": words.comma.join(map(who, event.black)),
            }
        case carrom.StrikerShot():
            return f"{event.type}/{event.why}", {
                "who": who(event.seat),
                "x": f"{event.x / _UM_A_MM:g}",
                "dx": event.dx,
                "dy": event.dy,
                "speed": f"{event.speed / _UM_A_METRE:g}",
            }
        case carrom.StrikerBlocked() | carrom.SeatLeft():
            return event.type, {"who": who(event.seat)}
        case carrom.DiscsRested():
            fell = _pieces(event.pocketed, words)
            seconds = f"{event.steps / board.STEPS_A_SECOND:.1f}"
            return f"{event.type}/{'some' if fell else 'none'}", {"fell": fell, "seconds": seconds}
        case carrom.ShotJudged():
            return _judged(event, words)
        case carrom.DebtsPaid():
            back = _pieces([placed.disc for placed in event.returned], words)
            white, black = event.down
            return event.type, {"back": back, "white": white, "black": black}
        case carrom.ShootsAgain() | carrom.TurnPassed():
            return f"{event.type}/{event.why}", {"who": who(event.seat)}
        case carrom.BoardWon():
            return f"{event.type}/{event.why}", {
                "colour": words.term("carrom.colour", event.colour),
                "who": words.comma.join(map(who, event.seats)),
            }
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Carrom")


def _judged(event: carrom.ShotJudged, words: Words) -> Said:
    back = _pieces([placed.disc for placed in event.returned], words)
    white, black = event.down
    return f"{event.type}/{event.foul_reason or 'sound'}", {
        "row": event.row,
        "back": words.terms["carrom.back"].format(pieces=back) if back else "",
        "white": white,
        "black": black,
        "queen": words.term("carrom.queen", event.queen),
    }


def _pieces(discs: Sequence[int], words: Words) -> str:
    return words.comma.join(_piece(disc, words) for disc in discs)


def _piece(disc: int, words: Words) -> str:
    match disc:
        case board.STRIKER:
            return words.term("carrom.piece", "striker")
        case board.QUEEN:
            return words.term("carrom.piece", "queen")
        case _:
            colour = "white" if disc in board.WHITES else "black"
            return words.terms[f"carrom.piece/{colour}"].format(number=disc)
