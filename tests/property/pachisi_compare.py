"""Matches of Pachisi beside its oracle."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from sahrat.games.pachisi import PACHISI
from sahrat.games.pachisi.messages import (
    DeclineThrow,
    MoveGroup,
    MovePiece,
    SplitThrow,
    ThrowCowries,
)
from sahrat.games.pachisi.parts import Choice, OpenThrow
from sahrat.games.pachisi.state import OVER, State, player
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused
from tests.property.pachisi_oracle import Oracle
from tests.property.pachisi_play import Played, Shells, at_random, cut_up, options_of

CLOSELY: Final = 100  # steps that are compared each; the oracle takes its time
SELDOM: Final = 5


def picture(state: State) -> dict[str, Any]:
    """Return what the oracle's picture shows, of the rules under test."""
    awaited, shown = PACHISI.awaited(state), PACHISI.view(state)
    gate = state.options.opening_gate == "on"
    credit = state.options.capture_before_home == "on"
    return {
        "awaited": None if awaited is None else (awaited.seat, awaited.action),
        "turn": shown.turn,
        "items": [_item(item) for item in state.items],
        "more": state.using and state.more is not None,
        "run": state.run_of[:1] * state.run,
        "where": {seat: list(state.pieces[seat]) for seat in state.seats if state.pieces[seat]},
        "entered": list(state.entered),
        "gate": list(state.gate) if gate else [],
        "credit": list(state.credit) if credit else [],
        "places": {s: state.places[s] for s in state.seats if state.places[s]},
        "choices": [_choice(choice) for choice in shown.choices],
    }


def _item(item: OpenThrow) -> str:
    match item.part:
        case "enter":
            return "e"
        case "pyada":
            return "+1"
        case _:
            return f"{item.value}{'e' * item.enters}"


def _choice(choice: Choice) -> dict[str, Any]:
    return {
        "pieces": list(choice.pieces),
        "laps": list(choice.laps),
        "groups": [list(group) for group in choice.groups],
        "split": [(share.piece, share.steps, share.lap) for share in choice.split],
        "decline": choice.may_decline,
    }


def compare(
    values: Mapping[str, Any], seed: object, *, leaving: float, wild: float, steps: int
) -> Played:
    """Play so many steps of a match in both, with some nonsense in between."""
    chance = random.Random(f"compared {seed}")
    played, oracle = Played(options_of(values), seed), Oracle(dict(values))
    if played.options.start == "highest_throw":
        falls = iter(played.cowries.fell[:])
        oracle.throw_for_the_start(lambda: next(falls))
        assert next(falls, None) is None
        oracle.thrown = len(played.cowries.fell)
    elif played.options.start == "random":
        oracle.turn = played.state.turn
    assert picture(played.state) == oracle.picture()
    while (awaited := PACHISI.awaited(played.state)) is not None and played.steps < steps:
        if chance.random() < leaving:
            seat = chance.randrange(4)
            played.take(PACHISI.leave(played.state, seat, played.cowries))
            oracle.leave(seat)
        elif chance.random() < wild:
            _nonsense(played.state, oracle, chance)
        else:
            if played.state.using:
                assert _told_as(PACHISI.bot(played.state, "")) == oracle.preferred()
            intent = _wish(played, chance)
            played.act(intent)
            assert _told(oracle, awaited.seat, intent, played.cowries.mouths) is None
        if played.steps < CLOSELY or played.steps % SELDOM == 0 or played.state.turn == OVER:
            assert picture(played.state) == oracle.picture()
    played.assert_refolds()
    played.assert_counted()
    return played


def _wish(played: Played, chance: random.Random) -> Message:
    """Return an intent that is taken: any, or a throw shared in any way that may be."""
    state = played.state
    if state.using and state.options.pieces_per_throw == "split" and chance.random() < 0.3:
        for _ in range(5):
            wish = cut_up(state, chance)
            seat = player(state.options, state.turn)
            if wish and isinstance(PACHISI.decide(state, seat, wish, Shells()), tuple):
                return wish
    return at_random(played, chance)


def _told_as(intent: Message) -> tuple[int, str, list[tuple[int, int, bool]]]:
    """Return a bot's intent in the oracle's terms; of a single piece the squares are not said."""
    if isinstance(intent, SplitThrow):
        return intent.item, "split", [(s.piece, s.steps, s.lap) for s in intent.shares]
    assert isinstance(intent, MovePiece)
    return intent.item, "one", [(intent.piece, 0, intent.lap)]


def _told(oracle: Oracle, seat: int, intent: Message, mouths: int) -> str | None:
    match intent:
        case ThrowCowries():
            return oracle.throw(seat, mouths)
        case MovePiece(item=item, piece=piece, lap=lap):
            return oracle.use(seat, item, [(piece, 0, lap)], "one")
        case MoveGroup(item=item, pieces=pieces, lap=lap):
            return oracle.use(seat, item, [(piece, 0, lap) for piece in pieces], "group")
        case SplitThrow(item=item, shares=shares):
            steps = [(s.piece, s.steps, s.lap) for s in shares]
            return oracle.use(seat, item, steps, "split")
        case DeclineThrow(item=item):
            return oracle.decline(seat, item)
        case _:
            raise AssertionError(intent)


def _nonsense(state: State, oracle: Oracle, chance: random.Random) -> None:
    """Try what is refused, at both; what would be taken is left out, as it would go on."""
    seat, item = chance.randrange(4), chance.randrange(3)
    piece, lap = chance.randrange(4), chance.random() < 0.3
    pieces = tuple(chance.sample(range(4), 2))
    wishes: list[Message] = [
        ThrowCowries(number=""),
        MovePiece(item=item, piece=piece, lap=lap),
        MoveGroup(item=item, pieces=pieces, lap=lap),
        DeclineThrow(item=item),
    ]
    if (cut := cut_up(state, chance)) is not None:
        wishes.append(cut)
    for intent in wishes:
        shells = Shells(3)
        decided = PACHISI.decide(state, seat, intent, shells)
        if isinstance(decided, Refused):
            assert shells.asked == 0
            before = oracle.picture()
            assert _told(oracle, seat, intent, 3) == decided.reason
            assert oracle.picture() == before
