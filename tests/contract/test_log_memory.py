from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import Log
from tests.contract.log_contract import TOPICS, Again, LogContract
from tests.contract.log_group_contract import GroupContract


class TestMemoryLog(LogContract, GroupContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    async def log(self, store: MemoryStore) -> AsyncIterator[Log]:
        log = MemoryLog(store=store, wanted=TOPICS)
        await log.start()
        yield log
        await log.close()

    @pytest.fixture
    def again(self, store: MemoryStore) -> Again:
        async def reopen(old: Log) -> Log:
            await old.close()
            log = MemoryLog(store=store, wanted=TOPICS)
            await log.start()
            return log

        return reopen
