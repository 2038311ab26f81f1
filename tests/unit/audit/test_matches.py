"""What a match may ask for, worked out again from its own records, rule by rule."""

import pytest

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.topics import DAY_MS, EVENTS
from tests.unit.audit.forge import (
    Forge,
    began,
    earned,
    ended,
    fault,
    left,
    place_of,
    refunded,
    rich,
    settled,
    sit,
    stopped,
)
from tests.unit.ledger.desk import player
from tests.unit.match.desk import START_MS, line, uuid7

A, B, C, D = (player(n) for n in range(4))


def neighbours(count: int) -> list[int]:
    """Numbers of matches in one partition."""
    found = [n for n in range(100, 400) if place_of(uuid7(START_MS, n)) == 1]
    return found[:count]


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
    teams = "on" if places[1][1] == 1 else "off"

    def played(paid: list[tuple[int, str, int]], fee_coins: int) -> Forge:
        forge = rich()
        match_id = forge.coin(1, *who, entry=entry, teams=teams)
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


@pytest.mark.parametrize(
    ("teams", "places"),
    [
        ("off", [(0, 1)]),
        ("off", [(0, 1), (1, 2)]),
        ("off", [(0, 1), (1, 2), (2, 3)]),
        ("off", [(0, 1), (1, 2), (2, 4), (3, 4)]),
        ("off", [(0, 1), (1, 2), (2, 3), (2, 4)]),
        ("off", [(0, 1), (2, 1), (1, 2), (3, 2)]),
        ("on", [(0, 1), (1, 1), (2, 2), (3, 2)]),
        ("on", [(0, 1), (2, 1), (1, 3), (3, 3)]),
        ("on", [(0, 1), (2, 1), (1, 1), (3, 1)]),
        ("on", [(0, 1), (2, 1), (1, 2)]),
    ],
)
def test_M6_a_pot_is_not_shared_out_by_places_that_are_none(
    teams: str, places: list[tuple[int, int]]
) -> None:
    """Each seat that play began with has one, or partners share it; else others get the prizes."""
    forge = rich()
    match_id = forge.coin(1, A, B, C, D, entry=100, teams=teams)
    forge.record(match_id, settled(400, 40, (0, A, 360)), ended(*places))
    found = fault(forge)
    assert (found.law, found.place.match_id, found.place.record) == ("M6", match_id, 4)


def test_M6_where_the_first_alone_has_a_prize_he_may_be_the_only_one_with_a_place() -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.record(match_id, settled(20, 2, (1, B, 18)), ended((1, 1)))
    assert forge.copy.audit().settled == 1
    forge = rich()
    match_id = forge.coin(1, A, B, C, D, entry=10, teams="on")
    forge.record(match_id, settled(40, 4, (1, B, 18), (3, D, 18)), ended((1, 1), (3, 1)))
    assert forge.copy.audit().settled == 1


@pytest.mark.parametrize(
    "event",
    [
        m.PlayerPresent(player_id=A, line=line(2), returned=True),
        m.PlayerAway(player_id=A, until_ms=START_MS),
    ],
)
def test_S3_who_left_a_coin_table_is_gone_for_good(event: Message) -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.record(match_id, left(A, 0))
    forge.record(match_id, event)
    assert (fault(forge).law, fault(forge).place.record) == ("S3", 5)


def test_W3_a_table_that_is_not_full_is_not_funded() -> None:
    forge = rich()
    match_id = forge.open(1, A, entry=10, seats=4)
    forge.record(match_id, sit(B), began(2, 10, (A, B)))
    assert fault(forge).law == "W3"


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


def test_T23_a_record_that_moves_coins_twice_is_damage_as_for_every_reader() -> None:
    forge = Forge(routed=False)
    match_id = forge.open(1, A, entry=10, seats=2)
    forge.routed = False
    with pytest.raises(ValueError, match="moves coins 2 times"):
        forge.record(match_id, sit(B), began(2, 10, (A, B)), m.FundingFailed(attempt=2))
    assert forge.copy.audit().damaged == {match_id: "record 2 moves coins twice"}


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
