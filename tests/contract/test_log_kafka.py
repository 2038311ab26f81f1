from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

from sahrat.log.kafka import KafkaLog
from sahrat.log.port import Log
from tests.contract.log_contract import TOPICS, Again, LogContract
from tests.contract.log_group_contract import GroupContract


@pytest.fixture
def prefix() -> str:
    return f"t{uuid.uuid4().hex[:12]}."


class TestKafkaLog(LogContract, GroupContract):
    @pytest.fixture
    async def log(self, kafka: str, prefix: str) -> AsyncIterator[Log]:
        log = KafkaLog(kafka, prefix=prefix, wanted=TOPICS, flush=False)
        await log.start()
        yield log
        await log.close()

    @pytest.fixture
    async def again(self, kafka: str, prefix: str) -> AsyncIterator[Again]:
        opened: list[Log] = []

        async def reopen(old: Log) -> Log:
            await old.close()
            log = KafkaLog(kafka, prefix=prefix, wanted=TOPICS, flush=False)
            await log.start()
            opened.append(log)
            return log

        yield reopen
        for log in opened:
            await log.close()
