"""What this gateway writes: intents and commands, in order within a partition, and a pulse.

One batch of a partition is under way at a time; what comes meanwhile shares the next. Whoever puts
something in never waits, so a phone's reader is not held up by the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from sahrat.log.port import Draft, Log
from sahrat.messages import match as m
from sahrat.messages import topics, wallet
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope, Pulse
from sahrat.messages.topics import Topic, partition_key, partition_of
from services.gateway.times import Times

BATCH: Final = 500
QUEUED: Final = 5_000  # of a partition: what a phone sends above this is refused as house_busy
Envelope: Final = IntentEnvelope[Message]
WISH_MS: Final = 10_000  # a player's wish that is appended later is refused as late


class _Queue:
    """What waits to be stored in one partition."""

    def __init__(self, topic: Topic, partition: int) -> None:
        self.topic = topic
        self.partition = partition
        self.drafts: list[Draft] = []
        self.filled = asyncio.Event()
        self.idle = asyncio.Event()
        self.idle.set()
        self.since: float | None = None
        """Since when the oldest that is not stored waits, in seconds of the loop."""


class Outbox:
    """Appends for one gateway.

    Args:
        log: Where to.
        gateway: This gateway's id.
        times: Told every append time.
        new_id: Makes ids for the gateway's own intents.
    """

    def __init__(self, log: Log, gateway: str, times: Times, new_id: Callable[[], str]) -> None:
        self._log = log
        self._gateway = gateway
        self._times = times
        self._new_id = new_id
        self._queues = [_Queue(topics.INTENTS, number) for number in range(topics.MATCH_PARTITIONS)]
        self._commands = _Queue(topics.WALLET_COMMANDS, 0)
        self._all = (*self._queues, self._commands)
        self._pulse_since: float | None = None

    # ---- putting in

    def full(self, match_id: str) -> bool:
        """Return whether so much waits for a match's partition that no phone may add to it."""
        return len(self._queues[partition_of(match_id)].drafts) >= QUEUED

    def wish(
        self, player_id: str, match_id: str, intent_id: str, intent: Message, step: int | None
    ) -> None:
        """Send what a player wants."""
        partition = partition_of(match_id)
        envelope = Envelope(
            intent_id=intent_id,
            match_id=match_id,
            player_id=player_id,
            system=None,
            step=step,
            not_after_ms=self._times.now_ms(partition) + WISH_MS,
            sent_by=self._gateway,
            intent=intent,
        )
        self._put(partition, match_id, envelope)

    def tell(self, match_id: str, intent: m.LineUp | m.LineDown) -> str:
        """Send what the gateway itself says of a match, and return the intent's id."""
        envelope = self._own(match_id, intent)
        self._put(partition_of(match_id), match_id, envelope)
        return envelope.intent_id

    def stop(self, match_id: str, intent_id: str, stop: m.StopMatch) -> None:
        """Send an operator's stop of a match."""
        envelope = Envelope(
            intent_id=intent_id,
            match_id=match_id,
            player_id=None,
            system="operator",
            step=None,
            not_after_ms=None,
            sent_by=self._gateway,
            intent=stop,
        )
        self._put(partition_of(match_id), match_id, envelope)

    def command(self, command: wallet.WalletCommand) -> None:
        """Ask something of the ledger."""
        _fill(self._commands, Draft(wallet.LEDGER.encode(), encode(command)))

    def commands_full(self) -> bool:
        """Return whether so much waits for the ledger that nobody may add to it."""
        return len(self._commands.drafts) >= QUEUED

    def lost(self, partition: int) -> None:
        """Say that this gateway is gone from a partition, with all its lines."""
        envelope = self._own(None, m.GatewayLost(gateway=self._gateway))
        self._put(partition, partition_key(partition), envelope)

    def _own(self, match_id: str | None, intent: Message) -> IntentEnvelope[Message]:
        return Envelope(
            intent_id=self._new_id(),
            match_id=match_id,
            player_id=None,
            system="gateway",
            step=None,
            not_after_ms=None,
            sent_by=self._gateway,
            intent=intent,
        )

    def _put(self, partition: int, key: str, envelope: IntentEnvelope[Message]) -> None:
        _fill(self._queues[partition], Draft(key.encode(), encode(envelope)))

    # ---- sending

    def stuck_s(self) -> float:
        """Return for how many seconds the oldest append has waited to be acknowledged."""
        waiting = [queue.since for queue in self._all if queue.since is not None]
        if self._pulse_since is not None:
            waiting.append(self._pulse_since)
        return asyncio.get_running_loop().time() - min(waiting) if waiting else 0.0

    def senders(self) -> Sequence[Coroutine[Any, Any, None]]:
        """Return what stores all that is put in, a task each, for ever.

        Raises:
            AppendFailed: The process must end at once.
        """
        return [self._send(queue) for queue in self._all]

    async def _send(self, queue: _Queue) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await queue.filled.wait()
            batch, queue.drafts = queue.drafts[:BATCH], queue.drafts[BATCH:]
            left_s = loop.time()
            acks = await self._log.append(queue.topic, queue.partition, batch)
            intents = queue.topic is topics.INTENTS
            self._times.saw(acks[-1].at_ms, queue.partition if intents else None)
            queue.since = left_s if queue.drafts else None
            if not queue.drafts:
                queue.filled.clear()
                queue.idle.set()

    async def drained(self) -> None:
        """Wait until everything that was put in is stored."""
        for queue in self._all:
            await queue.idle.wait()

    async def pulse(self) -> None:
        """Say once that this gateway is alive."""
        self._pulse_since = asyncio.get_running_loop().time()
        value = encode(Pulse(gateway=self._gateway))
        acks = await self._log.append(topics.PULSE, 0, (Draft(self._gateway.encode(), value),))
        self._times.saw(acks[-1].at_ms)
        self._pulse_since = None


def _fill(queue: _Queue, draft: Draft) -> None:
    queue.drafts.append(draft)
    if queue.since is None:
        queue.since = asyncio.get_running_loop().time()
    queue.idle.clear()
    queue.filled.set()
