"""What a house could forge with all digests made to fit: each is found, and named (rule D.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from sahrat import verify
from sahrat.match.judge import Stamp, partition_intent
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from sahrat.messages.topics import MATCH_PARTITIONS
from tests.unit.match.desk import Desk
from tests.unit.test_verify import first_with, rechained, whole_match


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return whole_match().values


@pytest.fixture(scope="module")
def bot_lines() -> list[bytes]:
    lines = bot_match()
    assert verify.verify(lines).problem == ""
    return lines


def bot_match() -> list[bytes]:
    """A match in which a bot plays for one who has left; stopped after a while."""
    desk = Desk(n=2)
    desk.table_of(0, 1)
    desk.send(m.LeaveTable(), who=1)
    for turn in range(60):
        intent = desk.match.game.bot(desk.state.board, "")
        if desk.state.sitters[desk.state.chair_of_seat(desk.state.step_seat)].bot:
            desk.send(intent, system="bots", step=desk.state.step)
        else:
            if desk.match.game.number(intent) == "":
                intent = intent.model_copy(update={"number": str(turn)})
            desk.send(intent, who=0, step=desk.state.step)
    desk.send(m.StopMatch(reason="operator", operator="hind", detail="why"), system="operator")
    return desk.values


def from_sender(lines: list[bytes], sender: str, after: int = 0) -> int:
    """Return the number of the first record that a sender caused."""
    return next(
        n
        for n, value in enumerate(lines, 1)
        if n > after and orjson.loads(value)["caused_by"]["sender"] == sender
    )


def forged(lines: list[bytes], number: int, change: Callable[[Any], None]) -> str:
    """Change one record, make the digests fit, and return what is found."""
    return verify.verify(
        rechained(lines, lambda n, record: change(record) if n == number else None)
    ).problem


def test_K4_nobody_gets_a_fresh_clock_while_the_house_was_alive(lines: list[bytes]) -> None:
    desk = Desk(n=2)
    desk.table_of(0, 1)
    now_ms = desk.now_ms
    stamp = Stamp(0, 10**6, now_ms)
    for last_ms in (now_ms, now_ms - 1, now_ms - 2_000, now_ms + 2_000):
        assert partition_intent(desk.match, m.Tick(last_ms=last_ms), desk.keys, stamp) == ()
    assert partition_intent(desk.match, m.Tick(last_ms=now_ms - 2_001), desk.keys, stamp) != ()

    number, _ = first_with(lines, "match.resumed")

    def change(record: Any) -> None:
        record["events"][0]["last_ms"] = record["caused_by"]["at_ms"] - 2_000

    assert f"record {number} " in forged(lines, number, change)


@pytest.mark.parametrize(
    ("kind", "sender"),
    [
        ("step.timed_out", "system:gateway"),
        ("step.timed_out", "system:wallet"),
        ("step.timed_out", "system:zzz"),
        ("match.resumed", "system:bots"),
        ("match.resumed", "system:wallet"),
        ("player.away", "system:bots"),
    ],
)
def test_who_may_not_have_asked_is_named(lines: list[bytes], kind: str, sender: str) -> None:
    number, _ = first_with(lines, kind)

    def change(record: Any) -> None:
        record["caused_by"]["sender"] = sender

    problem = forged(lines, number, change)
    assert f"record {number}" in problem
    assert "wrong_sender" in problem or sender in problem or sender == "system:wallet"


def test_M8_what_went_back_of_a_coin_table_that_was_stopped_is_said() -> None:
    desk = Desk(n=3).coin_table(0, 1, 2, entry=33)
    desk.send(m.StopMatch(reason="operator", operator="hind", detail="why"), system="operator")
    report = verify.verify(desk.values)
    assert (report.problem, report.end) == ("", "match.stopped")
    assert (report.refund_coins, report.prizes, report.fee_coins) == (99, (), 0)


@pytest.mark.parametrize("sender", ["system:bots", "system:wallet", "system:gateway"])
def test_T1_nobody_but_the_timer_and_operators_stops_a_match(sender: str) -> None:
    desk = Desk(n=2)
    desk.table_of(0, 1)
    desk.send(m.StopMatch(reason="operator", operator="hind", detail="why"), system="operator")
    assert verify.verify(desk.values).problem == ""

    def change(record: Any) -> None:
        record["caused_by"]["sender"] = sender

    assert f"record {len(desk.values)}" in forged(desk.values, len(desk.values), change)


def test_D3_a_bots_roll_has_no_number_even_one_that_changes_nothing(
    bot_lines: list[bytes],
) -> None:
    number = from_sender(bot_lines, "system:bots")
    while b"ludo.rolled" not in bot_lines[number - 1]:
        number = from_sender(bot_lines, "system:bots", after=number)
    found = []
    for roll_number in range(1, 100):  # one in six gives the same face

        def change(record: Any, chosen: int = roll_number) -> None:
            record["events"][0]["number"] = str(chosen)

        found.append(forged(bot_lines, number, change))
        if "the secret gives" not in found[-1]:
            break
    assert f"record {number}" in found[-1]
    assert "bad_number" in found[-1]


def test_D3_rules_refuses_a_bots_number_and_a_player_without_one() -> None:
    desk = Desk(n=2)
    desk.table_of(0, 1)
    roll = desk.match.game.bot(desk.state.board, "")
    assert desk.match.game.number(roll) == ""
    who = desk.on_turn()
    assert desk.send(roll, who=who, step=desk.state.step).reason is Reason.BAD_NUMBER
    desk.send(m.LeaveTable(), who=who)
    numbered = roll.model_copy(update={"number": "7"})
    assert desk.send(numbered, system="bots", step=desk.state.step).reason is Reason.BAD_NUMBER


@pytest.mark.parametrize(
    "rewrite",
    [
        pytest.param(lambda line: line.replace(b'":', b'": ', 1), id="a-blank"),
        pytest.param(lambda line: b" " + line, id="a-blank-before"),
        pytest.param(lambda line: line.replace(b'"type"', b'"\\u0074ype"', 1), id="an-escape"),
        pytest.param(lambda line: line.replace(b'{"v":1', b'{"v":1,"v":1', 1), id="a-key-twice"),
        pytest.param(
            lambda line: line.replace(b'"events":', b'"events":[],"events":', 1), id="two-stories"
        ),
        pytest.param(
            lambda line: orjson.dumps(orjson.loads(line), option=orjson.OPT_SORT_KEYS), id="sorted"
        ),
    ],
)
def test_a_record_in_other_bytes_is_not_ours(
    lines: list[bytes], rewrite: Callable[[bytes], bytes]
) -> None:
    """A reader that takes the first of two keys would be told another match."""
    last = rewrite(lines[-1])
    assert last != lines[-1]
    assert f"record {len(lines)} " in verify.verify([*lines[:-1], last]).problem


def test_one_intent_makes_one_record(bot_lines: list[bytes]) -> None:
    sender = "system:bots"
    first = from_sender(bot_lines, sender)
    again = from_sender(bot_lines, sender, after=first)
    cause = orjson.loads(bot_lines[first - 1])["caused_by"]

    def change(record: Any) -> None:
        record["caused_by"]["intent_id"] = cause["intent_id"]

    problem = forged(bot_lines, again, change)
    assert f"record {again} comes from the intent of record {first}" in problem


def test_a_record_comes_from_its_matchs_own_partition(lines: list[bytes]) -> None:
    def change(record: Any) -> None:
        record["caused_by"]["partition"] = (record["caused_by"]["partition"] + 1) % MATCH_PARTITIONS

    assert "record 5 comes from a partition" in forged(lines, 5, change)
