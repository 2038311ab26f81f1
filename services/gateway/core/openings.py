"""The id of a new match, made from the intent that opens it.

The same player's same intent gives the same match id through whatever gateway it comes, so a phone
that sends its opening again opens nothing twice: rules knows the id. To give one id, the time in it
is the intent's own, which must therefore be a UUIDv7 of this moment; its other bits come from a
keyed digest, so that nobody chooses the partition of his match.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

INTENT_AGE_MS: Final = 5 * 60_000  # half of what rules takes, so that it never refuses ours
INTENT_AHEAD_MS: Final = 30_000

_MS_SHIFT: Final = 80
_VERSION: Final = 7 << 76
_VARIANT: Final = 2 << 62
_FREE_BITS: Final = ((1 << 12) - 1) << 64 | ((1 << 62) - 1)


def is_of_this_moment(intent_id: str, log_ms: int) -> bool:
    """Return whether an intent's id is a UUIDv7 made about now, by the log's time."""
    found = UUID(intent_id)
    if found.version != _VERSION >> 76:
        return False
    return -INTENT_AHEAD_MS <= log_ms - (found.int >> _MS_SHIFT) <= INTENT_AGE_MS


def match_id(intent_id: str, digest: bytes) -> str:
    """Return the id of the match that an intent opens.

    Args:
        intent_id: A UUIDv7; its time becomes the match's.
        digest: 16 bytes or more, a keyed digest of the player and the intent.
    """
    free = int.from_bytes(digest[:16]) & _FREE_BITS
    time = UUID(intent_id).int >> _MS_SHIFT << _MS_SHIFT
    return str(UUID(int=time | _VERSION | _VARIANT | free))
