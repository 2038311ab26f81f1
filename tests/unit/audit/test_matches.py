"""What the audit makes of matches, the wallet's delays and faults of others, case by case."""

from hashlib import sha256
from typing import Any

import pytest

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.topics import DAY_MS, EVENTS, partition_of
from services.audit.core.fault import Fault
from services.audit.models import Shown
from tests.house.partitions import FEW, partitions
from tests.unit.audit.forge import (
    Forge,
    began,
    earned,
    ended,
    left,
    refunded,
    settled,
    sit,
    stopped,
)
from tests.unit.audit.story import JOURNAL
from tests.unit.ledger.desk import player, refunding, welcoming
from tests.unit.match.desk import START_MS, line, uuid7

A, B, C, D = (player(n) for n in range(4))


def place_of(match_id: str) -> int:
    with partitions(FEW):
        return partition_of(match_id)


def neighbours(count: int) -> list[int]:
    """Numbers of matches in one partition."""
    found = [n for n in range(100, 400) if place_of(uuid7(START_MS, n)) == 1]
    return found[:count]


def rich() -> Forge:
    forge = Forge()
    forge.welcome(0, 1, 2, 3)
    return forge


def fault(forge: Forge) -> Fault:
    return forge.copy.fault()


# ---- prizes


@pytest.mark.parametrize(
    ("count", "entry", "places", "leavers", "fee", "prizes"),
    [
        (2, 15, [(0, 1), (1, 2)], {}, 3, [(0, 27)]),
        (2, 15, [(1, 1), (0, 2)], {0: False}, 3, [(1, 27)]),
        (3, 100, [(2, 1), (0, 2), (1, 3)], {}, 30, [(2, 189), (0, 81)]),
        (4, 33, [(3, 1), (1, 2), (0, 3), (2, 4)], {}, 13, [(3, 84), (1, 35)]),
        (4, 10, [(0, 1), (1, 2), (2, 3), (3, 4)], {2: False, 3: False}, 4, [(0, 26), (1, 10)]),
        (4, 100, [(0, 1), (1, 2), (2, 3), (3, 4)], {1: False, 2: False, 3: False}, 40, [(0, 360)]),
        (4, 100, [(0, 1), (1, 2), (2, 3), (3, 4)], {0: True, 3: False}, 40, [(0, 252), (1, 108)]),
        (4, 33, [(0, 1), (2, 1), (1, 2), (3, 2)], {}, 13, [(0, 60), (2, 59)]),
        (4, 33, [(0, 1), (2, 1), (1, 2), (3, 2)], {0: False}, 13, [(2, 119)]),
    ],
    ids=["2", "2-left", "3", "4", "4-two-left", "4-one-stays", "4-kept", "team", "team-left"],
)
def test_M6_prizes_are_worked_out_again(
    count: int,
    entry: int,
    places: list[tuple[int, int]],
    leavers: dict[int, bool],
    fee: int,
    prizes: list[tuple[int, int]],
) -> None:
    who = [A, B, C, D][:count]

    def played(paid: list[tuple[int, str, int]], fee_coins: int) -> Forge:
        forge = rich()
        match_id = forge.coin(1, *who, entry=entry)
        for seat, kept in leavers.items():
            forge.record(match_id, left(who[seat], seat, kept=kept))
        pot = entry * count
        forge.record(match_id, settled(pot, fee_coins, *paid), ended(*places))
        return forge

    due = [(seat, who[seat], coins) for seat, coins in prizes]
    report = played(due, fee).copy.audit()
    assert (report.settled, report.fee_coins, report.held_coins) == (1, fee, 0)
    (seat, player_id, coins), *others = due
    for wrong in (
        [(seat, player_id, coins - 1), *others],
        [(seat, who[(seat + 1) % count], coins), *others],
        [((seat + 1) % count, who[(seat + 1) % count], coins), *others],
        [*due, (3 - seat, who[3 - seat], 1)] if count == 4 else [*due, due[0]],
    ):
        assert fault(played(wrong, fee)).law == "W5"
    assert fault(played([(seat, player_id, coins + 1), *others], fee - 1)).law == "W5"


def test_M6_nobody_left_to_win_is_nobody_to_pay() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.record(match_id, left(A, 0), left(B, 1))
    forge.record(match_id, settled(20, 2, (0, A, 18)), ended((0, 1), (1, 2)))
    assert fault(forge).law == "W5"


# ---- earnings


def test_M2_who_came_back_earns_and_a_bot_or_a_leaver_does_not() -> None:
    forge = rich()
    match_id = forge.free(1, A, B, C, "")
    forge.record(match_id, left(A, 0, bot=True))
    back = m.PlayerPresent(player_id=A, line=line(2), returned=True)
    forge.record(match_id, back, left(B, 1, bot=True), left(C, 2))
    forge.record(match_id, earned((0, A, 20)), ended((3, 1), (0, 1), (2, 3), (1, 4)))
    assert forge.copy.audit().earned_coins == 20
    for wrong in (
        earned((0, A, 20), (1, B, 5)),
        earned((0, A, 20), (2, C, 5)),
        earned((0, A, 5)),
        earned((0, A, 20), (3, D, 20)),
    ):
        other = rich()
        match_id = other.free(1, A, B, C, "")
        other.record(match_id, left(B, 1, bot=True), left(C, 2))
        other.record(match_id, wrong, ended((3, 1), (0, 1), (2, 3), (1, 4)))
        found = fault(other)
        assert (found.law, found.place.match_id) == ("M2", match_id)


def test_M2_a_day_over_200() -> None:
    forge = Forge()
    for n in range(13):
        forge.earn(n, A)
    report = forge.copy.audit()
    assert (report.earned_coins, report.refused_entries) == (200, {"day_is_full": 3})
    entry = forge.copy.entries[10]
    assert entry.reason is w.WalletReason.DAY_IS_FULL
    last = forge.copy.entries[9]
    paid = {"reason": None, "postings": last.postings, "balances": last.balances}
    found = forge.copy.alter(11, **paid).fault()
    assert (found.law, found.place.entry) == ("M2", 11)


def test_M2_the_next_day_is_another_and_the_ninth_forgets_the_first() -> None:
    forge = Forge()
    for day in range(10):
        forge.now_ms = START_MS + day * DAY_MS
        forge.earn(day, A)
    forge.now_ms = START_MS
    forge.earn(99, A)
    report = forge.copy.audit()
    assert (report.earned_coins, report.refused_entries) == (200, {"day_is_full": 1})


def test_M2_coins_are_earned_at_free_tables_alone_and_at_their_end() -> None:
    forge = rich()
    forge.record(forge.free(1, A, ""), earned((0, A, 20)))
    assert fault(forge).law == "M2"
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.record(match_id, earned((0, A, 20)), ended((0, 1), (1, 2)))
    assert fault(forge).law == "M2"


# ---- settled or refunded, once


def test_W4_ends_that_are_none() -> None:
    for events in (
        (settled(20, 2, (0, A, 18)),),
        (refunded(10, A, B),),
        (refunded(10, A, B), ended((0, 1), (1, 2))),
        (settled(20, 2, (0, A, 18)), stopped()),
        (ended((0, 1), (1, 2)),),
        (stopped(),),
        (settled(20, 2, (0, A, 18), attempt=1), ended((0, 1), (1, 2))),
    ):
        forge = rich()
        match_id = forge.coin(1, A, B, entry=10)
        forge.record(match_id, *events)
        found = fault(forge)
        assert (found.law, found.place.match_id, found.place.record) == ("W4", match_id, 4), events


def test_M9_a_record_that_moves_coins_twice() -> None:
    forge = Forge(routed=False)
    match_id = forge.open(1, A, entry=10, seats=2)
    forge.routed = False
    with pytest.raises(ValueError, match="moves coins 2 times"):
        forge.record(match_id, sit(B), began(2, 10, (A, B)), m.FundingFailed(attempt=2))
    assert fault(forge).law == "M9"


def test_W3_a_table_closed_while_its_entries_are_held() -> None:
    forge = rich()
    match_id = forge.fund(1, A, B, entry=10)
    forge.record(match_id, m.TableClosed(why="idle", secret="5" * 64))
    assert (fault(forge).law, fault(forge).place.match_id) == ("W3", match_id)


def test_W3_a_funding_of_others_than_sit_there() -> None:
    for players, attempt, entry in (((A, C), 2, 10), ((A, B), 3, 10), ((A, B), 2, 11)):
        forge = rich()
        match_id = forge.open(1, A, entry=10, seats=2)
        forge.record(match_id, sit(B), began(attempt, entry, players))
        assert fault(forge).law == "W3"


def test_W6_entries_go_back_to_those_who_paid_the_leavers_too() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, C, entry=10)
    forge.record(match_id, left(C, 2))
    forge.record(match_id, refunded(10, A, B), stopped())
    assert fault(forge).law == "W6"
    forge = rich()
    match_id = forge.coin(1, A, B, C, entry=10)
    forge.record(match_id, left(C, 2))
    forge.record(match_id, refunded(10, C, A, B), stopped())
    assert forge.copy.audit().refunded == 1


# ---- W7


def test_W7_play_without_a_hold() -> None:
    forge = Forge()
    match_id = forge.coin(1, A, B, entry=10)  # refused: nobody has coins
    found = fault(forge)
    assert (found.law, found.place.match_id) == ("W7", match_id)


def test_W7_a_hold_for_which_nobody_plays() -> None:
    forge = rich()
    match_id = forge.fund(1, A, B, entry=10)
    forge.routed = False
    forge.record(
        match_id, m.SeatFreed(player_id=B, why="left", idle_ms=0), m.FundingFailed(attempt=2)
    )
    report = forge.copy.audit()
    assert [(p.match_id, p.asks) for p in report.pending] == [(match_id, "release")]
    assert report.held_coins == 20
    # The same without its record: the table is there, and open.
    forge.copy.records[EVENTS.name, place_of(match_id)].pop()
    assert forge.copy.audit().funding == 1


# ---- the wallet's delays


def test_a_match_that_waits_for_the_wallet_is_pending_and_not_wrong() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.judging = False
    forge.record(match_id, settled(20, 2, (0, A, 18)), ended((0, 1), (1, 2)))
    report = forge.copy.audit()
    assert (report.waiting_commands, report.held_coins) == (1, 20)
    assert [(p.match_id, p.record, p.asks) for p in report.pending] == [(match_id, 4, "settle")]


def test_W8_what_a_record_asked_is_left_out_and_a_later_one_of_its_partition_is_not() -> None:
    one, other = neighbours(2)
    forge = rich()
    match_id = forge.coin(one, A, B, entry=10)
    forge.routed = False
    forge.record(match_id, settled(20, 2, (0, A, 18)), ended((0, 1), (1, 2)))
    assert len(forge.copy.audit().pending) == 1
    forge.routed = True
    forge.coin(other, C, D, entry=10)
    found = fault(forge)
    assert (found.law, found.place.match_id, found.place.record) == ("W8", match_id, 4)


def test_W8_a_command_that_has_no_entry_and_one_behind_it_has() -> None:
    forge = rich()
    forge.judging = False
    forge.grant(0, 5)
    forge.judging = True
    forge.grant(1, 5)
    found = fault(forge)
    assert (found.law, found.place.entry) == ("W8", 5)
    assert "has no entry" in found.what


# ---- commands and records that come again, or are none


def test_repeats_and_rubbish_are_counted() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    place = (EVENTS.name, place_of(match_id))
    for stored in [*forge.copy.records[place]]:
        forge.put(place, stored.key, stored.value)
    forge.record(match_id, settled(20, 2, (0, A, 18)), ended((0, 1), (1, 2)))
    last = forge.copy.records[place][-1]
    forge.put(place, last.key, last.value)
    for stored in [*forge.copy.commands]:
        forge.send(stored.value)
    forge.send(b"no command")
    forge.put(place, b"nobody", b"no record")
    report = forge.copy.audit()
    assert (report.entries, report.commands, report.repeated_commands) == (6, 13, 6)
    assert (report.unread_commands, report.settled) == (1, 1)


def test_refused_commands_of_people_are_counted() -> None:
    forge = rich()
    forge.grant(0, 5)
    forge.grant(0, 6)  # the same id with other content
    forge.grant(0, 5)  # the same again
    other = welcoming(1).model_copy(update={"id": f"welcome:{A}"})
    forge.send(other)
    forge.send(refunding(9))
    report = forge.copy.audit()
    reasons = {"id_reused": 1, "wrong_cause": 1, "nothing_held": 1}
    assert (report.refused_entries, report.repeated_commands) == (reasons, 1)
    assert report.operator_coins == 5


def test_W8_a_refusal_for_another_reason() -> None:
    forge = rich()
    forge.send(refunding(9))
    found = forge.copy.alter(5, reason=w.WalletReason.ALREADY_SETTLED).fault()
    assert (found.law, found.place.entry) == ("W3", 5)


# ---- damaged matches


def test_a_damaged_match_stands_still_until_an_operator_gives_its_entries_back() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    place = (EVENTS.name, place_of(match_id))
    forge.put(place, match_id.encode(), b"no record")
    report = forge.copy.audit()
    assert list(report.damaged) == [match_id]
    assert report.held_coins == 20
    forge.send(refunding(1))
    report = forge.copy.audit()
    assert [(b.match_id, b.coins, b.operator) for b in report.returned] == [(match_id, 20, "salim")]
    assert report.held_coins == 0


def test_W8_a_damaged_match_asks_for_nothing_any_more() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.put((EVENTS.name, place_of(match_id)), match_id.encode(), b"no record")
    forge.record(match_id, settled(20, 2, (0, A, 18)), ended((0, 1), (1, 2)))
    found = fault(forge)
    assert (found.law, found.place.match_id) == ("W8", match_id)


@pytest.mark.parametrize(
    "events",
    [
        (m.FundingFailed(attempt=2),),
        (m.PlayerLeft(player_id=C, seat=0, why="left", bot=False),),
        (m.MatchStarted(seats=(0, 1), dealt=(0, 1)),),
        (began(4, 10, (A, B)),),
    ],
)
def test_what_cant_have_happened_damages_a_match(events: tuple[Any, ...]) -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.routed = False
    forge.record(match_id, *events)
    assert list(forge.copy.audit().damaged) == [match_id]


# ---- snapshots


def test_snapshots_say_what_the_entries_do_or_are_found() -> None:
    forge = rich()
    forge.every = 5
    forge.coin(1, A, B, entry=10)
    forge.grant(0, 5)
    assert forge.copy.audit().snapshots == 1
    at = 5
    stored = forge.copy.records[JOURNAL][at]
    part = w.JOURNAL.decode(stored.value)
    assert isinstance(part, w.JournalSnapshot)
    for text, law in (
        (part.text.replace("990]", "991]", 1), "W8"),
        (part.text.replace('"entry_coins":10', '"entry_coins":9'), "W3"),
    ):
        assert text != part.text
        _put(forge, at, _snapshot(part, text))
        assert (fault(forge).law, fault(forge).place.entry) == (law, 5)
    _put(forge, at, encode(part.model_copy(update={"text": part.text.replace("990]", "991]")})))
    report = forge.copy.audit()
    assert (report.snapshots, report.broken_snapshots) == (0, [5])
    _put(forge, at, encode(part.model_copy(update={"digest": "0" * 64})))
    assert fault(forge).law == "chain"


def _put(forge: Forge, at: int, value: bytes) -> None:
    stored = forge.copy.records[JOURNAL][at]
    forge.copy.records[JOURNAL][at] = type(stored)(*JOURNAL, at, stored.at_ms, stored.key, value)


def _snapshot(part: w.JournalSnapshot, text: str) -> bytes:
    digest = sha256(text.encode()).hexdigest()
    return encode(part.model_copy(update={"text": text, "sha256": digest}))


# ---- what this program is too old for


def test_what_is_newer_is_no_fault_and_no_balance() -> None:
    for place in (JOURNAL, ("sahrat.wallet.commands.v1", 0), (EVENTS.name, 0)):
        forge = rich()
        forge.put(place, b"main", b'{"v":2,"type":"entry"}')
        with pytest.raises(FromTheFuture):
            forge.copy.audit()


def test_nothing_at_all_is_balanced() -> None:
    report = Forge().copy.audit(Shown(0, {}, {}))
    assert (report.entries, report.players, report.tables_entry) == (0, 0, 0)
