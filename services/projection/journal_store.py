"""The journal's read models in PostgreSQL: each batch's rows and its place in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString

import orjson
from typing_extensions import override

from sahrat.messages import topics
from sahrat.messages.wallet import player_account
from sahrat.storage.pool import LIVE, Connection
from services.projection import journal_statements, statements
from services.projection.core.journal import HOLD, Known, Named
from services.projection.journal_rows import AccountRow, HoldRow, JournalWrites, Purse
from services.projection.models import JournalModels, JournalTurn
from services.projection.rows import Place
from services.projection.store import Postgres

JOURNAL_CONNECTIONS: Final = 1  # one partition


class PostgresJournal(Postgres, JournalModels):
    """The journal's read models of one schema. Arguments as `PostgresModels` has them."""

    def __init__(self, dsn: str, *, schema: str = LIVE, name: str = "sahrat-journal") -> None:
        super().__init__(topics.WALLET_JOURNAL, dsn, schema, name, JOURNAL_CONNECTIONS)

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[JournalTurn]:
        async with self.begun(place) as connection:
            yield PostgresJournalTurn(self, connection, place)


class PostgresJournalTurn(JournalTurn):
    """One batch's transaction, which holds the journal's row."""

    def __init__(self, models: PostgresJournal, connection: Connection, place: Place) -> None:
        self._models = models
        self._connection = connection
        self._before = place

    @override
    async def known(self, named: Named) -> Known:
        digests = await self._fetch(journal_statements.DIGESTS, list(named.entries))
        holds: dict[str, list[HoldRow]] = {}
        for row in await self._fetch(journal_statements.HOLDS, list(named.matches)):
            hold = HoldRow(*row)
            holds.setdefault(hold.match_id, []).append(hold)
        held = [hold.player_id for rows in holds.values() for hold in rows]
        players = dict.fromkeys([*named.players, *held])
        accounts = {player_account(player_id): player_id for player_id in players}
        purses = await self._fetch(journal_statements.PURSES, list(accounts))
        return Known(
            digests=dict(digests),
            holds=holds,
            purses={accounts[account]: Purse(coins, kept) for account, coins, kept in purses},
        )

    @override
    async def write(self, writes: JournalWrites) -> None:
        await self._rows(journal_statements.ENTRIES, writes.entries)
        await self._rows(journal_statements.POSTINGS, writes.postings)
        gone = [row for row in writes.accounts if _is_gone(row)]
        await self._rows(journal_statements.CLOSED, gone)
        open_ones = [row for row in writes.accounts if not _is_gone(row)]
        await self._rows(journal_statements.ACCOUNTS, open_ones)
        await self._rows(journal_statements.HELD, writes.holds)
        await self._rows(journal_statements.CHANGES, writes.changes)
        await self._rows(statements.UNREADABLE, writes.unreadable)
        await self._models.advance(self._connection, self._before, writes.place)

    async def _fetch(self, statement: LiteralString, names: Sequence[Any]) -> list[Any]:
        if not names:
            return []
        cursor = await self._connection.execute(statement, (names,))
        return await cursor.fetchall()

    async def _rows(self, statement: LiteralString, rows: Sequence[Any]) -> None:
        if rows:
            await self._connection.execute(statement, (orjson.dumps(rows).decode(),))


def _is_gone(row: AccountRow) -> bool:
    """Tell whether an account is an empty hold's, which is nobody's any more."""
    return row.coins == 0 and row.account.startswith(HOLD)
