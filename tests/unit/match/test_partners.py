"""Rule M.6 for partners, by a game for pairs: the winning side shares the net."""

from __future__ import annotations

from typing import Any

import pytest

from sahrat.match import judge
from sahrat.match.evolve import evolve
from sahrat.match.match import Match
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.envelope import IntentEnvelope
from tests.unit.match.desk import START_MS, line, player, uuid7
from tests.unit.match.loaded import LoadedDealer
from tests.unit.match.pairs import BeDone, Pairs

MATCH: str = uuid7(START_MS, 1)


class Game:
    """A match of pairs whose intents are judged without a log."""

    def __init__(self, entry: int) -> None:
        self.match = Match(MATCH, Pairs())
        self.now_ms = START_MS
        self.offset = 0
        opening = m.OpenTable(
            rules="pairs/1",
            options={},
            entry_coins=entry,
            nickname="",
            seat_number="1",
            line=line(0),
        )
        self.do(opening, 0)
        for who in (1, 2, 3):
            self.do(m.JoinTable(nickname="", seat_number="1", line=line(who)), who)
        if entry:
            self.do(m.EntriesHeld(attempt=self.match.known.attempt), None)
        assert self.match.known.phase is Phase.PLAYING

    def do(self, intent: Message, who: int | None) -> tuple[Message, ...]:
        state = self.match.state
        envelope = IntentEnvelope[Any](
            intent_id=uuid7(self.now_ms, self.offset),
            match_id=MATCH,
            player_id=None if who is None else player(who),
            system="wallet" if who is None else None,
            step=state.step if state else None,
            not_after_ms=None,
            sent_by=MATCH,
            intent=intent,
        )
        stamp = judge.Stamp(0, self.offset, self.now_ms)
        keys = LoadedDealer()
        if state is None:
            events = judge.open_table(envelope, self.match.game, keys, stamp)
        else:
            events = judge.judge(self.match, envelope, keys, stamp)
        assert isinstance(events, tuple), events
        for event in events:
            self.match.state = evolve(self.match.game, self.match.state, event)
        self.match.seq += 1
        self.offset += 1
        return events

    def play(self, *what: str) -> tuple[Message, ...]:
        """`done 0`, `leave 2`: what each seat does, in order; return the last one's events."""
        events: tuple[Message, ...] = ()
        for step in what:
            how, seat = step.split()
            events = self.do(BeDone() if how == "done" else m.LeaveTable(), int(seat))
        return events


def settled(events: tuple[Message, ...]) -> m.EntriesSettled:
    (found,) = [event for event in events if isinstance(event, m.EntriesSettled)]
    return found


@pytest.mark.parametrize(
    ("entry", "fee", "each"),
    [(33, 13, (60, 59)), (100, 40, (180, 180)), (10, 4, (18, 18)), (13, 5, (24, 23))],
)
def test_M6_partners_share_equally_and_the_lower_seat_has_the_odd_coin(
    entry: int, fee: int, each: tuple[int, int]
) -> None:
    found = settled(Game(entry).play("done 0", "done 1", "done 2"))
    assert (found.pot_coins, found.fee_coins) == (4 * entry, fee)
    prizes = [(prize.seat, prize.player_id, prize.coins) for prize in found.prizes]
    assert prizes == [(0, player(0), each[0]), (2, player(2), each[1])]


def test_M6_a_partner_who_left_before_has_no_share_and_the_other_has_it() -> None:
    found = settled(Game(33).play("leave 2", "done 0"))
    assert [(prize.seat, prize.coins) for prize in found.prizes] == [(0, 119)]


def test_M6_a_partner_who_was_done_himself_and_left_before_his_side_won_has_no_share() -> None:
    game = Game(33)
    game.play("done 0")
    left = game.play("leave 0")[0]
    assert isinstance(left, m.PlayerLeft)
    assert not left.kept  # his side had no place yet
    found = settled(game.play("done 1", "done 2"))
    assert [(prize.seat, prize.coins) for prize in found.prizes] == [(2, 119)]


def test_M6_a_side_that_has_left_loses_to_the_other() -> None:
    found = settled(Game(100).play("leave 1", "leave 3"))
    assert [(prize.seat, prize.coins) for prize in found.prizes] == [(0, 180), (2, 180)]


def test_M2_at_a_free_table_both_winners_earn_20() -> None:
    events = Game(0).play("done 0", "done 1", "done 2")
    (earned,) = [event for event in events if isinstance(event, m.CoinsEarned)]
    assert [(r.seat, r.coins) for r in earned.rewards] == [(0, 20), (2, 20), (1, 5), (3, 5)]
