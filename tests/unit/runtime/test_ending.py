"""A failed append ends the process before anybody can write another word."""

from typing import NoReturn

import pytest

from sahrat.log.memory import MemoryLog
from sahrat.log.port import AppendFailed, Draft
from sahrat.messages import topics
from sahrat.runtime.ending import EndingLog


class Ended(BaseException):
    pass


def end(failure: AppendFailed) -> NoReturn:
    raise Ended(str(failure))


async def test_what_is_stored_passes_and_what_is_not_ends() -> None:
    inner = MemoryLog()
    log = EndingLog(inner, end)
    await log.start()
    (ack,) = await log.append(topics.EVENTS, 0, [Draft(b"k", b"v")])
    assert ack.offset == 0
    assert (await log.bounds(topics.EVENTS, 0)).end == 1
    assert log.healthy() is None
    with pytest.raises(Ended, match="too large"):
        await log.append(topics.EVENTS, 0, [Draft(b"k", b"v" * topics.RECORD_LIMIT_BYTES)])
    await log.close()
    with pytest.raises(Ended, match="closed"):
        await log.append(topics.EVENTS, 0, [Draft(b"k", b"v")])


async def test_reading_goes_through() -> None:
    log = EndingLog(MemoryLog(), end)
    await log.start()
    await log.append(topics.PULSE, 0, [Draft(b"k", b"v")])
    reader = log.reader(topics.PULSE, 0, 0)
    assert [stored.value for stored in await reader.read()] == [b"v"]
    assert await log.bookmarks("rules", topics.INTENTS) == {}
    await log.close()
