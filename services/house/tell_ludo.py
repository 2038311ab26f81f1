"""What happens at Ludo, in words: see `tell`."""

from __future__ import annotations

from collections.abc import Callable

from sahrat.games.ludo import board
from sahrat.games.ludo import messages as ludo
from sahrat.messages.base import Message
from services.house.words import Said, Words

Who = Callable[[int], str]
"""Whoever has a seat, by name, colour and label."""


def said(event: Message, words: Words, who: Who) -> Said:
    """Return an event of Ludo in words."""
    match event:
        case ludo.DieRolled() | ludo.StartRolled() | ludo.ChoiceOpened() | ludo.RollDeclined():
            return _of_roll(event, words, {"who": who(event.seat)})
        case ludo.PawnMoved() | ludo.PawnCaptured():
            parts: dict[str, object] = {"who": who(event.seat), "pawn": event.pawn + 1}
            parts["start"] = _square(event.start, words)
            if isinstance(event, ludo.PawnCaptured):
                return event.type, parts | {"captor": who(event.captor)}
            parts["progress"] = _square(event.progress, words)
            return f"{event.type}/{event.why}", parts
        case ludo.RollsAgain():
            why = words.comma.join(words.term("again", name) for name in event.why)
            return event.type, {"who": who(event.seat), "why": why}
        case ludo.TurnPassed() | ludo.StartDecided():
            return f"{event.type}/{event.why}", {"who": who(event.seat)}
        case ludo.TurnUndone():
            return event.type, {"who": who(event.seat)}
        case ludo.SideWon():
            return event.type, {"who": words.comma.join(map(who, event.seats))}
        case ludo.SeatFinished() | ludo.SeatLeft() | ludo.SeatRemained():
            return _of_place(event, {"who": who(event.seat), "place": event.place})
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Ludo")


def _of_roll(
    event: ludo.DieRolled | ludo.StartRolled | ludo.ChoiceOpened | ludo.RollDeclined,
    words: Words,
    parts: dict[str, object],
) -> Said:
    if isinstance(event, ludo.DieRolled | ludo.ChoiceOpened):
        parts["movable"] = words.comma.join(str(pawn + 1) for pawn in event.movable)
    if isinstance(event, ludo.ChoiceOpened):
        return f"{event.type}/{'may' if event.may_decline else 'must'}", parts
    parts["value"] = event.value
    if isinstance(event, ludo.DieRolled):
        many = ("none", "one", "several")[min(2, len(event.movable))]
        return f"{event.type}/{many}", parts
    return event.type, parts


def _of_place(
    event: ludo.SeatFinished | ludo.SeatLeft | ludo.SeatRemained, parts: dict[str, object]
) -> Said:
    match event:
        case ludo.SeatFinished():
            return f"{event.type}/{'placed' if event.place else 'side'}", parts
        case ludo.SeatLeft():
            return f"{event.type}/{'placed' if event.place else 'nothing'}", parts
        case ludo.SeatRemained():
            return event.type, parts


def _square(progress: int, words: Words) -> str:
    if progress == board.BASE:
        return words.term("square", "base")
    if progress == board.START:
        return words.term("square", "start")
    if progress == board.HOME:
        return words.term("square", "home")
    if progress > board.LAST_SHARED:
        return words.terms["square/column"].format(number=progress - board.LAST_SHARED)
    return words.terms["square/track"].format(number=progress)
