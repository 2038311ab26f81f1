"""Any play of any game: intents of anybody at any time, the clock, bots and leavers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sahrat.games.game import Chance, Game, fold
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

Action = tuple[str, int, Message, int]
"""Who acts (`act`: the seat that is named; `on turn`, `bot`, or the `clock`), the seat, his intent,
and what chance shows.
"""


def any_play(
    game: Game,
    options: Mapping[str, Any],
    play: Sequence[Action],
    leavers: Sequence[tuple[int, int]],
    *,
    opening: Chance,
    chance: Callable[[int], Chance],
    sound: Callable[[Any], None],
) -> tuple[Any, list[Message]]:
    """Play, and return the state and all events: refusals change nothing, the events fold to the
    state, and no event is one that the game does not list.

    Args:
        game: The game.
        options: The table's.
        play: What is tried, until the match is over.
        leavers: (before which of it, seat) of those who leave for good.
        opening: Chance as play begins.
        chance: Makes it for an action.
        sound: Raises if a state is not.
    """
    first = state = game.initial(game.options(**options))
    log: list[Message] = list(game.begin(state, opening))
    state = fold(game, state, log)
    for n, action in enumerate(play):
        for seat in [seat for at, seat in leavers if at == n]:
            left = game.leave(state, seat, opening)
            log += left
            state = fold(game, state, left)
            sound(state)
        if game.awaited(state) is None:
            break
        decided = _happens(game, state, action, chance)
        if isinstance(decided, Refused):
            assert action[0] in ("act", "on turn")
            continue
        assert decided
        assert all(type(event) in game.events for event in decided)
        log += decided
        state = fold(game, state, decided)
        sound(state)
    assert fold(game, first, log) == state
    return state, log


def _happens(
    game: Game, state: Any, action: Action, chance: Callable[[int], Chance]
) -> tuple[Message, ...] | Refused:
    how, seat, intent, shown = action
    awaited = game.awaited(state)
    assert awaited is not None
    if how == "clock":
        return game.time_out(state, chance(shown))
    if how == "bot":
        return game.decide(state, awaited.seat, game.bot(state, ""), chance(shown))
    return game.decide(state, awaited.seat if how == "on turn" else seat, intent, chance(shown))
