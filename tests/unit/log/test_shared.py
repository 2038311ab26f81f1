"""What followers in one process work out once for all of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from typing_extensions import override

from sahrat.games import wire
from sahrat.log.follow import Follower
from sahrat.log.live import LivePartition, Verdict
from sahrat.log.memory import MemoryLog
from sahrat.log.port import LogFault, Reader
from sahrat.log.replays import SharedReplays
from sahrat.match import evolve
from sahrat.messages.codec import Codec, FromTheFuture, Poison
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import EVENTS, INTENTS, Topic
from tests.unit.match.desk import Desk


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often records are decoded, and folded."""
    counts: Counter[str] = Counter()
    decode, fold = Codec.decode, evolve.fold

    def counting_decode(codec: Codec[Any], value: bytes) -> Any:
        counts["decoded"] += codec is wire.RECORDS
        return decode(codec, value)

    def counting_fold(*args: Any) -> Any:
        counts["folded"] += 1
        return fold(*args)

    monkeypatch.setattr(Codec, "decode", counting_decode)
    monkeypatch.setattr(evolve, "fold", counting_fold)
    return counts


def played() -> Desk:
    desk = Desk()
    desk.table_of(0, 1)
    desk.wait(15).due()
    desk.wait(15).due()
    return desk


def stored(desk: Desk, values: Sequence[bytes]) -> list[Stored]:
    key = desk.match_id.encode()
    return [Stored("e", desk.partition, at, 0, key, value) for at, value in enumerate(values)]


def followed(desk: Desk, values: Sequence[bytes], shared: SharedReplays | None) -> LivePartition:
    live = LivePartition(desk.partition, shared=shared)
    for one in stored(desk, values):
        live.take(one, live.read(one))
    return live


def test_five_followers_decode_and_fold_each_record_once(counted: Counter[str]) -> None:
    desk = played()
    counted.clear()
    shared = SharedReplays()
    alone = followed(desk, desk.values, None)
    assert counted == {"decoded": len(desk.values), "folded": len(desk.values)}
    counted.clear()
    together = [followed(desk, desk.values, shared) for _ in range(5)]
    assert counted == {"decoded": len(desk.values), "folded": len(desk.values)}
    for live in together:
        assert live.get(desk.match_id) is not alone.get(desk.match_id)  # each has its own match
        assert live.horizon() == alone.horizon()
        mine, other = live.get(desk.match_id), alone.get(desk.match_id)
        assert mine is not None
        assert other is not None
        assert (mine.state, mine.digest, mine.seq) == (other.state, other.digest, other.seq)


def test_one_that_is_behind_the_others_works_out_what_is_gone(counted: Counter[str]) -> None:
    desk = played()
    counted.clear()
    shared = SharedReplays(most=2)
    first = followed(desk, desk.values, shared)
    second = followed(desk, desk.values, shared)
    assert counted["decoded"] == 2 * len(desk.values)
    states = [live.get(desk.match_id) for live in (first, second)]
    assert [match and match.state for match in states] == [desk.match.state] * 2


def test_a_match_parks_for_each_of_them(counted: Counter[str]) -> None:
    desk = played()
    broken = [*desk.values[:-1], desk.values[-1][:-1]]
    counted.clear()
    shared = SharedReplays()
    for _ in range(2):
        match = followed(desk, broken, shared).get(desk.match_id)
        assert match is not None
        assert match.parked
    assert counted["decoded"] == len(broken)


def test_a_record_of_another_state_is_folded_anew() -> None:
    """The same events after another state are another question."""
    desk, shared = played(), SharedReplays()
    match = followed(desk, desk.values[:-1], None).get(desk.match_id)
    assert match is not None
    other = match.copy()
    other.state = replace(match.known, entry_coins=7)
    events = desk.records[-1].events
    for _ in range(2):
        for each in (match, other):
            assert shared.after(each, events) == each.after(events)
    assert shared.after(match, events) != shared.after(other, events)


def test_what_is_newer_than_the_code_is_asked_again() -> None:
    shared, asked = SharedReplays(), []

    def read(one: Stored) -> Poison:
        asked.append(one)
        if len(asked) == 1:
            raise FromTheFuture("unknown", "v")
        return Poison("x", "y")

    one = Stored("e", 0, 0, 0, b"", b"")
    with pytest.raises(FromTheFuture):
        shared.said(one, read)
    assert shared.said(one, read) is shared.said(one, read)
    assert len(asked) == 2


# ---- who begins at the same place has a copy


class Counted(Reader):
    """A reader that says when it reads."""

    def __init__(self, reader: Reader, read: Callable[[], None]) -> None:
        self._reader, self._read = reader, read

    @override
    async def read(self, limit: int = 500) -> Sequence[Stored]:
        self._read()
        return await self._reader.read(limit)

    @override
    async def close(self) -> None:
        await self._reader.close()


class House:
    """A log with all but the last record of a match, and followers in one process."""

    def __init__(self) -> None:
        self.desk, self.log = played(), MemoryLog()
        self.log.shared = SharedReplays()
        self.reads: list[int] = []
        self.fails = 0

    async def begin(self) -> None:
        await self.log.start()
        await self.store(INTENTS, self.desk.values)  # the causes are there
        await self.store(EVENTS, self.desk.values[:-1])

    async def store(self, topic: Topic, values: Sequence[bytes]) -> None:
        drafts = [Draft(self.desk.match_id.encode(), value) for value in values]
        await self.log.append(topic, self.desk.partition, drafts)

    def follower(self, number: int) -> Follower:
        def read() -> None:
            self.reads.append(number)
            if self.fails:
                self.fails -= 1
                raise LogFault("away")

        return Follower(
            self.log,
            self.desk.partition,
            lambda topic, at: Counted(self.log.reader(topic, self.desk.partition, at), read),
        )

    def seq(self, follower: Follower) -> int:
        match = follower.live.get(self.desk.match_id)
        return 0 if match is None else match.seq


@pytest.fixture
async def house() -> House:
    house = House()
    await house.begin()
    return house


async def test_one_reads_for_all_who_begin_with_it(house: House) -> None:
    followers = [house.follower(number) for number in range(5)]
    await asyncio.gather(*(follower.catch_up() for follower in followers))
    there = len(house.desk.values) - 1
    assert set(house.reads) == {0}
    assert [house.seq(follower) for follower in followers] == [there] * 5
    assert len({id(follower.live.get(house.desk.match_id)) for follower in followers}) == 5
    assert len({follower.live.horizon() for follower in followers}) == 1
    await house.store(EVENTS, house.desk.values[-1:])
    (read,) = await followers[3].read()
    assert read.taken.verdict is Verdict.TAKEN
    assert [house.seq(follower) - there for follower in followers] == [0, 0, 0, 1, 0]
    for follower in followers[:3]:
        (read,) = await follower.read()
        assert read.taken.verdict is Verdict.TAKEN
        assert read.taken.match is not None
        found = read.taken.match.accepted.find(
            house.desk.records[1].caused_by.sender, house.desk.records[1].caused_by.intent_id
        )
        assert found == 2


async def test_another_reads_where_that_one_fails(house: House) -> None:
    house.fails = 1
    followers = [house.follower(number) for number in range(3)]
    ended = await asyncio.gather(*(f.catch_up() for f in followers), return_exceptions=True)
    assert [type(end) for end in ended] == [LogFault, type(None), type(None)]
    assert house.reads[:2] == [0, 1]
    assert [house.seq(f) for f in followers[1:]] == [len(house.desk.values) - 1] * 2


async def test_who_comes_later_reads_for_himself(house: House) -> None:
    for number in range(2):
        follower = house.follower(number)
        await follower.catch_up()
        assert house.seq(follower) == len(house.desk.values) - 1
    assert set(house.reads) == {0, 1}
