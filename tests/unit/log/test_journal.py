"""Following the journal, whatever two ledgers have written between each other's records."""

from __future__ import annotations

import pytest
import structlog

from sahrat.ledger import snapshot
from sahrat.log.journal import LEDGER, JournalFollower, JournalPlace
from sahrat.log.memory import MemoryLog
from sahrat.log.port import Bookmark, LogFault
from sahrat.log.store import Mark
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft
from tests.unit.ledger.desk import Desk, player, refold

KEY = w.LEDGER.encode()


def told(count: int) -> Desk:
    desk = Desk()
    for n in range(count):
        desk.grant(n % 3, 10, n=n + 1)
    return desk


async def journal(values: list[bytes], begin: int = 0) -> MemoryLog:
    """A log whose ledger says that its last snapshot stands at an offset."""
    log = MemoryLog()
    await log.start()
    await log.append(topics.WALLET_JOURNAL, 0, [Draft(KEY, value) for value in values])
    place = JournalPlace(snapshot=begin, end=len(values))
    mark = Mark(LEDGER, topics.WALLET_COMMANDS.name, 0, Bookmark(0, place.dump()))
    await log.store.write((), [mark])
    again = MemoryLog(store=log.store)
    await again.start()
    return again


def parts_of(values: list[bytes], monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    monkeypatch.setattr(snapshot, "ROWS", 1)
    parts = [encode(part) for part in snapshot.dump(refold(values).state)]
    assert len(parts) > 3
    return parts


async def test_F14_a_snapshot_between_whose_parts_others_have_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = told(9)
    values = desk.values
    parts = parts_of(values[:6], monkeypatch)
    older = parts_of(values[:3], monkeypatch)
    log = await journal(
        [
            *values[:6],
            *(parts[0], parts[0], values[4], values[5]),  # a second ledger, a little behind
            *(older[0], parts[1], values[6], parts[0], values[7]),
            *(*parts[2:], values[6], *parts[1:], values[8]),
        ],
        begin=6,
    )
    follower = JournalFollower(log)
    with structlog.testing.capture_logs() as logged:
        await follower.catch_up()
    assert logged == []
    assert follower.caught_up
    assert follower.book.state == desk.book.state


async def test_F23_a_snapshot_that_was_never_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = told(9)
    parts = parts_of(desk.values[:6], monkeypatch)
    log = await journal([*desk.values[:6], *parts[:-1], *desk.values[6:]], begin=6)
    follower = JournalFollower(log)
    with structlog.testing.capture_logs() as logged:
        await follower.catch_up()
    assert [entry["detail"] for entry in logged] == ["parts are missing"]
    assert follower.book.state == desk.book.state


async def test_F23_a_snapshot_of_another_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, other = told(9), Desk()
    for n in range(6):
        other.grant(n % 3, 11, n=n + 1)
    parts = parts_of(other.values, monkeypatch)
    log = await journal([*desk.values[:6], *parts, *desk.values[6:]], begin=6)
    follower = JournalFollower(log)
    with structlog.testing.capture_logs() as logged:
        await follower.catch_up()
    assert [entry["problem"] for entry in logged] == ["a snapshot is of no use"]
    assert follower.book.state == desk.book.state


async def test_a_follower_hears_who_is_touched_as_it_happens() -> None:
    desk = told(3)
    log = await journal(desk.values)
    follower = JournalFollower(log)
    await follower.catch_up()
    before = len(desk.values)
    desk.hold(1, 5, 0, 1)
    desk.settle(1, 1, [(1, 9)])
    await log.append(
        topics.WALLET_JOURNAL, 0, [Draft(KEY, value) for value in desk.values[before - 1 :]]
    )
    changes = await follower.read()
    assert [change.entry.entry for change in changes] == [4, 5]
    assert [sorted(change.players) for change in changes] == [[player(0), player(1)]] * 2
    assert follower.book.state.held(player(0)) == {}
    assert follower.next_offset == before + 3


async def test_nothing_is_read_before_it_has_caught_up() -> None:
    log = await journal([])
    with pytest.raises(RuntimeError, match="catch_up"):
        await JournalFollower(log).read()


async def test_F25_a_journal_that_became_shorter() -> None:
    log = await journal(told(3).values)
    mark = Mark(
        LEDGER,
        topics.WALLET_COMMANDS.name,
        0,
        Bookmark(0, JournalPlace(snapshot=0, end=4).dump()),
    )
    await log.store.write((), [mark])
    again = MemoryLog(store=log.store)
    await again.start()
    with pytest.raises(LogFault, match="entries were lost"):
        await JournalFollower(again).catch_up()
