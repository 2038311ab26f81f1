"""Fresh ids, for who mints them at the edge; nothing that may be retried does."""

from __future__ import annotations

import uuid_utils


def new_id() -> str:
    """Return a new UUIDv7 in its usual text form, of this machine's clock."""
    return str(uuid_utils.uuid7())
