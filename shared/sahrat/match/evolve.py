"""`evolve`: what each event of a match around any game changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sahrat.games.game import Game
from sahrat.match.state import Phase, Sitter, State
from sahrat.messages import match as m
from sahrat.messages.base import Message

_OURS: Final = frozenset(m.EVENTS)


class Broken(Exception):
    """The log says what can't have happened: the match is parked."""


def evolve(game: Game, state: State | None, event: Message) -> State:
    """Return the match after an event.

    Raises:
        Broken: The event does not fit a match in this state.
    """
    if isinstance(event, m.TableOpened):
        if state is not None:
            raise Broken("opened twice")
        return _opened(game, event)
    if state is None:
        raise Broken("not opened")
    if type(event) not in _OURS:  # most events are the game's
        return replace(state, board=game.evolve(state.board, event))
    match event:
        case m.StepOpened():
            return _next_step(state, event)
        case m.SeatTaken() | m.SeatFreed() if state.phase is Phase.PLAYING:
            raise Broken("a seat changes hands while it is played")
        case m.SeatTaken():
            sitter = Sitter(
                event.player_id, event.nickname, event.seat_number, event.line, bot=event.bot
            )
            return replace(state, sitters=(*state.sitters, sitter), idle_ms=event.idle_ms)
        case m.SeatFreed():
            chair = _chair(state, event.player_id)
            sitters = state.sitters[:chair] + state.sitters[chair + 1 :]
            return replace(state, sitters=sitters, idle_ms=event.idle_ms)
        case m.FundingBegan() | m.FundingFailed():
            return _funding(state, event)
        case m.MatchStarted():
            return _started(game, state, event)
        case m.StepTimedOut():
            return _missed(state, event)
        case m.PlayerPresent():
            chair = _chair(state, event.player_id)
            sitter = replace(
                state.sitters[chair], line=event.line, away_ms=0, bot=False, left=False
            )
            return state.with_sitter(chair, sitter)
        case m.PlayerAway():
            chair = _chair(state, event.player_id)
            return state.with_sitter(
                chair, replace(state.sitters[chair], line=None, away_ms=event.until_ms)
            )
        case m.PlayerLeft():
            return _left(state, event)
        case m.MatchResumed():
            return _resumed(state, event)
        case m.EntriesSettled() | m.EntriesRefunded() | m.CoinsEarned():
            return state  # coins are the ledger's; the end that follows is the match's
        case m.MatchEnded():
            places = tuple((place.seat, place.place) for place in event.places)
            return _over(replace(state, places=places), Phase.ENDED)
        case m.MatchStopped():
            return _over(state, Phase.STOPPED)
        case m.TableClosed():
            return _over(state, Phase.CLOSED)
        case _:
            raise Broken(f"nothing is known of {type(event).__name__}")


def fold(game: Game, state: State | None, events: Sequence[Message]) -> State:
    """Return the match after the events of one record, in order.

    Raises:
        Broken: They don't fit, or move coins twice: nobody may choose which of the two counts.
    """
    moving = 0
    for event in events:
        moving += isinstance(event, m.MOVES_COINS)
        state = evolve(game, state, event)
    if moving > 1:
        raise Broken("a record that moves coins twice")
    if state is None:
        raise Broken("a record without events")
    return state


def _chair(state: State, player_id: str) -> int:
    chair = state.chair(player_id)
    if chair is None:
        raise Broken("a player who does not sit here")
    return chair


def _opened(game: Game, event: m.TableOpened) -> State:
    return State(
        phase=Phase.OPEN,
        rules=game.rules,
        options=game.options.model_validate(event.options),
        size=event.seats,
        entry_coins=event.entry_coins,
        key_id=event.key_id,
        fill_ms=event.fill_ms,
        idle_ms=event.idle_ms,
    )


def _funding(state: State, event: m.FundingBegan | m.FundingFailed) -> State:
    if isinstance(event, m.FundingBegan):
        if state.phase is not Phase.OPEN or state.free:
            raise Broken("a funding where none is due")
        return replace(state, phase=Phase.FUNDING, attempt=event.attempt, idle_ms=0)
    if state.phase is not Phase.FUNDING or event.attempt != state.attempt:
        raise Broken("a funding failed that was not under way")
    return replace(state, phase=Phase.OPEN, attempt=0)


def _started(game: Game, state: State, event: m.MatchStarted) -> State:
    if state.phase is not (Phase.OPEN if state.free else Phase.FUNDING):
        raise Broken("play begins at the wrong time")
    if sorted(event.dealt) != list(range(len(state.sitters))):
        raise Broken("the deal is no deal")
    return replace(
        state,
        phase=Phase.PLAYING,
        sitters=tuple(state.sitters[sitter] for sitter in event.dealt),
        seats=event.seats,
        board=game.initial(state.options),
        fill_ms=0,
        idle_ms=0,
    )


def _next_step(state: State, event: m.StepOpened) -> State:
    """Open a step; who played the one before has missed none in a row any more (rule K.5)."""
    if state.step and not state.timed_out:
        chair = state.chair_of_seat(state.step_seat)
        if state.sitters[chair].missed:
            state = state.with_sitter(chair, replace(state.sitters[chair], missed=0))
    return replace(
        state,
        step=event.step,
        step_seat=event.seat,
        step_ms=event.deadline_ms,
        timed_out=False,
    )


def _missed(state: State, event: m.StepTimedOut) -> State:
    """The clock plays a step; it counts where there is a limit to that (rule K.5)."""
    chair = state.chair_of_seat(event.seat)
    sitter = state.sitters[chair]
    if state.options.misses and not sitter.bot:
        state = state.with_sitter(chair, replace(sitter, missed=sitter.missed + 1))
    return replace(state, timed_out=True)


def _left(state: State, event: m.PlayerLeft) -> State:
    chair = _chair(state, event.player_id)
    sitter = replace(
        state.sitters[chair],
        line=None,
        away_ms=0,
        bot=event.bot,
        left=event.why != "away" or not state.free,
        kept=event.kept,
        missed=0,
    )
    return state.with_sitter(chair, sitter)


def _resumed(state: State, event: m.MatchResumed) -> State:
    away = {clock.player_id: clock.until_ms for clock in event.away}
    sitters = tuple(
        replace(sitter, away_ms=away.get(sitter.player_id, 0)) for sitter in state.sitters
    )
    return replace(
        state,
        sitters=sitters,
        step_ms=event.step_ms,
        fill_ms=event.fill_ms,
        idle_ms=event.idle_ms,
    )


def _over(state: State, phase: Phase) -> State:
    sitters = tuple(replace(sitter, away_ms=0) for sitter in state.sitters)
    return replace(state, phase=phase, sitters=sitters, step_ms=0, fill_ms=0, idle_ms=0)
