"""What the audit makes of a slow wallet, of repeats, rubbish, damage and snapshots."""

import re
from hashlib import sha256
from typing import Any

import orjson
import pytest

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.topics import EVENTS
from services.audit.core.tables import Shown
from tests.unit.audit.forge import (
    Forge,
    began,
    ended,
    fault,
    place_of,
    rich,
    settled,
    sit,
)
from tests.unit.audit.story import JOURNAL
from tests.unit.ledger.desk import player, refunding, welcoming
from tests.unit.match.desk import START_MS, uuid7

A, B, C, D = (player(n) for n in range(4))


def neighbours(count: int) -> list[int]:
    """Numbers of matches in one partition."""
    found = [n for n in range(100, 400) if place_of(uuid7(START_MS, n)) == 1]
    return found[:count]


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
    rubbish = forge.put(JOURNAL, b"nobody", b"no entry")
    report = forge.copy.audit()
    assert [*report.unread_entries] == [rubbish.offset]
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


@pytest.mark.parametrize(
    "event",
    [
        sit(C),
        sit(A),
        m.SeatFreed(player_id=B, why="left", idle_ms=0),
    ],
    ids=["taken", "taken-twice", "freed"],
)
def test_F15_who_sits_changes_in_play_and_the_match_stands_still(event: Message) -> None:
    forge = rich()
    match_id = forge.coin(1, A, B, entry=10)
    forge.routed = False
    forge.record(match_id, event)
    forge.record(match_id, settled(20, 2, (0, A, 18)), ended((0, 1), (1, 2)))
    assert [*forge.copy.audit().damaged] == [match_id]


# ---- snapshots


def remembering() -> tuple[Forge, dict[str, int]]:
    """A log whose snapshot of entry 10 has something in each table, and where each part stands."""
    forge = rich()
    forge.every = 10
    forge.grant(0, 50)
    forge.send(refunding(77))  # refused
    forge.earn(31, A)
    forge.coin(1, A, B, entry=10)
    forge.grant(1, 5, n=2)
    forge.grant(1, 5, n=3)
    parts = {}
    for stored in forge.copy.records[JOURNAL]:
        part = w.JOURNAL.decode(stored.value)
        if isinstance(part, w.JournalSnapshot):
            parts[orjson.loads(part.text)["of"]] = stored.offset
    return forge, parts


def part_at(forge: Forge, at: int) -> w.JournalSnapshot:
    part = w.JOURNAL.decode(forge.copy.records[JOURNAL][at].value)
    assert isinstance(part, w.JournalSnapshot)
    return part


def test_a_snapshot_that_comes_again_is_the_same_one() -> None:
    forge, parts = remembering()
    assert [*parts] == ["head", "balances", "holds", "ids", "closed", "days"]
    for at in parts.values():
        forge.put(JOURNAL, b"main", forge.copy.records[JOURNAL][at].value)
    forge.grant(1, 5, n=4)
    forge.put(JOURNAL, b"main", forge.copy.records[JOURNAL][parts["days"]].value)
    report = forge.copy.audit()
    assert (report.snapshots, report.broken_snapshots) == (1, [])


@pytest.mark.parametrize(
    ("table", "was", "altered", "law"),
    [
        ("balances", r"1060\]", "1061]", "W8"),
        ("holds", r",10,\[", ",9,[", "W3"),
        ("head", r'"causes":.*\]\]', '"causes":[]', "W8"),
        ("head", r'"causes":\[\[(\d),\d+\]', r'"causes":[[\1,9007199254740991]', "W8"),
        ("head", r'"offset":9', '"offset":10', "W8"),
        ("head", r'"at_ms":1', '"at_ms":2', "W8"),
        ("ids", r'"rows":.*\]\]', '"rows":[]', "W8"),
        ("ids", r",null,50\]", ',"too_much",0]', "W8"),
        ("closed", r'\[\["[^"]*"', f'[["{uuid7(START_MS, 1)}"', "W8"),
        ("days", r",20\]", ",0]", "W8"),
    ],
)
@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_W8_a_snapshot_says_all_that_the_entries_do(
    table: str, was: str, altered: str, law: str, again: bool
) -> None:
    """Altered with a digest that fits: whoever starts from it would pay twice, or not at all."""
    forge, parts = remembering()
    part = part_at(forge, parts[table])
    text = re.sub(was, altered, part.text, count=1)
    assert text != part.text
    if again:
        forge.put(JOURNAL, b"main", _snapshot(part, text))
    else:
        _put(forge, parts[table], _snapshot(part, text))
    found = fault(forge)
    assert (found.law, found.place.entry) == (law, 10)


def test_a_snapshot_that_is_damaged_or_never_whole_is_told() -> None:
    forge, parts = remembering()
    part = part_at(forge, parts["balances"])
    damaged = part.model_copy(update={"text": part.text.replace("1060]", "1061]")})
    _put(forge, parts["balances"], encode(damaged))
    forge.grant(1, 5, n=4)
    report = forge.copy.audit()
    assert (report.snapshots, report.broken_snapshots) == (0, [10])
    for change in ({"digest": "0" * 64}, {"parts": 7}):
        _put(forge, parts["balances"], encode(part.model_copy(update=change)))
        assert fault(forge).place.entry == 10


def test_a_snapshot_of_the_first_version_is_held_to_all_the_same() -> None:
    """One JSON text cut into pieces, sorted where its order is nobody's."""
    forge, parts = remembering()
    head = part_at(forge, parts["head"])
    rows = {table: orjson.loads(part_at(forge, at).text) for table, at in parts.items()}
    said = {
        **{name: rows["head"][name] for name in ("entry", "digest", "offset", "at_ms")},
        "balances": sorted(rows["balances"]["rows"]),
        "holds": [
            dict(zip(("match_id", "attempt", "entry_coins", "players"), row, strict=True))
            for row in rows["holds"]["rows"]
        ],
        "causes": sorted(rows["head"]["causes"]),
        "ids": sorted(row[:2] for row in rows["ids"]["rows"]),
        "closed": rows["closed"]["rows"],
        "days": [{"player_id": who, "days": days} for who, days in sorted(rows["days"]["rows"])],
    }
    for changed, sound in (({}, True), ({"closed": []}, False), ({"offset": 10}, False)):
        text = orjson.dumps(said | changed).decode()
        digest = sha256(text.encode()).hexdigest()
        pieces = [text[at : at + 300] for at in range(0, len(text), 300)]
        records = forge.copy.records[JOURNAL]
        del records[parts["head"] :]
        for number, piece in enumerate(pieces, 1):
            update = {"part": number, "parts": len(pieces), "text": piece, "sha256": digest}
            forge.put(JOURNAL, b"main", encode(head.model_copy(update=update)))
        if sound:
            report = forge.copy.audit()
            assert (report.snapshots, report.broken_snapshots) == (1, [])
        else:
            assert fault(forge).law == "W8"


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
