"""The balances that PostgreSQL shows, and at which place of the journal they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import psycopg

from sahrat.messages import topics
from sahrat.storage.pool import connect

NAME: Final = "sahrat-audit"


@dataclass(frozen=True, slots=True)
class Shown:
    """Read at one moment.

    Attributes:
        offset: Of the journal: these balances are of all that stands before it.
        coins: By account.
        held: By player's account: his entries that are held.
    """

    offset: int
    coins: dict[str, int]
    held: dict[str, int]


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
    except (psycopg.Error, OSError) as fault:
        said = str(fault).partition("\n")[0] or type(fault).__name__
        return f"PostgreSQL: {said}"
    return Shown(
        offset=0 if place is None else int(place[0]),
        coins={account: int(coins) for account, coins, _ in accounts},
        held={account: int(held) for account, _, held in accounts if held},
    )
