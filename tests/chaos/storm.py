"""A rules worker that joins its group and leaves it again all the time (F19).

    python -m tests.chaos.storm SERVERS SECONDS

It says when it begins, works while it is a member, as any other does, and leaves in good order; it
ends with whoever started it.
"""

from __future__ import annotations

import asyncio
import sys

from sahrat.log.kafka import KafkaLog
from sahrat.runtime import logs, process
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.keys import match_keys
from sahrat.runtime.settings import Settings
from services.house.kept import sleep
from services.rules.host import Rules


async def work(stop: asyncio.Event) -> None:
    """Come and go until `stop`."""
    servers, every_s = sys.argv[1], float(sys.argv[2])
    log = EndingLog(KafkaLog(servers, name="storm"), process.fail)
    await log.start()
    sys.stdout.write("here\n")
    sys.stdout.flush()
    while not stop.is_set():
        leave = asyncio.Event()
        member = asyncio.create_task(Rules(log, match_keys(Settings.read().master_keys)).run(leave))
        await sleep(every_s, stop)
        leave.set()
        await member
        await sleep(every_s, stop)
    await log.close()


if __name__ == "__main__":
    logs.configure("storm", level="warning")
    process.run(work, supervised=True)
