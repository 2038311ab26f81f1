"""The topics: names, partitions, retention. The one place where these stand."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
MATCH_PARTITIONS: Final = 12
RECORD_LIMIT_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. `retention_ms` None: kept for ever; never compacted, always LogAppendTime."""

    name: str
    partitions: int
    retention_ms: int | None = None
    whole: bool = False
    """It must still start at offset 0: truth that auditors replay."""


INTENTS: Final = Topic("sahrat.match.intents.v1", MATCH_PARTITIONS)
EVENTS: Final = Topic("sahrat.match.events.v1", MATCH_PARTITIONS, whole=True)
REFUSALS: Final = Topic("sahrat.match.refusals.v1", MATCH_PARTITIONS, DAY_MS)
PULSE: Final = Topic("sahrat.pulse.v1", 1, HOUR_MS)
WALLET_COMMANDS: Final = Topic("sahrat.wallet.commands.v1", 1, whole=True)
WALLET_JOURNAL: Final = Topic("sahrat.wallet.journal.v1", 1, whole=True)
DEAD_LETTERS: Final = Topic("sahrat.dead-letters.v1", 3)

ALL: Final = (INTENTS, EVENTS, REFUSALS, PULSE, WALLET_COMMANDS, WALLET_JOURNAL, DEAD_LETTERS)
MATCH_TOPICS: Final = (INTENTS, EVENTS, REFUSALS)
"""A match has the same partition number in all three."""


def partition_of(match_id: str) -> int:
    """Return the partition of a match in the match topics, computed here, never by a client."""
    return int.from_bytes(sha256(match_id.encode()).digest()[:8]) % MATCH_PARTITIONS


def partition_key(partition: int) -> str:
    """Return the record key of an intent for a whole partition."""
    return f"@{partition}"
