"""What a match says of coins: entries that come back, a pot that is shared out, coins earned.

The ledger moves them; here stands alone who is to get how many (rule M).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sahrat.ledger.settlement import split
from sahrat.match import limits
from sahrat.match.state import Phase, State
from sahrat.messages import match as m

Places = Sequence[tuple[int, int]]
"""(seat, place) of the seats that have one, best place first."""


def settled(state: State, places: Places) -> m.EntriesSettled:
    """Return how the pot of a coin table is shared out at its end (rules M.5 to M.7).

    The pot is every entry of the funding: whoever left in play still sits there, as one who left.
    """
    gone = [
        seat
        for seat, sitter in zip(state.seats, state.sitters, strict=True)
        if sitter.left and not sitter.kept
    ]
    shares = split(state.entry_coins * len(state.sitters), places, gone)
    prizes = tuple(
        m.Prize(seat=seat, player_id=_player(state, seat), coins=coins)
        for seat, coins in shares.prizes
    )
    return m.EntriesSettled(
        attempt=state.attempt,
        pot_coins=shares.pot_coins,
        fee_coins=shares.fee_coins,
        prizes=prizes,
    )


def refunded(state: State) -> tuple[m.EntriesRefunded, ...]:
    """Return that every entry goes back (rule M.8); nothing where none may be held."""
    if state.free or state.phase not in (Phase.FUNDING, Phase.PLAYING):
        return ()
    refund = m.EntriesRefunded(
        attempt=state.attempt,
        entry_coins=state.entry_coins,
        players=tuple(sitter.player_id for sitter in state.sitters),
    )
    return (refund,)


def earned(state: State, places: Places) -> tuple[m.CoinsEarned, ...]:
    """Return what those earn who played a free match to its end (rule M.2), best place first;
    nothing where bots alone did.
    """
    place_of: Mapping[int, int] = dict(places)
    last = m.SEATS + 1  # without a place
    played = [
        (place_of.get(seat, last), seat, sitter.player_id)
        for seat, sitter in zip(state.seats, state.sitters, strict=True)
        if sitter.player_id and not sitter.bot and not sitter.left
    ]
    rewards = tuple(
        m.Prize(
            seat=seat,
            player_id=player_id,
            coins=limits.FIRST_COINS if place == 1 else limits.OTHER_COINS,
        )
        for place, seat, player_id in sorted(played)
    )
    return (m.CoinsEarned(rewards=rewards),) if rewards else ()


def _player(state: State, seat: int) -> str:
    return state.sitters[state.chair_of_seat(seat)].player_id
