"""The projection's core: rows are a function of a match's records, however they came."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from sahrat.match.state import Phase
from sahrat.messages.stored import Draft, Stored
from services.projection.core import matches as core
from services.projection.rows import Place
from tests.unit.match.desk import Desk, player
from tests.unit.projection.stories import Story, store
from tests.unit.projection.tables import P, Tables, forged, projected, put, same

# ---- what the rows say


def test_the_rows_say_what_the_match_knows(story: Story, whole: Tables) -> None:
    for desk in story.desks:
        view = whole.views[desk.match_id]
        records = [record for record in story.records if record.match_id == desk.match_id]
        assert view.seq == len(records)
        assert [whole.values[desk.match_id, seq + 1] for seq in range(view.seq)] == [
            value
            for record, value in zip(story.records, story.values, strict=True)
            if record.match_id == desk.match_id
        ]
        match = story.live.get(desk.match_id)
        if match is None:
            continue  # closed so long ago that the live matches have forgotten it
        state = match.known
        assert (view.phase, view.digest) == (state.phase, match.digest)
        assert view.places == state.places
        seats = sorted((row.seat, row.player_id, row.bot, row.left) for row in view.seats)
        assert seats == sorted(
            (state.seats[chair] if state.seats else None, s.player_id, s.bot, s.left)
            for chair, s in enumerate(state.sitters)
        )


def test_all_kinds_of_tables_are_in_the_story(whole: Tables) -> None:
    """Or the tests of this file would show less than they say."""
    assert {view.phase for view in whole.views.values()} == {
        Phase.OPEN,
        Phase.ENDED,
        Phase.STOPPED,
        Phase.CLOSED,
    }
    seats = [row for view in whole.views.values() for row in view.seats]
    assert any(row.bot and row.player_id for row in seats)
    assert any(row.bot and not row.player_id for row in seats)
    assert any(row.left for row in seats)
    assert whole.alarms == []


def test_seats_are_kept_in_the_order_of_sitting_down(story: Story, whole: Tables) -> None:
    four = whole.views[story.desks[1].match_id]
    assert [row.player_id for row in four.seats] == [player(n) for n in (2, 3, 4, 5)]
    assert sorted(row.seat or 0 for row in four.seats) == [0, 1, 2, 3]
    waits = whole.views[story.desks[4].match_id]
    assert [(row.player_id, row.seat) for row in waits.seats] == [(player(1), None)]


def test_B_a_bot_that_filled_a_seat_is_labelled_and_has_no_player(
    story: Story, whole: Tables
) -> None:
    filled = whole.views[story.desks[2].match_id]
    assert [(row.player_id != "", row.bot) for row in filled.seats[1:]] == [(False, True)] * 3


def test_a_stop_says_by_whom_and_why(story: Story, whole: Tables) -> None:
    view = whole.views[story.desks[5].match_id]
    assert (view.end_reason, view.stopped_by, view.end_detail) == ("operator", "amal", "a test")
    assert view.places == ()


def test_C25_the_secret_comes_with_the_end_and_not_before(story: Story) -> None:
    tables = Tables()
    for stored in story.stored:
        for view in tables.take([stored]).matches:
            assert (view.secret is None) == (view.ended_ms is None)
            assert (view.ended_ms is None) == (view.phase in (Phase.OPEN, Phase.PLAYING))


def test_a_player_has_the_match_from_its_start_and_again_at_its_end(
    story: Story, whole: Tables
) -> None:
    tables = projected([[stored] for stored in story.stored])
    phases: dict[str, list[str]] = {}
    for view in tables.played:
        phases.setdefault(view.match_id, []).append(view.phase)
    never = {story.desks[3].match_id, story.desks[4].match_id}
    assert set(phases) == {desk.match_id for desk in story.desks} - never
    for match_id, told in phases.items():
        assert told == [Phase.PLAYING, whole.views[match_id].phase]


# ---- batches


@pytest.mark.parametrize("seed", range(5))
def test_rows_do_not_depend_on_where_batches_end(story: Story, whole: Tables, seed: int) -> None:
    rng = random.Random(seed)
    stored, batches = story.stored, []
    while stored:
        size = rng.choice([1, 2, 7, 100, 600])
        batches.append(stored[:size])
        stored = stored[size:]
    tables = projected(batches)
    same(tables, whole)
    assert tables.place == whole.place


def test_the_place_names_the_next_record_the_highest_cause_and_the_last_bytes(
    story: Story, whole: Tables
) -> None:
    assert whole.place == Place(
        P,
        len(story.values),
        max(record.caused_by.offset for record in story.records),
        sha256(story.values[-1]).hexdigest(),
    )


# ---- what comes twice


@pytest.mark.parametrize("size", [1, 50, 5000])
def test_a_second_owner_s_copies_change_nothing(part: Story, known: Tables, size: int) -> None:
    """An owner that died wrote up to a batch again: the same records, later in the topic."""
    drafts: list[Draft] = []
    for at in range(0, len(part.drafts), 50):
        drafts += part.drafts[at : at + 50]
        drafts += part.drafts[max(0, at - 20) : at + 50]
    stored = store(drafts)
    tables = projected([stored[at : at + size] for at in range(0, len(stored), size)])
    same(tables, known)
    assert (tables.parked, tables.alarms) == ({}, [])


@pytest.mark.parametrize("together", [True, False])
def test_the_same_number_with_other_bytes_parks_the_match(
    part: Story, known: Tables, together: bool
) -> None:
    record = part.records[100]
    fork = put(part, 140, forged(record, at_ms=record.at_ms + 1))
    tables = projected([fork] if together else [fork[:120], fork[120:]])
    assert tables.parked == {record.match_id: f"record {record.seq} has two contents"}
    for match_id, view in tables.views.items():
        assert (view == known.views[match_id]) == (match_id != record.match_id)


def test_a_record_that_is_neither_new_nor_a_copy_is_dropped_and_told(
    part: Story, known: Tables
) -> None:
    late = part.records[40]
    stranger = forged(late, match_id=part.desks[5].match_id, seq=late.seq + 500)
    tables = projected([put(part, 60, stranger)])
    same(tables, known)
    assert tables.parked == {}
    assert tables.alarms == ["neither new nor a copy: dropped, as every reader does"]


def test_one_cause_may_have_a_record_in_each_of_many_matches(part: Story) -> None:
    """A tick or a lost gateway: the same cause offset, and none of the records is a copy."""
    causes = [record.caused_by.offset for record in part.records]
    assert len(causes) > len(set(causes))


def test_a_coin_table_is_funded_before_it_plays() -> None:
    """And is open again where that failed, with the seats of those who stay (rule T.7)."""
    desk = Desk()
    desk.table_of(1, 2, entry=100)
    desk.short(2)
    desk.join(3)
    desk.held()
    desk.stop()
    view, told = None, []
    for offset, (record, value) in enumerate(zip(desk.records, desk.values, strict=True)):
        stored = Stored("t", desk.partition, offset, record.at_ms, b"", value)
        view = core.project(view, record, stored)
        told.append((view.phase, [row.player_id for row in view.seats]))
    one, two, three = player(1), player(2), player(3)
    assert told == [
        ("open", [one]),
        ("funding", [one, two]),
        ("open", [one]),
        ("funding", [one, three]),
        ("playing", [one, three]),
        ("stopped", [one, three]),
    ]
    assert view is not None
    assert (view.entry_coins, view.stopped_by) == (100, "amal")


@pytest.mark.parametrize("coin", [False, True])
def test_K5_who_missed_too_many_steps_has_left(coin: bool) -> None:
    story = Story()
    desk = story.desk()
    if coin:
        desk.coin_table(0, 1, 2, missed_limit=3)
    else:
        desk.table_of(0, 1, 2, missed_limit=3)
    while not any(sitter.left for sitter in desk.state.sitters):
        desk.wait(15).due()
    view = projected([story.stored]).views[desk.match_id]
    assert sorted((row.player_id, row.left, row.bot) for row in view.seats) == sorted(
        (sitter.player_id, sitter.left, sitter.bot) for sitter in desk.state.sitters
    )
