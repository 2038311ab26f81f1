"""The Pachisi rules (`rules.md` P3 to P6): what an intent, the clock or a leaver makes happen.

All of it is pure. What an event changes is `evolve`'s.
"""

from __future__ import annotations

from collections.abc import Sequence

from sahrat.games.game import Chance
from sahrat.games.pachisi import board, bot, throws
from sahrat.games.pachisi.evolve import evolve
from sahrat.games.pachisi.messages import (
    INTENTS,
    CaptureCounted,
    CaptureVoided,
    ChoiceOpened,
    CowriesThrown,
    DeclineThrow,
    MoveGroup,
    MovePiece,
    PieceCaptured,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
    SplitThrow,
    ThrowCowries,
    ThrowDeclined,
    ThrowsAgain,
    ThrowsCancelled,
    ThrowsLapsed,
    ThrowUsed,
    TurnPassed,
)
from sahrat.games.pachisi.moves import (
    Use,
    at_hand,
    captured_at,
    choices,
    group,
    may_decline,
    may_go_round,
    shared,
    single,
    usable,
)
from sahrat.games.pachisi.options import ON
from sahrat.games.pachisi.parts import LapseWhy, Moved, PassWhy, UseWhy
from sahrat.games.pachisi.state import (
    OVER,
    State,
    captured_last,
    has_sides,
    mover,
    next_seat,
    open_places,
    player,
    playing,
    plays_at_the_end,
)
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

Events = tuple[Message, ...]


class _Story:
    """What happens, event by event, and the match as it is then."""

    __slots__ = ("events", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Message] = []

    def say(self, event: Message) -> State:
        self.events.append(event)
        self.state = evolve(self.state, event)
        return self.state


def decide(state: State, seat: int, intent: Message, chance: Chance) -> Events | Refused:
    """Return what an intent of a player's seat makes happen, in order and never empty; or why it
    may not.

    The checks come in the order of `Reason`.
    """
    if state.turn == OVER:
        return Refused(Reason.NOT_PLAYING)
    if seat != player(state.options, state.turn):
        return Refused(Reason.NOT_YOUR_TURN)
    if isinstance(intent, ThrowCowries):
        if state.using:
            return Refused(Reason.MOVE_EXPECTED)
        return _throw(state, intent.number, chance)
    if not isinstance(intent, INTENTS):
        return Refused(Reason.WRONG_GAME)
    if not state.using:
        return Refused(Reason.ROLL_FIRST)
    if isinstance(intent, DeclineThrow):
        if intent.item >= len(state.items) or not may_decline(state, intent.item):
            return Refused(Reason.ILLEGAL_MOVE, "this throw can't be left unused")
        return _declined(state, intent.item)
    use = _asked_for(state, intent)
    return Refused(Reason.ILLEGAL_MOVE) if use is None else _use(state, use, "chosen")


def time_out(state: State, chance: Chance) -> Events:
    """Return what is played for the seat on turn when its time is over (rule P7): its throw,
    without a number, or the use that the fallback order prefers.
    """
    if state.using:
        return _use(state, bot.choose(state), "clock")
    return _throw(state, "", chance)


def leave(state: State, seat: int) -> Events:
    """Return what happens when a player leaves for good (rule P6)."""
    seat = player(state.options, seat)
    if state.turn == OVER or seat in state.left or seat not in state.seats:
        return ()
    colours = tuple(s for s in state.seats if player(state.options, s) == seat)
    kept = seat in state.done and state.options.two_colours != ON
    place = state.places[seat] if kept else _place_of_leaver(state)
    story = _Story(state)
    after = story.say(SeatLeft(seat=seat, colours=colours, place=place))
    if not kept and _ends(story):
        return tuple(story.events)
    if state.turn == seat:
        story.say(TurnPassed(seat=next_seat(after, seat), why="left"))
    elif after.using and choices(after) != choices(state):
        _opens(story)
    return tuple(story.events)


def _place_of_leaver(state: State) -> int:
    if has_sides(state.options) or state.options.finish == "first_only":
        return 0
    return open_places(state)[-1]


# ---- a throw


def _throw(state: State, number: str, chance: Chance) -> Events:
    """Throw, and do all that follows by itself (rules P4.1, P4.2, P4.8)."""
    story = _Story(state)
    seat, options = state.turn, state.options
    mouths = chance.cowries(state.throws, seat, number, options.cowries)
    value = throws.values(options)[mouths]
    void = throws.is_void(state, value)
    story.say(
        CowriesThrown(
            index=state.throws,
            seat=seat,
            number=number,
            shells=options.cowries,
            mouths=mouths,
            value=value,
            opened=() if void else throws.opened(state, value),
        )
    )
    if plays_at_the_end(options):
        _throw_on(story, value, void=void)
    elif void:
        _pass(story, "no_piece")
    elif _overshoots(story.state):
        _lapse(story, range(len(story.state.items)), "overshoot")
        if options.overshoot_ends_turn == ON:
            _pass(story, "overshoot")
        else:
            _go_on(story, "overshoot")
    else:
        _go_on(story, "useless")
    return tuple(story.events)


def _throw_on(story: _Story, value: int, *, void: bool) -> None:
    """Throw again before anything is played, or play all throws (rules P5.9, P5.24)."""
    state = story.state
    cancelled = state.run == board.RUN_LIMIT
    if cancelled:
        last = range(state.throws - board.RUN_LIMIT, state.throws)
        gone = [number for number, item in enumerate(state.items) if item.throw in last]
        story.say(ThrowsCancelled(seat=state.turn, items=tuple(gone)))
    stops = void or (cancelled and state.options.after_cancel == "end_turn")
    stops = stops or len(state.items) >= board.THROWS_STOP
    if throws.again(value) and not stops:
        story.say(ThrowsAgain(seat=state.turn, why="grace"))
    elif void:
        _go_on(story, "no_piece")
    else:
        _go_on(story, "cancelled" if cancelled else "useless")


def _overshoots(state: State) -> bool:
    """Tell whether a throw is larger than the player can move (rule P4.8): he has a piece on the
    board, all there would pass the end of their way, and nothing else can be done with it.
    """
    seat = mover(state)
    on = [p for p in state.pieces[seat] if board.CHARKONI < p < board.HOME]
    if not on or any(may_go_round(state, seat, start) for start in on):
        return False
    value = next(item.value for item in state.items if item.part in ("whole", "move"))
    left = [board.HOME - start for start in on]
    if value <= (sum(left) if state.options.pieces_per_throw == "split" else max(left)):
        return False
    return not any(usable(state, number) for number in range(len(state.items)))


# ---- using it


def _asked_for(state: State, intent: Message) -> Use | None:
    """Return what an intent asks for; None if it may not be."""
    assert isinstance(intent, MovePiece | MoveGroup | SplitThrow)
    if intent.item not in at_hand(state):
        return None
    item, row = state.items[intent.item], state.pieces[mover(state)]
    if isinstance(intent, SplitThrow):
        moves = shared(state, item, intent.shares)
        return Use(intent.item, "split", moves) if moves else None
    if isinstance(intent, MovePiece):
        pieces: tuple[int, ...] = (intent.piece,)
        target = single(state, item, intent.piece, lap=intent.lap)
    else:
        pieces = intent.pieces
        target = group(state, item, pieces, lap=intent.lap)
    if target is None:
        return None
    moved = [
        Moved(piece=p, start=row[p], progress=target, steps=item.value, lap=intent.lap)
        for p in pieces
    ]
    return Use(intent.item, "piece" if len(moved) == 1 else "group", tuple(moved))


def _use(state: State, use: Use, why: UseWhy) -> Events:
    """Use an open throw as it may be (rules P4.4 to P4.9)."""
    story = _Story(state)
    seat = mover(state)
    story.say(
        ThrowUsed(seat=state.turn, item=use.item, mover=seat, how=use.how, moves=use.moves, why=why)
    )
    together = [use.moves] if use.how == "group" else [(moved,) for moved in use.moves]
    for moves in together:
        _capture(story, state, seat, moves)
    after = story.state
    if all(progress == board.HOME for progress in after.pieces[seat]):
        _finish(story, seat)
    else:
        _go_on(story, "played")
    return tuple(story.events)


def _capture(story: _Story, before: State, seat: int, moves: Sequence[Moved]) -> None:
    """Send back whoever stands where pieces came to (rules P4.6, P5.21, P5.22).

    `before`: the match before the throw was used. In it stand all who are captured: a share that
    comes later ends elsewhere, or the square was empty by then.
    """
    progress = moves[0].progress
    captured = captured_at(story.state, seat, progress)
    for other, piece in captured:
        start = before.pieces[other][piece]
        story.say(PieceCaptured(seat=other, piece=piece, start=start, captor=seat))
    if before.options.capture_before_home != ON:
        return
    square, pieces = board.SQUARES[seat][progress], tuple(moved.piece for moved in moves)
    for victim in dict.fromkeys(other for other, _ in captured):
        theirs = [piece for other, piece in captured if other == victim]
        voided = _is_voided(story.state, seat, victim, square, theirs)
        story.say(CaptureCounted(seat=seat, victim=victim, pieces=pieces, square=square))
        if voided:
            story.say(CaptureVoided(seat=victim, victim=seat))


def _is_voided(state: State, seat: int, victim: int, square: int, captured: Sequence[int]) -> bool:
    """Tell whether a capture takes away the one by which the other captured this seat (rule
    P5.22).
    """
    option = state.options.recapture_void
    last = captured_last(state, victim, seat)
    if option == "off" or last is None or state.turn != seat:
        return False
    if last.square != square or last.due != state.turns[seat]:
        return False
    return (last.first or option == "any") and any(piece in last.pieces for piece in captured)


def _declined(state: State, item: int) -> Events:
    story = _Story(state)
    story.say(ThrowDeclined(seat=state.turn, item=item))
    _go_on(story, "played")
    return tuple(story.events)


def _go_on(story: _Story, why: PassWhy) -> None:
    """Let the next open throw be used, throw again, or pass the turn (rules P4.2, P5.11)."""
    while items := story.state.items:
        if _opens(story):
            return
        one_by_one = len(at_hand(story.state)) < len(items)
        _lapse(story, range(1 if one_by_one else len(items)), "useless")
    if story.state.more is not None:
        story.say(ThrowsAgain(seat=story.state.turn, why=story.state.more))
    else:
        _pass(story, why)


def _opens(story: _Story) -> bool:
    """Say what may be done with the open throws, and tell whether any piece can use one."""
    state = story.state
    found = choices(state)
    can = any(choice.pieces or choice.laps or choice.split for choice in found)
    if can:
        story.say(ChoiceOpened(seat=state.turn, mover=mover(state), choices=found))
    return can


def _lapse(story: _Story, items: Sequence[int], why: LapseWhy) -> None:
    story.say(ThrowsLapsed(seat=story.state.turn, items=tuple(items), why=why))


def _pass(story: _Story, why: PassWhy) -> None:
    story.say(TurnPassed(seat=next_seat(story.state, story.state.turn), why=why))


# ---- the end


def _finish(story: _Story, seat: int) -> None:
    """Let a seat have its place, or its side wait for it; its turn is over (rule P4.11)."""
    sides = has_sides(story.state.options)
    place = 0 if sides else open_places(story.state)[0]
    after = story.say(SeatFinished(seat=seat, place=place))
    if after.turn != OVER and not _ends(story):
        _pass(story, "finished")


def _ends(story: _Story) -> bool:
    """Say the end of the match if it has come (rules P4.11, P5.5, P5.6), and tell so."""
    state = story.state
    if has_sides(state.options):
        for seats in board.SIDES:
            others = tuple(seat for seat in state.seats if seat not in seats)
            given_up = any(seat in state.left and seat not in state.done for seat in others)
            if given_up or all(seat in state.done for seat in seats):
                story.say(SideWon(seats=seats))
                return True
        return False
    still = playing(state)
    if len(still) > 1:
        return False
    story.say(SeatRemained(seat=still[0], place=open_places(state)[0]))
    return True
