"""The wallet on the log: how it begins again, and what it refuses to go on with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
import pytest
import structlog

from sahrat.ledger import decide as decisions
from sahrat.ledger.laws import LawBroken
from sahrat.log.journal import LEDGER, JournalFollower, JournalPlace
from sahrat.log.memory import MemoryLog
from sahrat.log.port import Bookmark, LogFault
from sahrat.log.store import Mark
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.stored import Draft
from sahrat.messages.topics import Topic
from services.house.simulation.loop import run
from services.wallet import answerer, router
from services.wallet.host import Wallet
from tests.house.ledger import tell
from tests.unit.ledger.desk import granting
from tests.unit.match.desk import START_MS, Desk, player, uuid7

KEY = w.LEDGER.encode()


class Room:
    """A log in memory on virtual time, and wallets on it."""

    def __init__(self, every: int = 5) -> None:
        self.every = every
        self._ids = 0

    async def open(self, store: Any = None) -> MemoryLog:
        loop = asyncio.get_running_loop()
        log = MemoryLog(lambda: START_MS + round(loop.time() * 1000), store)
        await log.start()
        return log

    async def work(self, log: MemoryLog, seconds: float = 3) -> None:
        """Let a wallet work for a while, and hand over; raises what ends it."""
        stop = asyncio.Event()
        task = asyncio.create_task(Wallet(log, self._id, self.every).run(stop))
        await asyncio.wait((task,), timeout=seconds)
        stop.set()
        await task

    def _id(self) -> str:
        self._ids += 1
        return uuid7(START_MS, self._ids)


def grants(count: int, first: int = 1) -> list[Draft]:
    return [Draft(KEY, encode(granting(n % 4, 10, n=n))) for n in range(first, first + count)]


def stored(log: MemoryLog, topic: Topic, partition: int = 0) -> Sequence[Any]:
    return log.store.recent((topic.name, partition), 0, 10**9)


def quietly(story: Any, alarms: int = 0) -> list[Any]:
    with structlog.testing.capture_logs() as logged:
        run(story)
    told = [entry for entry in logged if entry["event"] == "alarm"]
    assert len(told) == alarms, told
    return told


# ---- beginning again


def test_F23_it_begins_at_the_last_snapshot_and_holds_the_same() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(23))
        await room.work(log)
        mark = (await log.bookmarks(LEDGER, topics.WALLET_COMMANDS))[0]
        place = JournalPlace.load(mark)
        assert (mark.offset, place.end) == (23, 23 + 4 * 3)  # parts: head, balances, ids
        assert place.snapshot == 20 + 3 * 3
        follower = JournalFollower(log)
        await follower.catch_up()
        whole = tell(stored(log, topics.WALLET_JOURNAL))
        assert follower.book.state == whole.book.state
        assert follower.next_offset == place.end
        await log.append(topics.WALLET_COMMANDS, 0, grants(4, first=24))
        await room.work(log)
        changes = await follower.read()
        assert [change.players for change in changes] == [(player(n % 4),) for n in range(24, 28)]
        assert follower.book.state.available(player(0)) == 60
        assert tell(stored(log, topics.WALLET_JOURNAL)).repeats == 0
        await follower.close()

    quietly(story())


def spoil(log: MemoryLog, offset: int, old: bytes, new: bytes) -> None:
    """Change a stored record of the journal."""
    records = log.store._records[topics.WALLET_JOURNAL.name, 0]
    record = records[offset]
    value = record.value.replace(old, new, 1)
    assert value != record.value
    records[offset] = type(record)(*(*_place(record), record.key, value))


def _place(record: Any) -> tuple[Any, ...]:
    return record.topic, record.partition, record.offset, record.at_ms


@pytest.mark.parametrize(
    ("old", "new", "alarms"),
    [
        pytest.param(b'"snapshot"', b"7", 2, id="no-snapshot"),
        pytest.param(b'"part":1', b'"part":2', 1, id="another-part"),
        pytest.param(b"causes", b"clauses", 1, id="a-bit-changed"),
        pytest.param(b'"digest":"', b'"digest":"0', 2, id="no-digest"),
    ],
)
def test_F23_a_damaged_snapshot_is_passed_over_and_the_entries_have_it_all(
    old: bytes, new: bytes, alarms: int
) -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(23))
        await room.work(log)
        whole = tell(stored(log, topics.WALLET_JOURNAL)).book.state
        spoil(log, 20 + 3 * 3, old, new)
        follower = JournalFollower(log)
        await follower.catch_up()
        assert follower.book.state == whole
        await follower.close()

    quietly(story(), alarms)  # also for a record that can't be read at all


@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_W8_the_journal_and_no_bookmark_says_where_the_ledger_goes_on(ahead: int) -> None:
    """A bookmark two ahead had two grants passed over, and nobody was told."""

    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(2))
        await room.work(log)
        await log.append(topics.WALLET_COMMANDS, 0, grants(2, first=3))
        place = JournalPlace(snapshot=0, end=2)
        mark = Mark(LEDGER, topics.WALLET_COMMANDS.name, 0, Bookmark(2 + ahead, place.dump()))
        await log.store.write((), [mark])
        await room.work(log)
        told = tell(stored(log, topics.WALLET_JOURNAL))
        assert [entry.offset for entry in told.entries] == [0, 1, 2, 3]
        assert told.repeats == 0

    quietly(story())


def test_T24_what_is_no_command_is_put_aside_once_though_no_entry_follows() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, [*grants(1), Draft(KEY, b"{}")])
        for _ in range(3):
            await room.work(log)
        assert len(stored(log, topics.DEAD_LETTERS)) == 1

    quietly(story(), alarms=1)


def test_it_goes_on_without_any_bookmark() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(12))
        await room.work(log)
        log.store._marks.clear()
        again = await room.open(log.store)
        await again.append(topics.WALLET_COMMANDS, 0, grants(3, first=13))
        await room.work(again)
        told = tell(stored(again, topics.WALLET_JOURNAL))
        assert (len(told.entries), told.repeats) == (15, 0)

    quietly(story())


# ---- what it does not go on with


@pytest.mark.parametrize(
    ("group", "topic", "mark", "problem"),
    [
        (LEDGER, topics.WALLET_COMMANDS, Bookmark(1, '{"snapshot":0,"end":9}'), "entries were"),
        (LEDGER, topics.WALLET_COMMANDS, Bookmark(9, '{"snapshot":0,"end":0}'), "commands were"),
        (LEDGER, topics.WALLET_COMMANDS, Bookmark(0, "x"), "somebody else"),
        (answerer.GROUP, topics.WALLET_JOURNAL, Bookmark(0, "x"), "somebody else"),
        (router.GROUP, topics.EVENTS, Bookmark(0, "x"), "did not write"),
        (
            router.GROUP,
            topics.EVENTS,
            Bookmark(7, '{"horizon":0,"high":-1,"end":0}'),
            "records were lost",
        ),
        (
            router.GROUP,
            topics.EVENTS,
            Bookmark(0, '{"horizon":0,"high":-1,"end":8}'),
            "commands were lost",
        ),
    ],
)
def test_F25_it_refuses_a_log_that_is_not_what_it_was(
    group: str, topic: Topic, mark: Bookmark, problem: str
) -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.store.write((), [Mark(group, topic.name, 0, mark)])
        again = await room.open(log.store)
        with pytest.raises(LogFault, match=problem):
            await room.work(again)

    quietly(story())


def test_a_journal_that_was_changed_is_an_alarm_and_nothing_is_written() -> None:
    async def story() -> None:
        room = Room(every=1000)
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(5))
        await room.work(log)
        spoil(log, 2, b'"coins":10', b'"coins":11')
        await log.append(topics.WALLET_COMMANDS, 0, grants(1, first=9))
        with pytest.raises(LogFault, match="W8 is broken by entry 3"):
            await room.work(log)
        assert len(stored(log, topics.WALLET_JOURNAL)) == 5

    quietly(story(), alarms=1)


def test_F14_another_entry_under_a_known_number_stops_who_answers() -> None:
    async def story() -> None:
        room = Room(every=1000)
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(2))
        await room.work(log)
        other = stored(log, topics.WALLET_JOURNAL)[1].value.replace(b"salim", b"malis")
        await log.append(topics.WALLET_JOURNAL, 0, [Draft(KEY, other)])
        with pytest.raises(LogFault, match="entry 2 has two contents"):
            await room.work(log)

    assert "two contents" in quietly(story(), alarms=2)[0]["detail"]


def test_F17_what_stands_before_a_command_from_the_future_is_done_and_nothing_after() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        newer = orjson.loads(encode(granting(0, 5, n=50))) | {"v": 2}
        drafts = [*grants(2), Draft(KEY, orjson.dumps(newer)), *grants(2, first=3)]
        await log.append(topics.WALLET_COMMANDS, 0, drafts)
        for _ in range(2):
            with pytest.raises(FromTheFuture):
                await room.work(log)
        assert len(tell(stored(log, topics.WALLET_JOURNAL)).entries) == 2

    quietly(story(), alarms=2)


def test_F15_a_poison_command_is_put_aside_and_its_neighbours_are_taken() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        drafts = [*grants(2), Draft(KEY, b"{}"), Draft(b"x", b"y"), *grants(2, first=3)]
        await log.append(topics.WALLET_COMMANDS, 0, drafts)
        await room.work(log)
        assert len(tell(stored(log, topics.WALLET_JOURNAL)).entries) == 4
        assert len(stored(log, topics.DEAD_LETTERS)) == 2

    quietly(story(), alarms=2)


def test_F15_a_poison_entry_is_put_aside_and_the_journal_goes_on() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_JOURNAL, 0, [Draft(KEY, b"{}"), Draft(b"x", b"y")])
        await log.append(topics.WALLET_COMMANDS, 0, grants(2))
        await room.work(log)
        follower = JournalFollower(log)
        await follower.catch_up()
        assert follower.book.state.entry == 2
        assert len(stored(log, topics.DEAD_LETTERS)) == 2

    quietly(story(), alarms=6)  # each reader says so: answerer, ledger, follower


def test_W1_an_entry_that_would_break_a_law_is_never_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault in deciding: coins to somebody from a purse that has none."""

    def wrong(*_: Any) -> tuple[w.Posting, ...]:
        source, destination = (w.player_account(player(n)) for n in (5, 0))
        return (w.Posting(source=source, destination=destination, coins=1),)

    async def story() -> None:
        room = Room()
        log = await room.open()
        await log.append(topics.WALLET_COMMANDS, 0, grants(2))
        await room.work(log)
        monkeypatch.setattr(decisions, "_pay", wrong)
        await log.append(topics.WALLET_COMMANDS, 0, grants(2, first=3))
        with pytest.raises(LawBroken, match="W2"):
            await room.work(log)
        assert len(stored(log, topics.WALLET_JOURNAL)) == 2

    quietly(story(), alarms=1)


def test_T23_a_forged_settlement_parks_its_match_and_asks_for_nothing() -> None:
    async def story() -> None:
        room = Room()
        log = await room.open()
        desk = Desk().coin_table(0, 1, entry=100)
        end = Desk().coin_table(0, 1, entry=100)
        end.leave(1)
        forged = orjson.loads(end.values[-1])
        forged["prev"] = "0" * 64
        values = [*desk.values, orjson.dumps(forged)]
        drafts = [Draft(desk.match_id.encode(), value) for value in values]
        intents = [Draft(i.key, i.value) for i in desk.intents]
        await log.append(topics.INTENTS, desk.partition, intents)
        await log.append(topics.EVENTS, desk.partition, drafts)
        await room.work(log)
        (command,) = stored(log, topics.WALLET_COMMANDS)
        assert w.COMMANDS.decode(command.value).command.type == "hold"

    (alarm,) = quietly(story(), alarms=1)
    assert alarm["problem"] == "a record that does not fit"


async def test_a_batch_in_hand_for_too_long_turns_health_red() -> None:
    class Slow(MemoryLog):
        async def append(self, topic: Topic, *rest: Any) -> Any:
            if topic is topics.WALLET_JOURNAL:
                await asyncio.sleep(3600)
            return await super().append(topic, *rest)

    log = Slow()
    await log.start()
    await log.append(topics.WALLET_COMMANDS, 0, grants(1))
    wallet = Wallet(log, lambda: uuid7(START_MS, 1))
    task = asyncio.create_task(wallet.run(asyncio.Event()))
    await asyncio.sleep(0.1)
    assert wallet.health() is None
    since = wallet._busy._since
    since.update({name: at - 11 for name, at in since.items()})
    assert "the ledger has waited 11 s" in str(wallet.health())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
