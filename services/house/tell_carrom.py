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
            return f"{event.type}/{'colours' if event.white else 'points'}", {
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
            return event.type, {
                "back": _pieces([placed.disc for placed in event.returned], words),
                "down": _down(event, words),
            }
        case carrom.QueenReturned():
            return event.type, {}
        case carrom.ShootsAgain() | carrom.TurnPassed():
            return f"{event.type}/{event.why}", {"who": who(event.seat)}
        case carrom.BoardWon():
            brings = "carrom.brings" if event.points else "carrom.brings/nothing"
            return f"{event.type}/{event.why}", {
                "brings": words.terms[brings].format(points=event.points),
                "colour": words.term("carrom.colour", event.colour),
                "who": words.comma.join(map(who, event.seats)),
            }
        case carrom.MatchWon():
            one, other = event.score
            return f"{event.type}/{event.why}", {
                "who": words.comma.join(map(who, event.seats)),
                "one": one,
                "other": other,
            }
        case carrom.PointsWon():
            places = [
                words.terms["carrom.rank"].format(
                    place=rank.place, who=who(rank.seat), points=rank.points
                )
                for rank in event.ranks
            ]
            return f"{event.type}/{event.why}", {"places": words.comma.join(places)}
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Carrom")


def _judged(event: carrom.ShotJudged, words: Words) -> Said:
    back = _pieces([placed.disc for placed in event.returned], words)
    return f"{event.type}/{event.foul_reason or 'sound'}", {
        "row": event.row,
        "back": words.terms["carrom.back"].format(pieces=back) if back else "",
        "down": _down(event, words),
        "queen": words.term("carrom.queen", event.queen),
    }


def _down(event: carrom.ShotJudged | carrom.DebtsPaid, words: Words) -> str:
    """Return how many coins are down: of both colours or, for points, by seat. What a forger wrote
    is told as it stands.
    """
    if event.points or len(event.down) != len(board.COLOURS):
        by_seat = [words.comma.join(map(str, of)) for of in (event.down, event.points)]
        return words.terms["carrom.down/points"].format(down=by_seat[0], points=by_seat[1])
    white, black = event.down
    return words.terms["carrom.down"].format(white=white, black=black)


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
