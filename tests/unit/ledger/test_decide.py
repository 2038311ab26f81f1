"""Rule M: each command's one outcome, its refusals in the order of the checks."""

from dataclasses import replace
from typing import Any

import pytest

from sahrat.ledger.decide import Dropped, Stamp, decide, may_send
from sahrat.ledger.state import CLOSED_MS, DAY_MS, DAYS
from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT
from sahrat.messages.topics import partition_of
from tests.unit.ledger.desk import (
    START_MS,
    Desk,
    granting,
    match,
    player,
    refold,
    refunding,
    welcoming,
)

R = w.WalletReason


def funded(coins: int, *who: int) -> Desk:
    desk = Desk()
    for number in who:
        assert desk.grant(number, coins).reason is None
    return desk


def test_M4_every_entry_is_held_and_what_is_left_can_be_spent() -> None:
    desk = funded(150, 0, 1)
    held = desk.hold(1, 100, 0, 1)
    account = w.hold_account(match(1), 3)
    assert held.reason is None
    assert [(p.source, p.destination, p.coins) for p in held.postings] == [
        (w.player_account(player(0)), account, 100),
        (w.player_account(player(1)), account, 100),
    ]
    assert {b.account: b.coins for b in held.balances} == {
        w.player_account(player(0)): 50,
        w.player_account(player(1)): 50,
        account: 200,
    }
    assert desk.book.state.held(player(0)) == {match(1): 100}


def test_M4_one_without_the_coins_and_nothing_is_held() -> None:
    desk = funded(150, 0, 1)
    desk.hold(1, 100, 0, 1)
    refused = desk.hold(2, 60, 0, 1, 2)
    assert (refused.reason, refused.postings) == (R.NOT_ENOUGH, ())
    assert refused.short == (player(0), player(1), player(2))


def test_C40_twenty_joins_at_sixty_with_a_hundred_coins() -> None:
    desk = funded(100, 0)
    for number in range(1, 21):
        desk.grant(number, 60)
    outcomes = [desk.hold(number, 60, 0, number).reason for number in range(1, 21)]
    assert outcomes == [None] + [R.NOT_ENOUGH] * 19
    assert desk.available(0) == 40


def test_M5_the_pot_is_paid_out_and_the_fee_goes_to_the_house() -> None:
    desk = funded(33, 0, 1, 2, 3)
    desk.hold(1, 33, 0, 1, 2, 3)
    paid = desk.settle(1, 13, [(2, 84), (0, 35)])
    assert paid.reason is None
    assert (desk.available(2), desk.available(0), desk.coins[w.FEE]) == (84, 35, 13)
    assert w.hold_account(match(1), 3) not in desk.coins
    assert desk.book.state.holds == {}
    assert desk.book.state.held(player(0)) == {}


def test_M8_settled_or_refunded_and_never_both() -> None:
    for first, second in (("settle", "refund"), ("refund", "settle")):
        desk = funded(15, 0, 1)
        desk.hold(1, 15, 0, 1)
        acts = {
            "settle": lambda desk=desk: desk.settle(1, 3, [(0, 27)]),
            "refund": lambda desk=desk: desk.refund(1),
        }
        assert acts[first]().reason is None
        assert acts[second]().reason is R.ALREADY_SETTLED
        assert acts[first]().reason is R.ALREADY_SETTLED
        assert desk.hold(1, 10, 0, 1, attempt=9).reason is R.ALREADY_SETTLED


def test_M8_long_after_a_settlement_nothing_is_held_and_that_is_the_refusal() -> None:
    desk = funded(15, 0, 1)
    desk.hold(1, 15, 0, 1)
    desk.refund(1)
    desk.now_ms += CLOSED_MS
    assert desk.refund(1).reason is R.ALREADY_SETTLED
    desk.now_ms += 1
    desk.grant(5, 1)
    assert desk.refund(1).reason is R.NOTHING_HELD


@pytest.mark.parametrize(
    ("fee", "prizes"),
    [
        pytest.param(2, [(0, 28)], id="too-small-a-fee"),
        pytest.param(3, [(0, 26)], id="a-coin-is-lost"),
        pytest.param(3, [(0, 28)], id="a-coin-too-many"),
        pytest.param(3, [(0, 15), (1, 12)], id="uneven-prizes-for-two-players"),
        pytest.param(3, [(5, 27)], id="somebody-else"),
    ],
)
def test_M6_other_amounts_than_the_rules_say_are_refused(
    fee: int, prizes: list[tuple[int, int]]
) -> None:
    desk = funded(15, 0, 1)
    desk.hold(1, 15, 0, 1)
    assert desk.settle(1, fee, prizes).reason is R.BAD_AMOUNTS
    assert desk.settle(1, 3, [(1, 27)]).reason is None


@pytest.mark.parametrize(
    "prizes", [[(0, 360)], [(1, 252), (3, 108)], [(0, 180), (2, 180)]], ids=str
)
def test_M6_every_end_of_a_table_of_four(prizes: list[tuple[int, int]]) -> None:
    desk = funded(100, 0, 1, 2, 3)
    desk.hold(1, 100, 0, 1, 2, 3)
    assert desk.settle(1, 40, prizes).reason is None


def test_M6_one_player_does_not_win_twice() -> None:
    desk = funded(100, 0, 1, 2, 3)
    desk.hold(1, 100, 0, 1, 2, 3)
    assert desk.settle(1, 40, [(0, 252), (0, 108)]).reason is R.BAD_AMOUNTS


def test_a_settlement_that_nobody_can_ask_for() -> None:
    desk = funded(100, 0, 1)
    assert desk.settle(1, 20, [(0, 180)]).reason is R.NOTHING_HELD
    desk.hold(1, 100, 0, 1, attempt=3)
    assert desk.settle(1, 20, [(0, 180)], attempt=5).reason is R.NOTHING_HELD
    assert desk.refund(1, attempt=5).reason is R.NOTHING_HELD
    assert desk.release(1, attempt=5).reason is R.NOTHING_HELD
    assert desk.hold(1, 10, 0, 1, attempt=7).reason is R.ALREADY_HELD
    assert desk.release(1, attempt=3).reason is None
    assert desk.release(1, attempt=3).reason is R.NOTHING_HELD
    assert desk.hold(1, 100, 0, 1, attempt=9).reason is None


def test_a_player_who_is_named_twice_holds_nothing() -> None:
    desk = funded(100, 0)
    assert desk.hold(1, 10, 0, 0).reason is R.BAD_AMOUNTS


def test_C39_a_command_that_comes_again_leaves_no_trace() -> None:
    desk = funded(100, 0, 1)
    desk.hold(1, 100, 0, 1)
    desk.release(1)
    before = list(desk.values)
    for command in list(desk.sent):
        assert isinstance(desk.put(command), Dropped)
    assert desk.values == before


def test_an_operators_command_counts_once_by_its_id() -> None:
    desk = Desk()
    assert desk.entry(granting(0, 50)).reason is None
    assert isinstance(desk.put(granting(0, 50)), Dropped)
    for other in (granting(0, 51), granting(0, 50, reason="again")):
        assert desk.entry(other).reason is R.ID_REUSED
    assert isinstance(desk.put(granting(0, 50)), Dropped)
    assert desk.available(0) == 50


def test_a_grant_that_was_refused_stays_refused() -> None:
    desk = Desk()
    desk.grant(0, INT_LIMIT - 5)
    assert desk.grant(1, 5).reason is R.TOO_MUCH
    assert isinstance(desk.put(granting(1, 5)), Dropped)
    assert desk.grant(1, 4, n=2).reason is None
    assert desk.reward(1, (2, 20)).reason is R.TOO_MUCH


def test_a_new_player_is_welcomed_once() -> None:
    desk = Desk()
    assert desk.entry(welcoming(0)).reason is None
    assert isinstance(desk.put(welcoming(0)), Dropped)
    assert desk.entry(welcoming(0, 2000)).reason is R.ID_REUSED
    assert desk.available(0) == 1000


def test_an_operator_gives_back_what_a_damaged_match_holds_and_nothing_is_held_there_again() -> (
    None
):
    desk = funded(100, 0, 1)
    assert desk.entry(refunding(1)).reason is R.NOTHING_HELD
    desk.hold(1, 100, 0, 1)
    assert desk.entry(refunding(1)).reason is None, "a refused one may be asked for again"
    assert (desk.available(0), desk.available(1)) == (100, 100)
    assert isinstance(desk.put(refunding(1)), Dropped)
    assert desk.entry(refunding(1, "other words")).reason is R.ID_REUSED
    desk.now_ms += 10 * CLOSED_MS
    desk.grant(5, 1)
    assert desk.hold(1, 10, 0, 1, attempt=9).reason is R.ALREADY_SETTLED


def test_M2_two_hundred_a_day_and_what_fits_is_paid() -> None:
    desk = Desk()
    for n in range(1, 10):
        assert desk.reward(n, (0, 20), (1, 5)).reason is None
    desk.reward(10, (0, 15))
    last = desk.reward(11, (0, 20), (1, 5))
    assert [p.coins for p in last.postings] == [5, 5]
    assert desk.available(0) == 200
    assert desk.reward(12, (0, 20)).reason is R.DAY_IS_FULL
    assert [p.coins for p in desk.reward(13, (0, 5), (1, 20)).postings] == [20]
    assert desk.reward(14, (0, 20), at_ms=START_MS + DAY_MS).reason is None


def test_M2_the_day_is_the_records_own_and_changes_at_midnight() -> None:
    desk = Desk()
    midnight_ms = (START_MS // DAY_MS + 1) * DAY_MS
    for n in range(10):
        desk.reward(n, (0, 20), at_ms=midnight_ms - 1)
    assert desk.reward(20, (0, 20), at_ms=midnight_ms - 1).reason is R.DAY_IS_FULL
    assert desk.reward(21, (0, 20), at_ms=midnight_ms).reason is None


def test_M2_days_that_are_forgotten_pay_nothing() -> None:
    desk = Desk()
    for day in range(1, DAYS + 1):
        assert desk.reward(day, (0, 20), at_ms=START_MS + day * DAY_MS).reason is None
    assert desk.reward(100, (0, 20)).reason is R.DAY_IS_FULL
    assert desk.reward(101, (0, 20), at_ms=START_MS + DAY_MS).reason is None
    assert desk.reward(102, (0, 20), at_ms=START_MS + 99 * DAY_MS).reason is None
    assert desk.reward(103, (0, 20), at_ms=START_MS + DAY_MS).reason is R.DAY_IS_FULL
    assert len(desk.book.state.days[player(0)]) == DAYS


def test_M2_once_for_each_match_and_player() -> None:
    desk = Desk()
    assert desk.reward(1, (0, 20), (0, 20)).reason is R.BAD_AMOUNTS
    assert desk.reward(1, (0, 20)).reason is None
    assert desk.reward(1, (0, 20)).reason is R.ALREADY_SETTLED


OPERATOR = w.OperatorCause(operator="salim", reason="because")
HOLD = w.HoldEntries(match_id=match(1), attempt=3, entry_coins=10, players=(player(0), player(1)))
GRANT = w.GrantCoins(player_id=player(0), coins=10)
REFUND = w.RefundEntries(match_id=match(1), attempt=3)


def of_match(**other: Any) -> w.MatchCause:
    known = {"match_id": match(1), "seq": 3, "at_ms": 1, "offset": 0}
    return w.MatchCause(**{**known, "partition": partition_of(match(1)), **other})


@pytest.mark.parametrize(
    ("command_id", "cause", "asked"),
    [
        pytest.param(f"hold:{match(1)}:3", OPERATOR, HOLD, id="operator-holds"),
        pytest.param(f"settle:{match(1)}", OPERATOR, REFUND, id="operator-names-a-funding"),
        pytest.param(f"hold:{match(1)}:3", w.WelcomeCause(), HOLD, id="welcome-holds"),
        pytest.param(f"welcome:{player(1)}", w.WelcomeCause(), GRANT, id="welcome-of-another"),
        pytest.param(f"welcome:{player(0)}", OPERATOR, GRANT, id="operator-welcomes"),
        pytest.param(f"grant:{match(1)}", of_match(), GRANT, id="match-grants"),
        pytest.param(f"hold:{match(1)}:4", of_match(), HOLD, id="another-id"),
        pytest.param(f"hold:{match(1)}:3", of_match(match_id=match(2)), HOLD, id="another-match"),
        pytest.param(f"hold:{match(1)}:3", of_match(seq=4), HOLD, id="another-funding"),
        pytest.param(f"settle:{match(1)}", of_match(), REFUND, id="refund-by-the-funding-itself"),
        pytest.param(
            f"hold:{match(1)}:3",
            of_match(partition=(partition_of(match(1)) + 1) % 12),
            HOLD,
            id="another-partition",
        ),
        pytest.param(
            f"settle:{match(1)}",
            of_match(seq=9),
            w.RefundEntries(match_id=match(1), attempt=None),
            id="match-names-no-funding",
        ),
    ],
)
def test_T23_a_command_from_a_cause_that_may_not_send_it(
    command_id: str, cause: w.Cause, asked: w.Command
) -> None:
    desk = funded(100, 0, 1)
    command = w.WalletCommand(id=command_id, cause=cause, command=asked)
    assert desk.entry(command).reason is R.WRONG_CAUSE
    assert desk.hold(1, 10, 0, 1).reason is None, "it takes no right command's place"


def test_who_may_send_what_is_told_without_a_ledger() -> None:
    right = w.WalletCommand(id=f"hold:{match(1)}:3", cause=of_match(), command=HOLD)
    assert may_send(right)


def test_refusals_come_in_the_order_of_the_list() -> None:
    """A command for which several hold gets the first."""
    desk = funded(100, 0, 1)
    desk.hold(1, 100, 0, 1)
    desk.refund(1)
    assert desk.settle(1, 0, [(5, 1)]).reason is R.ALREADY_SETTLED  # and nothing held, bad amounts
    desk.hold(2, 100, 0, 1)
    assert desk.hold(2, 100, 0, 0, attempt=4).reason is R.ALREADY_HELD  # and short, named twice
    assert desk.settle(2, 0, [(5, 1)], attempt=9).reason is R.NOTHING_HELD  # and bad amounts
    assert desk.hold(3, 100, 0, 0).reason is R.NOT_ENOUGH  # and named twice


def test_decide_changes_nothing_and_the_journal_folds_to_the_same() -> None:
    desk = funded(100, 0, 1)
    desk.hold(1, 50, 0, 1)
    state = desk.book.state
    before = replace(state, balances=dict(state.balances), causes=dict(state.causes))
    decide(state, granting(3, 5), Stamp(99, START_MS))
    assert state == before
    assert refold(desk.values).state == state
