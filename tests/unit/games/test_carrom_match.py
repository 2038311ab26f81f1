"""Carrom with the match around it: seats, clock, leaving and prizes, judged without a log."""

from __future__ import annotations

from typing import Any

import pytest

from sahrat.asked import asked
from sahrat.games.carrom import CARROM
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    DiscsRested,
    SeatLeft,
    Shoot,
    ShotJudged,
    StrikerShot,
    TurnPassed,
)
from sahrat.games.carrom.physics import Rest
from sahrat.match import judge
from sahrat.match.evolve import fold
from sahrat.match.match import Match
from sahrat.match.state import Phase
from sahrat.match.view import snapshot
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import RECORD_BYTES, Cause, IntentEnvelope, Record, SystemName
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.carrom_table import NO_CHANCE
from tests.unit.match.desk import START_MS, line, player, uuid7
from tests.unit.match.loaded import LoadedDealer

MATCH: str = uuid7(START_MS, 1)
WEAK_MS = 15_000
BREAK = Shoot(x=0, dx=3_000, dy=252_600, speed=6_000_000)


class Table:
    """A match whose intents are judged one after the other."""

    def __init__(self, entry: int, sitting: int, **options: Any) -> None:
        self.match = Match(MATCH, CARROM)
        self.now_ms = START_MS
        self.offset = 0
        self.helped = False
        self.keys = LoadedDealer()
        opening = m.OpenTable(
            rules=CARROM.rules,
            options=options,
            entry_coins=entry,
            nickname="",
            seat_number="1",
            line=line(0),
        )
        self.opened = self.do(opening, 0)
        for who in range(1, sitting):
            self.began = self.do(m.JoinTable(nickname="", seat_number="1", line=line(who)), who)
        if entry:
            held = m.EntriesHeld(attempt=self.match.known.attempt)
            self.began = self.do(held, None, system="wallet")
        assert self.match.known.phase is Phase.PLAYING

    def judged(
        self, intent: Message, who: int | None, system: SystemName | None = None
    ) -> tuple[Message, ...] | Refused:
        state = self.match.state
        envelope = IntentEnvelope[Any](
            intent_id=uuid7(self.now_ms, self.offset),
            match_id=MATCH,
            player_id=None if who is None else player(who),
            system=system,
            step=state.step if state and (who is not None or system == "bots") else None,
            not_after_ms=None,
            sent_by=MATCH,
            intent=intent,
        )
        stamp = judge.Stamp(0, self.offset, self.now_ms)
        if state is None:
            return judge.open_table(envelope, self.match.game, self.keys, stamp)
        work = judge.work(self.match, envelope, stamp)
        alone = judge.judge(self.match, envelope, self.keys, stamp)
        if work is not None:
            helped = work.given(work.run())
            assert judge.judge(self.match, envelope, self.keys, stamp, helped) == alone
        self.helped = work is not None
        return alone

    def do(self, intent: Message, who: int | None, system: SystemName | None = None) -> Any:
        """Let an intent be accepted; see to it that its record is a fit one, and that an auditor
        finds the very intent again.
        """
        events = self.judged(intent, who, system)
        assert isinstance(events, tuple), events
        record = Record[Any](
            match_id=MATCH,
            seq=self.match.seq + 1,
            at_ms=self.now_ms,
            caused_by=Cause(
                intent_id=uuid7(self.now_ms, self.offset),
                sender=f"system:{system}" if who is None else f"player:{player(who)}",
                partition=0,
                offset=self.offset,
                at_ms=self.now_ms,
            ),
            rules=CARROM.rules,
            prev=self.match.digest,
            events=events,
        )
        value = encode(record)
        assert len(value) < RECORD_BYTES / 10
        if isinstance(intent, Shoot):
            assert asked(self.match, record).intent == intent
        if isinstance(intent, m.Due):
            assert isinstance(asked(self.match, record).intent, m.Due)
        state = fold(CARROM, self.match.state, events)
        self.match.apply(record, value, state)
        self.offset += 1
        return events


def kinds(events: tuple[Message, ...]) -> list[type[Message]]:
    return [type(event) for event in events]


def test_K3_the_first_event_names_the_physics() -> None:
    table = Table(0, 2)
    opened = table.opened[0]
    assert isinstance(opened, m.TableOpened)
    assert opened.options["physics_version"] == 1
    assert opened.options["players"] == 2
    assert kinds(table.began) == [m.SeatTaken, m.MatchStarted, BoardLaid, m.StepOpened]


@pytest.mark.parametrize(
    "options", [{"physics_version": 2}, {"players": 4}, {"step_seconds": 8}, {"mode": "teams"}]
)
def test_K7_options_that_no_table_has(options: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="bad_options"):
        Table(0, 2, **options)


def test_K5_a_shot_is_one_record_and_the_next_step_opens() -> None:
    table = Table(0, 2)
    step = table.match.known.step
    events = table.do(BREAK, 0)
    assert kinds(events) == [StrikerShot, DiscsRested, ShotJudged, TurnPassed, m.StepOpened] or (
        events[2].row == "N2"
    )
    assert events[-1].step == step + 1
    assert events[-1].seat == table.match.known.board.turn
    assert snapshot(table.match).state.board == CARROM.view(table.match.known.board)


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"x": 300_000}, Reason.STRIKER_OFF_LINE),
        ({"dy": 0, "dx": 1}, Reason.NOT_FORWARD),
        ({"speed": 0}, Reason.BAD_SPEED),
    ],
)
def test_K8_a_refused_shot_changes_nothing(wish: dict[str, int], reason: Reason) -> None:
    table = Table(0, 2)
    before = table.match.known
    refused = table.judged(BREAK.model_copy(update=wish), 0)
    assert isinstance(refused, Refused)
    assert refused.reason is reason
    assert table.match.known == before
    not_his_turn = table.judged(BREAK, 1)
    assert isinstance(not_his_turn, Refused)
    assert not_his_turn.reason is Reason.NOT_YOUR_TURN


def test_K8_the_clock_plays_the_weak_shot_and_the_player_keeps_his_seat() -> None:
    table = Table(0, 2)
    table.now_ms += WEAK_MS
    events = table.do(m.Due(last_ms=table.now_ms), None, system="timer")
    assert kinds(events)[:4] == [m.StepTimedOut, StrikerShot, DiscsRested, ShotJudged]
    assert (events[1].seat, events[1].why, events[1].speed) == (0, "clock", 2_400_000)
    assert isinstance(events[-1], m.StepOpened)
    assert not table.match.known.sitters[0].left


def test_K8_M6_partners_of_whoever_leaves_lose_and_the_others_share() -> None:
    table = Table(33, 4, players="2v2")
    table.do(BREAK, 0)
    events = table.do(m.LeaveTable(), 1)
    assert kinds(events) == [m.PlayerLeft, SeatLeft, BoardWon, m.EntriesSettled, m.MatchEnded]
    assert events[2] == BoardWon(colour="white", seats=(0, 2), why="left")
    settled = events[3]
    assert (settled.pot_coins, settled.fee_coins) == (132, 13)
    assert [(prize.seat, prize.coins) for prize in settled.prizes] == [(0, 60), (2, 59)]
    places = [(place.seat, place.place) for place in events[4].places]
    assert places == [(0, 1), (2, 1), (1, 2), (3, 2)]


def test_K8_B_at_a_free_table_a_bot_goes_on_for_whoever_leaves() -> None:
    table = Table(0, 2)
    assert kinds(table.do(m.LeaveTable(), 0)) == [m.PlayerLeft]
    shot = table.do(CARROM.bot(table.match.known.board, ""), None, system="bots")[0]
    assert (shot.seat, shot.why) == (0, "chosen")


def test_M5_two_players_the_winner_takes_the_net() -> None:
    table = Table(100, 2)
    settled = next(e for e in table.do(m.LeaveTable(), 0) if isinstance(e, m.EntriesSettled))
    assert [(prize.seat, prize.coins) for prize in settled.prizes] == [(2, 180)]


def test_K3_what_takes_long_is_known_before_the_judgement_and_only_where_it_is_needed() -> None:
    table = Table(0, 2)

    def asks(intent: Message, who: int | None, system: SystemName | None = None) -> bool:
        table.judged(intent, who, system)
        return table.helped

    assert not asks(BREAK, 1), "not his turn"
    assert not asks(BREAK.model_copy(update={"speed": 0}), 0), "no shot"
    assert not asks(m.Due(last_ms=table.now_ms), None, "timer"), "not due"
    assert asks(BREAK, 0)
    table.now_ms += WEAK_MS
    assert not asks(m.Due(last_ms=table.now_ms - 5_000), None, "timer"), "the house stood still"
    assert asks(m.Due(last_ms=table.now_ms), None, "timer")
    table.do(m.LeaveTable(), 0)
    assert asks(BREAK, None, "bots")


def test_K3_a_result_that_is_there_is_not_computed_again() -> None:
    state = Table(0, 2).match.known.board
    work = CARROM.work(state, BREAK)
    assert work is not None
    far = Rest(((0, 0, -300_000),), (), 7)
    events = work.given(far).decide(state, 0, BREAK, NO_CHANCE)
    assert isinstance(events, tuple)
    assert isinstance(events[1], DiscsRested)
    assert events[1].steps == 7, "it is taken as it is"
    other = BREAK.model_copy(update={"speed": 1_000_000})
    assert work.given(far).decide(state, 0, other, NO_CHANCE) == CARROM.decide(
        state, 0, other, NO_CHANCE
    ), "and is that of one shot alone"
