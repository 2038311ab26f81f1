"""What a worker is, to whoever runs it: one process on Kafka, or one task in the embedded house."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Worker(Protocol):
    """A part of the house."""

    name: str

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then hand over and return.

        Raises:
            LogFault: The log is away or damaged: end the process without a further word to the
                log (`os._exit`); whoever supervises it starts it again.
        """

    def health(self) -> str | None:
        """Return None while the worker can do its work; else what is wrong, in a few words."""
