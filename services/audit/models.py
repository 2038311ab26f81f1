"""What PostgreSQL shows of coins, and at which place of the journal it stands."""

from __future__ import annotations

from array import array
from typing import Final, LiteralString

import psycopg

from sahrat.messages import topics
from sahrat.storage.pool import Connection, connect
from services.audit.core.history import row_mark, sum_marks
from services.audit.core.tables import Shown

NAME: Final = "sahrat-audit"
AT_ONCE: Final = 2_000
_HEADS: Final = """
select
    entry, (extract(epoch from appended_at) * 1000)::bigint, command_id, kind, match_id, cause
from journal_entries
"""
_CHANGES: Final = """
select
    entry, player_id, available_change_coins, held_change_coins, available_coins, held_coins
from wallet_changes
"""


async def read(dsn: str) -> Shown | str:
    """Return what the read models show; or, in one line, why they can't be compared.

    Raises:
        BadDsn: The dsn is none.
    """
    try:
        connection = await connect(dsn, name=NAME)
        async with connection, connection.transaction():
            await connection.execute("set transaction isolation level repeatable read, read only")
            cursor = await connection.execute(
                "select next_offset from projection_progress "
                "where topic = %s and topic_partition = 0",
                (topics.WALLET_JOURNAL.name,),
            )
            place = await cursor.fetchone()
            cursor = await connection.execute("select account, coins, held_coins from accounts")
            accounts = await cursor.fetchall()
            cursor = await connection.execute("select count(*) from journal_entries")
            counted = await cursor.fetchone()
            marks = array("Q", [0]) * (1 + (0 if counted is None else int(counted[0])))
            for rows in (_HEADS, _CHANGES):
                await _mark(connection, rows, marks)
    except (psycopg.Error, OSError) as fault:
        said = str(fault).partition("\n")[0] or type(fault).__name__
        return f"PostgreSQL: {said}"
    return Shown(
        offset=0 if place is None else int(place[0]),
        coins={account: int(coins) for account, coins, _ in accounts},
        held={account: int(held) for account, _, held in accounts if held},
        marks=marks,
    )


async def _mark(connection: Connection, rows: LiteralString, marks: array[int]) -> None:
    """Add rows, which begin with their entry, to what their entries come to."""
    async with connection.cursor(name="audit") as cursor:
        cursor.itersize = AT_ONCE
        await cursor.execute(rows)
        async for entry, *values in cursor:
            at = entry if 0 < entry < len(marks) else 0
            marks[at] = sum_marks([marks[at], row_mark(*values)])
