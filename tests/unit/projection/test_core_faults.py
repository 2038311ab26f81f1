"""The projection's core: what is damaged harms one match, what is no record harms none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sahrat.games import wire
from sahrat.match.evolve import Broken
from sahrat.messages import match as m
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.stored import Draft, Stored
from services.projection.core import matches as core
from tests.unit.match.desk import RULES, player
from tests.unit.projection.stories import Story, store
from tests.unit.projection.tables import P, Tables, forged, projected, put, same

# ---- what is damaged


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"seq": 999}, "record 999 after", id="gap"),
        pytest.param({"prev": "f" * 64}, "does not continue", id="prev"),
        pytest.param({"rules": "ludo/1"}, "changes the rules", id="rules"),
    ],
)
@pytest.mark.parametrize("size", [1, 5000])
def test_a_broken_chain_parks_its_match_and_the_others_go_on(
    part: Story, known: Tables, changes: dict[str, Any], why: str, size: int
) -> None:
    at = 200
    record = part.records[at]
    damaged = part.drafts[:]
    damaged[at] = forged(record, **changes)
    stored = store(damaged)
    tables = projected([stored[i : i + size] for i in range(0, len(stored), size)])
    assert list(tables.parked) == [record.match_id]
    assert why in tables.parked[record.match_id]
    assert tables.views[record.match_id].seq == record.seq - 1
    for match_id, view in known.views.items():
        if match_id != record.match_id:
            assert tables.views[match_id] == view
    assert tables.unreadable == []


def test_a_match_whose_first_record_is_not_its_first_is_parked(part: Story) -> None:
    record = part.records[7]
    tables = projected([store([forged(record)])])
    assert tables.parked == {record.match_id: f"record {record.seq} after 0"}
    assert tables.views == {}


BROKEN = [
    pytest.param((m.MatchStarted(seats=(0, 2), dealt=(0, 0)),), id="deal"),
    pytest.param((m.MatchStarted(seats=(2, 2), dealt=(0, 1)),), id="seat-twice"),
    pytest.param((m.MatchStarted(seats=(0,), dealt=(0, 1)),), id="seat-missing"),
    pytest.param((m.SeatFreed(player_id=player(9), why="left", idle_ms=0),), id="stranger"),
    pytest.param(
        (m.PlayerLeft(player_id=player(9), seat=0, why="left", bot=True),), id="stranger-left"
    ),
    pytest.param((m.MatchEnded(places=(m.Place(seat=0, place=1),), secret="0" * 64),), id="early"),
    pytest.param(
        (m.FundingBegan(attempt=3, entry_coins=10, players=(player(1),)),), id="free-table-funded"
    ),
    pytest.param((m.FundingFailed(attempt=3),), id="no-funding-failed"),
    pytest.param(
        (
            m.TableClosed(why="idle", secret="0" * 64),
            m.TableClosed(why="idle", secret="0" * 64),
        ),
        id="after-the-end",
    ),
]


@pytest.mark.parametrize("events", BROKEN)
def test_what_can_t_be_parks_the_match_and_never_reaches_the_tables(
    part: Story, events: tuple[Any, ...]
) -> None:
    desk = part.desks[4]
    last = [record for record in part.records if record.match_id == desk.match_id][-1]
    tables = projected([part.stored])
    view = tables.views[desk.match_id]
    next_one = last.model_copy(
        update={
            "seq": last.seq + 1,
            "prev": view.digest,
            "events": events,
            "caused_by": last.caused_by.model_copy(update={"offset": tables.place.high + 1}),
        }
    )
    draft = Draft(next_one.match_id.encode(), encode(next_one))
    tables.take(store([draft], P, tables.place.next_offset))
    assert list(tables.parked) == [desk.match_id]
    assert tables.views[desk.match_id] == view


def test_places_of_a_seat_that_was_not_played_are_broken(story: Story, whole: Tables) -> None:
    view = replace(
        whole.views[story.desks[0].match_id], phase="playing", ended_ms=None, secret=None
    )
    record = [r for r in story.records if r.match_id == view.match_id][-1]
    end = record.events[-1]
    assert isinstance(end, m.MatchEnded)
    for places in (end.places[:1] * 2, (m.Place(seat=1, place=1),)):
        odd = record.model_copy(
            update={
                "seq": view.seq + 1,
                "prev": view.digest,
                "events": (end.model_copy(update={"places": places}),),
            }
        )
        with pytest.raises(Broken):
            core.project(view, odd, Stored("t", P, 0, 0, b"", b""))


# ---- what can't be read

POISON = [
    pytest.param(b"", "json-invalid", id="empty"),
    pytest.param(b"\x00", "json-invalid", id="nul"),
    pytest.param(b'{"v":1', "json-invalid", id="cut"),
    pytest.param(b"\xff\xfe", "json-invalid", id="not-utf8"),
    pytest.param(b"[]", "model-type", id="no-object"),
    pytest.param(b"{}", "missing", id="no-fields"),
]


@pytest.mark.parametrize(("value", "reason"), POISON)
@pytest.mark.parametrize("key", [b"", b"a\x00b", b"\xff\xff", b"no-match"], ids=repr)
def test_C35_poison_goes_to_the_dead_letters_and_its_neighbours_are_projected(
    part: Story, known: Tables, value: bytes, reason: str, key: bytes
) -> None:
    tables = projected([put(part, 120, Draft(key, value))])
    same(tables, known)
    assert tables.unreadable == [(120, reason)]
    assert tables.parked == {}
    letter = wire.DEAD_LETTERS.decode(tables.letters[0].value)
    assert (letter.reader, letter.partition, letter.offset) == ("projection", P, 120)
    assert letter.reason == reason


def test_C35_a_nickname_with_nul_is_no_record(part: Story, known: Tables) -> None:
    desk = part.desks[4]
    first = next(value for value in part.values if desk.match_id.encode() in value)
    nul = first.replace(b'"p0"', b'"p\\u00000"')
    assert nul != first
    tables = projected([put(part, len(part.values), Draft(b"elsewhere", nul))])
    same(tables, known)
    assert [reason for _, reason in tables.unreadable] == ["string-pattern-mismatch"]


def test_a_sound_record_under_a_foreign_key_is_poison(part: Story, known: Tables) -> None:
    odd = Draft(b"another", part.values[0])
    tables = projected([put(part, 50, odd)])
    same(tables, known)
    assert tables.unreadable == [(50, "wrong-key")]


def test_a_record_of_another_partition_is_poison(part: Story) -> None:
    stored = store(part.drafts[:1], partition=P + 1)
    tables = projected([stored])
    assert tables.unreadable == [(0, "wrong-key")]
    assert tables.views == {}


@pytest.mark.parametrize("size", [1, 5000])
def test_poison_under_a_live_match_s_key_parks_it_as_every_reader_does(
    part: Story, known: Tables, size: int
) -> None:
    desk = part.desks[1]
    stored = put(part, 300, Draft(desk.match_id.encode(), b"{"))
    tables = projected([stored[i : i + size] for i in range(0, len(stored), size)])
    assert list(tables.parked) == [desk.match_id]
    assert [offset for offset, _ in tables.unreadable] == [300]
    for match_id, view in known.views.items():
        assert (tables.views[match_id] == view) == (match_id != desk.match_id)


def test_poison_under_an_ended_match_s_key_harms_nobody(part: Story, known: Tables) -> None:
    desk = part.desks[3]
    tables = projected([put(part, len(part.values), Draft(desk.match_id.encode(), b"{"))])
    same(tables, known)
    assert tables.parked == {}


# ---- what is newer


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"v":1', b'"v":2'),
        (b'"v":1', b'"v":1,"weather":"fine"'),
        (b'"type":"table.opened"', b'"type":"table.unfolded"'),
        (f'"rules":"{RULES}"'.encode(), b'"rules":"ludo/9"'),
    ],
)
def test_F17_a_newer_record_ends_the_worker_instead_of_being_put_aside(
    part: Story, old: bytes, new: bytes
) -> None:
    value = part.values[0].replace(old, new, 1)
    assert value != part.values[0]
    draft = Draft(part.drafts[0].key, value)
    with pytest.raises(FromTheFuture):
        Tables().take(store([draft]))


def test_poison_is_told_from_a_newer_record(part: Story) -> None:
    value = part.values[0].replace(b'"v":1', b'"v":"1"', 1)
    (read,) = core.decode(store([Draft(part.drafts[0].key, value)]))
    assert isinstance(read.said, Poison)
