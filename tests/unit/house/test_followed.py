"""What a phone notices in the records that it is sent, and whose turn it thinks it is."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from sahrat.match import view
from sahrat.match.match import digest_of
from sahrat.messages import match as m
from sahrat.messages.codec import encode
from services.house.followed import Followed
from services.house.pace import BURST_S, SHARE, Pace
from tests.unit.match.desk import Desk, line, player, refold
from tests.unit.match.loaded import loaded, put_pawns, roll
from tests.unit.test_verify import rechained, whole_match


@pytest.fixture(scope="module")
def desk() -> Desk:
    return whole_match(3)


def followed(desk: Desk, who: int = 0) -> Followed:
    return Followed(desk.match_id, player(who))


def take(known: Followed, value: bytes) -> bool:
    return known.take(value, orjson.loads(value))


@pytest.mark.parametrize("who", [0, 1, 2, 7])
def test_a_whole_match_is_followed_to_its_end(desk: Desk, who: int) -> None:
    known = followed(desk, who)
    assert all(take(known, value) for value in desk.values)
    assert known.problems == []
    assert (known.seq, known.digest) == (len(desk.values), desk.match.digest)
    assert known.end == "match.ended"
    assert known.places == dict(desk.state.places)
    assert known.digests[5] == digest_of(desk.values[4])
    if who == 7:
        assert known.seat is None
    else:
        assert known.seat == desk.seat_of(who)
        assert known.mine is not None


def test_M_of_a_coin_table_it_knows_what_everybody_won_and_lost() -> None:
    desk = Desk(n=4).coin_table(0, 1, 2, entry=100)
    desk.leave(1)
    desk.leave(0)
    for who, net, forfeited in ((0, -100, True), (1, -100, True), (2, 170, False), (7, 0, False)):
        known = followed(desk, who)
        assert all(take(known, value) for value in desk.values)
        assert known.problems == []
        assert (known.entry_coins, known.net_coins, known.forfeited) == (100, net, forfeited)


@pytest.mark.parametrize("when", ["open", "funding", "play"])
def test_M8_a_stop_costs_nobody_anything(when: str) -> None:
    desk = Desk(n=4)
    desk.open(0, entry=100, players=2)
    if when != "open":
        desk.join(1)
    if when == "play":
        desk.held()
        desk.down(1)
    desk.stop()
    known = followed(desk)
    assert all(take(known, value) for value in desk.values)
    assert (known.net_coins, known.forfeited, known.problems) == (0, False, [])


def test_M_an_end_that_came_in_a_snapshot_does_not_say_what_was_won() -> None:
    desk = Desk(n=4).coin_table(0, 1, entry=100)
    desk.leave(1)
    known = followed(desk, 1)
    known.load(orjson.loads(encode(view.snapshot(desk.match))))
    assert known.end == "match.ended"
    assert (known.net_coins, known.forfeited, known.entry_coins) == (None, True, 100)


def test_B1_a_bot_at_a_coin_table_and_a_pot_that_is_not_shared_out_are_told() -> None:
    desk = Desk(n=4).coin_table(0, 1, entry=100)
    desk.leave(1)

    def change(number: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "player.left":
                event["bot"] = True
            if event["type"] == "entries.settled":
                event["fee_coins"] += 1

    known = followed(desk)
    for value in rechained(desk.values, change):
        take(known, value)
    told = [problem.partition(": ")[2] for problem in known.problems]
    assert told == ["a bot plays at a coin table", "prizes and fee are not the pot"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"may_pass": "on", "forced_capture": "on", "bonus_stack": "add_up", "start": "random"},
        {"may_pass": "on", "three_sixes": "rollback_turn", "block": "two_block", "pawns_out": 4},
    ],
    ids=["plain", "declining", "rolling-back"],
)
def test_it_is_a_players_turn_exactly_when_rules_says_so(options: dict[str, Any]) -> None:
    desk = Desk(n=3)
    phones = [followed(desk, who) for who in range(3)]
    rng = random.Random(4)
    sent = 0

    def catch_up() -> None:
        nonlocal sent
        for value in desk.values[sent:]:
            for known in phones:
                assert take(known, value)
        sent = len(desk.values)

    desk.table_of(0, 1, 2, **options)
    for number in range(400):
        catch_up()
        if not desk.match.live:
            break
        turn = desk.on_turn()
        assert [known.my_turn for known in phones] == [who == turn for who in range(3)]
        if number % 37 == 36:
            desk.wait(15).due()
            continue
        intent = phones[turn].choose(rng)
        answer = desk.send(decoded(desk, intent), who=turn, step=phones[turn].step)
        assert answer.seq == sent + 1
    assert all(known.problems == [] for known in phones)
    assert sum(known.timed_out for known in phones) >= 3
    assert all(len(known.lost_steps) == known.timed_out for known in phones)


def decoded(desk: Desk, intent: dict[str, Any]) -> Any:
    kinds = {str(kind.model_fields["type"].default): kind for kind in desk.match.game.intents}
    return kinds[intent["type"]].model_validate(intent)


def test_a_record_that_does_not_continue_the_one_before_is_noticed(desk: Desk) -> None:
    known = followed(desk)
    for value in desk.values[:9]:
        take(known, value)
    changed = desk.values[9].replace(b'"at_ms":18', b'"at_ms":19', 1)
    assert take(known, changed)
    assert known.problems == []  # it shows by the next one
    take(known, desk.values[10])
    assert known.problems == [
        f"{desk.match_id}: record 11 does not continue the record 10 that was seen"
    ]


def test_a_gap_and_a_record_with_two_contents_are_noticed(desk: Desk) -> None:
    known = followed(desk)
    for value in desk.values[:9]:
        take(known, value)
    assert not take(known, desk.values[10])
    assert "record 11 came after record 9" in known.problems[0]
    assert not take(known, desk.values[4])
    assert known.again == 1
    assert len(known.problems) == 1
    assert not take(known, desk.values[4].replace(b'"at_ms":18', b'"at_ms":19', 1))
    assert "record 5 came again with other bytes" in known.problems[1]
    assert known.seq == 9


def test_S_a_bots_act_for_somebody_who_is_back_is_noticed() -> None:
    desk = Desk(n=4)
    desk.table_of(0, 1)
    known = followed(desk, 1)
    for who in (0, 1):
        desk.send(m.LeaveTable(), who=who)
    while not bots_acted(desk):
        desk.send(desk.match.game.bot(desk.state.board, ""), system="bots", step=desk.state.step)
    for who in (0, 1):
        desk.join(who, line_n=50 + who)
    desk.wait(15).due()

    def as_a_bots(number: int, record: Any) -> None:
        if number == len(desk.values):
            record["caused_by"]["sender"] = "system:bots"

    *fine, wrong = rechained(desk.values, as_a_bots)
    for value in fine:
        take(known, value)
    assert known.problems == []
    assert known.returned == 1
    take(known, wrong)
    assert "a bot acted for seat" in known.problems[0]


def bots_acted(desk: Desk) -> bool:
    return desk.records[-1].caused_by.sender == "system:bots"


def test_S_nobody_acts_while_a_bot_plays_his_seat() -> None:
    desk = Desk(n=5)
    desk.table_of(0, 1)
    who = desk.on_turn()
    known = followed(desk, who)
    for value in desk.values:
        take(known, value)
    assert turn_of(known)
    desk.send(m.LeaveTable(), who=who)
    take(known, desk.values[-1])
    assert not turn_of(known)
    desk.send(desk.match.game.bot(desk.state.board, ""), system="bots", step=desk.state.step)
    take(known, desk.values[-1])
    assert known.lost_steps == {1}
    while desk.on_turn() != who:
        desk.wait(15).due()
        take(known, desk.values[-1])
    desk.send(m.JoinTable(nickname="x", seat_number="1", line=line(44)), who=who)
    take(known, desk.values[-1])
    assert turn_of(known)
    assert known.problems == []


def turn_of(known: Followed) -> bool:
    """Whether it is the phone's turn, as it is now: it changes with what it takes."""
    return known.my_turn


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 1.0])
def test_after_a_snapshot_a_phone_goes_on_as_one_that_saw_everything(
    desk: Desk, share: float
) -> None:
    at = round(share * len(desk.values))
    known, whole = followed(desk), followed(desk)
    for value in desk.values[:3]:
        take(known, value)
    for value in desk.values[:at]:
        take(whole, value)
    known.load(snapshot_at(desk, at))
    assert (known.seq, known.digest, known.step) == (whole.seq, whole.digest, whole.step)
    assert (known.my_turn, known.seat, known.end) == (whole.my_turn, whole.seat, whole.end)
    assert known.places == whole.places
    if known.my_turn:
        assert known.choose(random.Random(1)) == whole.choose(random.Random(1))
    for value in desk.values[at:]:
        assert take(known, value)
    assert known.problems == []


def test_a_snapshot_that_does_not_fit_is_noticed(desk: Desk) -> None:
    known = followed(desk)
    for value in desk.values[:9]:
        take(known, value)
    known.load(snapshot_at(desk, 7))
    known.load({**snapshot_at(desk, 9), "digest": "0" * 64})
    assert [problem.split(": ")[1] for problem in known.problems] == [
        "the snapshot at record 7 does not fit record 9 that was seen",
        "the snapshot at record 9 does not fit record 9 that was seen",
    ]
    assert known.digest == digest_of(desk.values[8])


def snapshot_at(desk: Desk, seq: int) -> Any:
    """What a gateway sends of a match after one of its records."""
    match = refold(desk, desk.values[:seq]).get(desk.match_id)
    assert match is not None
    return orjson.loads(encode(view.snapshot(match)))


def test_a_phone_stays_below_what_the_house_allows() -> None:
    rate, now_s, sent = 20, 100.0, []
    pace = Pace(rate)
    for _ in range(400):
        wait_s = pace.take(now_s)
        now_s += wait_s
        sent.append(now_s)
    assert sent[20] == sent[0]  # at once after a pause
    for first in range(len(sent)):
        for count in (40, 80, 200):
            if first + count < len(sent):
                allowed = 2 * rate + (sent[first + count] - sent[first]) * rate
                assert count <= allowed
    assert sent[-1] - sent[0] == pytest.approx(400 / (rate * SHARE) - BURST_S, abs=0.2)


def test_l6_a_choice_that_changes_while_it_is_open_is_seen() -> None:
    """Somebody leaves a coin table whose block was in the way."""
    desk = loaded().coin_table(0, 1, 2, block="two_block")
    put_pawns(desk, 0, 20, 30, 22, -1)
    board = desk.state.board
    theirs = (board.pawns[0], (18, 18, -1, -1), *board.pawns[2:])  # green's 18 is square 31
    desk.match.state = replace(desk.state, board=replace(board, pawns=theirs))
    known = followed(desk)
    for value in desk.values:
        take(known, value)
    for record, movable in ((roll(desk, 3), {0, 2}), (desk.leave(1), {0, 1, 2})):
        take(known, encode(record))
        chosen = {known.choose(random.Random(n))["pawn"] for n in range(30)}
        assert chosen == movable


def test_K5_it_knows_that_a_bot_has_its_seat_until_it_asks() -> None:
    desk = loaded()
    desk.table_of(0, 1, missed_limit=3)
    known = followed(desk)
    told = []
    for _ in range(3):
        desk.wait(15).due()
        roll(desk, 1)
    desk.join(0, line_n=90)
    for value in desk.values:
        take(known, value)
        told.append(known.replaced)
    assert told.count(True) == 2, "from the record that says so to the one with which he is back"
    assert not told[-1]
    assert (known.returned, known.problems) == (1, [])
