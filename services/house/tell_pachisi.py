"""What happens at Pachisi, in words: see `tell`. Open throws are counted from 1, as pieces are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sahrat.games.pachisi import board
from sahrat.games.pachisi import messages as pachisi
from sahrat.games.pachisi.parts import Choice
from sahrat.messages.base import Message
from services.house.words import Said, Words

Who = Callable[[int], str]
"""Whoever has a seat, by name, colour and label."""


def said(event: Message, words: Words, who: Who) -> Said:
    """Return an event of Pachisi in words."""
    match event:
        case pachisi.CowriesThrown() | pachisi.StartThrown():
            return _of_throw(event, {"who": who(event.seat)})
        case pachisi.ChoiceOpened() | pachisi.ThrowUsed() | pachisi.ThrowDeclined():
            return _of_use(event, words, who)
        case pachisi.ThrowsCancelled() | pachisi.ThrowsLapsed():
            parts: dict[str, object] = {"who": who(event.seat)}
            parts["items"] = _counted(event.items, words)
            if isinstance(event, pachisi.ThrowsLapsed):
                return f"{event.type}/{event.why}", parts
            return event.type, parts
        case pachisi.PieceCaptured():
            return event.type, {
                "who": who(event.seat),
                "captor": who(event.captor),
                "piece": event.piece + 1,
                "start": _square(event.start, words),
            }
        case pachisi.CaptureCounted() | pachisi.CaptureVoided():
            return event.type, {"who": who(event.seat), "victim": who(event.victim)}
        case pachisi.ThrowsAgain() | pachisi.TurnPassed() | pachisi.StartDecided():
            return f"{event.type}/{event.why}", {"who": who(event.seat)}
        case pachisi.SideWon():
            return event.type, {"who": words.comma.join(map(who, event.seats))}
        case pachisi.SeatFinished() | pachisi.SeatLeft() | pachisi.SeatRemained():
            return _of_place(event, {"who": who(event.seat), "place": event.place})
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Pachisi")


def _of_throw(event: pachisi.CowriesThrown | pachisi.StartThrown, parts: dict[str, object]) -> Said:
    parts |= {"value": event.value, "mouths": event.mouths, "shells": event.shells}
    if isinstance(event, pachisi.CowriesThrown):
        return f"{event.type}/{'opens' if event.opened else 'void'}", parts
    return event.type, parts


def _of_use(
    event: pachisi.ChoiceOpened | pachisi.ThrowUsed | pachisi.ThrowDeclined,
    words: Words,
    who: Who,
) -> Said:
    parts: dict[str, object] = {"who": who(event.seat)}
    if isinstance(event, pachisi.ChoiceOpened):
        choices = words.comma.join(_choice(choice, words) for choice in event.choices)
        return event.type, parts | {"choices": choices}
    parts["item"] = event.item + 1
    if isinstance(event, pachisi.ThrowDeclined):
        return event.type, parts
    moves = words.comma.join(
        words.terms["pachisi.move"].format(
            piece=moved.piece + 1,
            start=_square(moved.start, words),
            progress=_square(moved.progress, words),
        )
        for moved in event.moves
    )
    whose = "own" if event.mover == event.seat else "partner"
    parts |= {"mover": who(event.mover), "moves": moves}
    return f"{event.type}/{event.why}/{whose}", parts


def _choice(choice: Choice, words: Words) -> str:
    how = words.comma.join(_ways(choice, words)) or words.term("pachisi.how", "nothing")
    return words.terms["pachisi.choice"].format(item=choice.item + 1, how=how)


def _ways(choice: Choice, words: Words) -> Iterator[str]:
    named = [("piece", choice.pieces), ("lap", choice.laps)]
    named += [("group", group) for group in choice.groups]
    for way, pieces in named:
        if pieces:
            yield words.terms[f"pachisi.how/{way}"].format(pieces=_counted(pieces, words))
    if choice.split:
        yield words.term("pachisi.how", "split")
    if choice.may_decline:
        yield words.term("pachisi.how", "decline")


def _of_place(
    event: pachisi.SeatFinished | pachisi.SeatLeft | pachisi.SeatRemained, parts: dict[str, object]
) -> Said:
    match event:
        case pachisi.SeatFinished():
            return f"{event.type}/{'placed' if event.place else 'side'}", parts
        case pachisi.SeatLeft():
            return f"{event.type}/{'placed' if event.place else 'nothing'}", parts
        case pachisi.SeatRemained():
            return event.type, parts


def _counted(numbers: Iterable[int], words: Words) -> str:
    return words.comma.join(str(number + 1) for number in numbers)


def _square(progress: int, words: Words) -> str:
    if progress == board.CHARKONI:
        return words.term("pachisi.square", "charkoni")
    if progress == board.HOME:
        return words.term("pachisi.square", "home")
    if progress < board.TIP:
        return words.terms["pachisi.square/out"].format(number=progress)
    if progress > board.RETURN:
        return words.terms["pachisi.square/back"].format(number=board.HOME - progress)
    return words.terms["pachisi.square/track"].format(number=progress)
