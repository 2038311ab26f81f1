"""Any play at a coin table keeps the rules of coins, and an auditor finds nothing against it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, Final

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sahrat import verify
from sahrat.games.ludo.messages import MovePawn, RollDie
from sahrat.log.live import LivePartition
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages.envelope import Record
from sahrat.messages.reasons import Reason
from tests.unit.match.desk import Desk, gateway, player, refold
from tests.unit.match.loaded import LoadedDealer, loaded, put_pawns

PEOPLE: Final = 6  # of whom up to four find a seat


class Run:
    """A table at which people, the wallet, the timer and an operator do anything at any moment."""

    def __init__(self, seed: int, size: int, entry: int, calm: float) -> None:
        self.rng = random.Random(seed)
        self.calm = calm
        self.desk = Desk(n=seed % 1000)
        self.lines = 100
        self.desk.open(0, entry=entry, players=size, step_seconds=30)

    def run(self, steps: int) -> Desk:
        for _ in range(steps):
            if not self.desk.match.live:
                break
            self.desk.wait(self.rng.choice([0.05, 0.4, 2, 7]))
            state = self.desk.state
            if self.rng.random() > self.calm:
                self.stray()
            elif state.phase is Phase.OPEN:
                self.join(self.rng.randrange(PEOPLE))
            elif state.phase is Phase.FUNDING:
                self.answer(state)
            else:
                self.act(state)
        return self.desk

    def join(self, who: int) -> None:
        self.lines += 1
        self.desk.join(who, line_n=self.lines)

    def answer(self, state: Any) -> None:
        attempt = self.rng.choice([state.attempt] * 6 + [0, state.attempt + 1])
        if self.rng.random() < 0.3:
            short = [n for n in range(PEOPLE) if state.chair(player(n)) is not None]
            short = self.rng.sample(short, self.rng.randint(1, len(short)))
            self.desk.short(*short, attempt=attempt)
        else:
            self.desk.held(attempt)

    def act(self, state: Any) -> None:
        intent = self.desk.match.game.bot(state.board, "")
        if isinstance(intent, RollDie):
            intent = RollDie(number=str(self.rng.getrandbits(64)))
        assert isinstance(intent, (RollDie, MovePawn))
        self.desk.send(intent, who=self.desk.on_turn(), step=state.step)

    def stray(self) -> None:
        """Something that seldom happens, or that must not be."""
        desk, who = self.desk, self.rng.randrange(PEOPLE)
        here = desk.state.chair(player(who)) is not None
        draw = self.rng.random()
        if draw < 0.2:
            desk.leave(who)
        elif draw < 0.4 and here:
            desk.down(who) if desk.state.sitters[desk.state.chair(player(who))].line else None
        elif draw < 0.55:
            self.join(who)
        elif draw < 0.65:
            desk.put(desk.envelope(m.GatewayLost(gateway=gateway()), system="timer"))
        elif draw < 0.75:
            last_ms = desk.now_ms - self.rng.choice([500, 4_000, 90_000])
            desk.put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
        elif draw < 0.95:
            desk.wait(self.rng.choice([1, 20, 61, 400])).due()
        elif draw < 0.97:
            desk.stop()
        else:
            desk.held(self.rng.randrange(4))


def assert_sound(desk: Desk, entry: int) -> None:
    """What must hold of every coin match, read off its records alone."""
    moved = [[e for e in r.events if isinstance(e, m.MOVES_COINS)] for r in desk.records]
    assert all(len(events) <= 1 for events in moved), "one record moves coins once at most"
    asked = [event for events in moved for event in events]
    attempts = {e.attempt: e for e in asked if isinstance(e, m.FundingBegan)}
    assert all(began.entry_coins == entry for began in attempts.values())
    for attempt, began in attempts.items():
        assert [r.seq for r in desk.records if began in r.events] == [attempt]
        ends = [e for e in asked if e is not began and getattr(e, "attempt", 0) == attempt]
        assert len(ends) == (1 if not desk.match.live or attempt != desk.state.attempt else 0)
    for event in asked:
        if isinstance(event, m.EntriesSettled):
            _assert_settled(desk, event, attempts[event.attempt])
        if isinstance(event, m.EntriesRefunded):
            assert sorted(event.players) == sorted(attempts[event.attempt].players)
    assert not any(getattr(e, "bot", False) for r in desk.records for e in r.events)
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state
    assert desk.dead == []


def _assert_settled(desk: Desk, settled: m.EntriesSettled, began: m.FundingBegan) -> None:
    prizes = [prize.coins for prize in settled.prizes]
    assert settled.pot_coins == began.entry_coins * len(began.players)
    assert sum(prizes) + settled.fee_coins == settled.pot_coins
    assert all(prize.player_id in began.players for prize in settled.prizes)
    lost = [
        e.player_id
        for r in desk.records
        for e in r.events
        if isinstance(e, m.PlayerLeft) and not e.kept
    ]
    assert not {*lost} & {prize.player_id for prize in settled.prizes}
    last = desk.records[-1].events
    assert last[-2] == settled
    assert isinstance(last[-1], m.MatchEnded)


@settings(max_examples=80)
@given(
    st.integers(0, 2**32),
    st.sampled_from((2, 3, 4)),
    st.sampled_from((10, 33, 100, 1_000_000)),
    st.sampled_from((0.3, 0.8, 0.97)),
)
def test_any_play_keeps_the_rules_of_coins(seed: int, size: int, entry: int, calm: float) -> None:
    desk = Run(seed, size, entry, calm).run(250)
    assert_sound(desk, entry)
    report = verify.verify(desk.values)
    assert report.problem == ""
    assert report.secret is not desk.match.live


def test_whole_matches_with_all_kinds_of_ends_are_sound_and_verify() -> None:
    ends: set[str] = set()
    for seed in range(12):
        desk = Run(seed, 2 + seed % 3, 33, 0.995).run(4_000)
        assert_sound(desk, 33)
        assert verify.verify(desk.values).problem == ""
        ends.add(desk.records[-1].events[-1].type)
    assert "match.ended" in ends


# ---- the end and a stop at once


def _to_the_last_roll(seed: int) -> tuple[Desk, Any, int]:
    """A match, and what will end it: a leaver, an away clock or a last pawn."""
    rng = random.Random(seed)
    size = rng.choice((2, 3, 4))
    desk = loaded(n=seed).coin_table(*range(size), entry=rng.choice((10, 33, 100)))
    for who in rng.sample(range(size), size - 2):
        desk.leave(who)
    left = [n for n in range(size) if not desk.state.sitters[n].left]
    who = rng.choice(left)
    kind = rng.choice(("leaves", "is away", "comes home"))
    if kind == "leaves":
        return desk, m.LeaveTable(), who
    if kind == "is away":
        desk.down(who)
        desk.wait(60)
        return desk, m.Due(last_ms=desk.now_ms), -1
    put_pawns(desk, who, 56, 56, 56, 55)
    return desk, RollDie(number="1"), who


def _branch(desk: Desk) -> Desk:
    """The same match once more, to be ended in another way."""
    other = Desk(n=desk.n, keys=LoadedDealer(), now_ms=desk.now_ms)
    other.match_id, other.partition = desk.match_id, desk.partition
    other.live = LivePartition(desk.partition, high=desk.live.high)
    other.live.matches[desk.match_id] = replace(desk.match)
    other.records, other.intents = [*desk.records], [*desk.intents]
    return other


def test_F27_an_end_and_a_stop_at_once_settle_or_refund_in_both_orders() -> None:
    kinds = set()
    for seed in range(1_000):
        desk, ending, who = _to_the_last_roll(seed)
        kinds.add(type(ending))
        sender: dict[str, Any] = {"system": "timer"} if who < 0 else {"who": who}
        for order in ("end, stop", "stop, end"):
            run = _branch(desk)
            step = run.state.step
            outcomes = []
            for what in order.split(", "):
                if what == "stop":
                    outcomes.append(run.stop())
                else:
                    outcomes.append(run.send(ending, step=step, **sender))
            first, second = outcomes
            assert isinstance(first, Record)
            assert second.reason is Reason.UNKNOWN_MATCH
            moved = [e.type for e in first.events if isinstance(e, m.MOVES_COINS)]
            due = "entries.settled" if order == "end, stop" else "entries.refunded"
            assert moved == [due], f"seed {seed}, {order}"
    assert kinds == {m.LeaveTable, m.Due, RollDie}


@pytest.mark.parametrize("field", ["coins", "seat", "fee_coins", "pot_coins", "attempt"])
def test_an_auditor_names_a_prize_that_was_moved(field: str) -> None:
    report = verify.verify(_forged(_ended(), field))
    assert "entries.settled" in report.problem


def _ended() -> list[bytes]:
    desk = Desk().coin_table(0, 1, 2, entry=100)
    desk.leave(0)
    desk.leave(1)
    assert not desk.match.live
    return desk.values


def _forged(lines: list[bytes], field: str) -> list[bytes]:
    record = orjson.loads(lines[-1])
    settled = record["events"][-2]
    place = settled["prizes"][0] if field in settled["prizes"][0] else settled
    place[field] = place[field] - 1 if place[field] else 1
    return [*lines[:-1], orjson.dumps(record)]
