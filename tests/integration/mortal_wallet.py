"""A wallet worker that kills itself, as `kill -9` does, at a named write.

    python -m tests.integration.mortal_wallet SERVERS PREFIX TOPIC NTH POINT

`TOPIC`: the name of one that it writes to: the router's, the ledger's or the answerer's. At its
`NTH` write there it dies: `before` it, `sent` when the write is on its way, `stored` when the log
has acknowledged it and the worker has not yet heard of it. `NTH` 0: it lives until it is told to
end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, Literal, get_args

import uvloop
from typing_extensions import override

from sahrat.log.kafka import KafkaLog
from sahrat.messages import topics
from sahrat.messages.stored import Ack, Draft
from sahrat.messages.topics import Topic
from sahrat.runtime import logs, process
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.ids import new_id
from services.wallet.host import Wallet

Point = Literal["before", "sent", "stored"]
POINTS: Final = get_args(Point)
EVERY: Final = 10  # entries to a snapshot: some in each run
FLIGHT_S: Final = 0.001  # a write of a thousandth of a second may be stored by then, or not


class Mortal(EndingLog):
    """A log that kills who writes to it."""

    def __init__(self, log: KafkaLog, topic: str, nth: int, point: str) -> None:
        super().__init__(log, process.fail)
        self._topic = topic
        self._left = nth
        self._point = point

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        if topic.name == self._topic:
            self._left -= 1
            if self._left == 0:
                await self._die(topic, partition, drafts)
        return await super().append(topic, partition, drafts)

    async def _die(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> None:
        if self._point != "before":
            writing = asyncio.create_task(super().append(topic, partition, drafts))
            await asyncio.wait((writing,), timeout=FLIGHT_S if self._point == "sent" else None)
        os.kill(os.getpid(), signal.SIGKILL)


async def work(stop: asyncio.Event) -> None:
    """Be a wallet worker."""
    servers, prefix, topic, nth, point = sys.argv[1:]
    log = Mortal(KafkaLog(servers, prefix=prefix, wanted=topics.ALL), topic, int(nth), point)
    await log.start()
    await Wallet(log, new_id, EVERY).run(stop)
    await log.close()


if __name__ == "__main__":
    logs.configure("wallet", level="info")
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    process.run(work)
