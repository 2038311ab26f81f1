"""What is written to the log and read from it, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A record to append."""

    key: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Ack:
    """Where a record was stored, and the append time that the broker gave it."""

    offset: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as the log has it."""

    topic: str
    partition: int
    offset: int
    at_ms: int
    key: bytes
    value: bytes
