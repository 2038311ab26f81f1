"""What is read of the read models: by parameters only, within limits, one statement an answer.

One statement sees one set of tables, whole, also while a rebuild puts others in their place. What
is read is behind the play by a moment and never decides anything.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from sahrat.storage.pool import AWAY, LIVE, make_pool

MOST: Final = 100  # rows of one answer
PAGE: Final = 100  # records fetched in one go: a few hundred kB, 6 MB at the very most
STATEMENT_MS: Final = 2_000
CONNECTIONS: Final = 4
_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class ReadsAway(Exception):
    """The database is away, slow or not set up: nothing can be read for a while."""


@dataclass(frozen=True, slots=True)
class Seated:
    """Somebody at a table.

    Attributes:
        seat: The seat's number; None until the seats are dealt.
        player_id: None for a bot that filled the seat.
        bot: A bot plays, or played to the end: to be labelled (rule B).
        has_left: The player got up, or lost the seat for good.
        place: At the end; 1 is best.
    """

    seat: int | None
    player_id: str | None
    nickname: str
    bot: bool
    has_left: bool
    place: int | None


@dataclass(frozen=True, slots=True)
class MatchRead:
    """A match. Times in ms since 1970; those that have not come are None.

    Attributes:
        size: How many seats the table has.
        end_reason: `finished`, or why it was stopped or closed.
        secret: Of the dice, in hex; None until the end.
        seq: The newest record that is here.
        digest: SHA-256 of that record's bytes, in hex.
        parked: Why nothing more of it is taken: its log is damaged; None for a sound one.
        seated: In order of sitting down.
    """

    match_id: str
    game: str
    rules: str
    options: dict[str, str | int]
    size: int
    entry_coins: int
    key_id: str
    commitment: str
    phase: str
    opened_ms: int
    started_ms: int | None
    ended_ms: int | None
    end_reason: str | None
    secret: str | None
    seq: int
    digest: str
    parked: str | None
    seated: tuple[Seated, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that a player has played or is playing.

    Attributes:
        ended_ms: None while it is on, as are `end_reason` and `ended_as_bot`.
        place: None also for a match that was stopped.
        ended_as_bot: A bot played the seat at the end.
        has_left: He got up, or lost the seat for good.
        prize_coins: What the journal has given him of the pot, 0 for nothing; None at a free table,
            and where nothing has been shared out.
    """

    match_id: str
    game: str
    seat: int
    entry_coins: int
    started_ms: int
    ended_ms: int | None
    end_reason: str | None
    place: int | None
    ended_as_bot: bool | None
    has_left: bool
    prize_coins: int | None


@dataclass(frozen=True, slots=True)
class WalletRead:
    """What an entry of the journal did to one player's coins.

    Attributes:
        at_ms: When its command was stored, in ms since 1970.
        id: The command's.
        kind: What was asked of the ledger; `match_id` for which match.
        cause: Who asked, as the journal has it.
        available, held: What he had after it.
        stop_reason, stopped_by, stop_detail: Of a refund, why the match was stopped, the operator
            if it was one, and what he gave as a reason; None where that is not known (yet).
    """

    entry: int
    at_ms: int
    id: str
    kind: str
    match_id: str | None
    cause: dict[str, Any]
    available_change: int
    held_change: int
    available: int
    held: int
    stop_reason: str | None
    stopped_by: str | None
    stop_detail: str | None


_MATCH: Final = """
select
    found.match_id, found.game, found.rules, found.options, found.seats, found.entry_coins,
    found.key_id, found.commitment, found.phase,
    (extract(epoch from found.opened_at) * 1000)::bigint,
    (extract(epoch from found.started_at) * 1000)::bigint,
    (extract(epoch from found.ended_at) * 1000)::bigint,
    found.end_reason, found.secret, found.seq, found.digest, parked.reason,
    (
        select json_agg(
            json_build_array(seated.seat, player_id, nickname, bot, has_left, place)
            order by sitter
        )
        from match_seats as seated
        left join match_standings as standing
            on standing.match_id = seated.match_id and standing.seat = seated.seat
        where seated.match_id = found.match_id
    )
from matches as found
left join parked_matches as parked on parked.match_id = found.match_id
"""
_ONE: Final = _MATCH + "where found.match_id = %s"
_RECENT: Final = (
    _MATCH
    + """
where found.match_id < %s
order by found.match_id desc
limit %s
"""
)
_RECORDS: Final = """
select seq, value from records where match_id = %s and seq > %s order by seq limit %s
"""
_HISTORY: Final = """
select
    match_id, game, seat, entry_coins,
    (extract(epoch from started_at) * 1000)::bigint,
    (extract(epoch from ended_at) * 1000)::bigint,
    end_reason, place, ended_as_bot,
    coalesce((
        select bool_or(seated.has_left)
        from match_seats as seated
        where seated.match_id = played.match_id and seated.player_id = played.player_id
    ), false),
    (
        select change.available_change_coins
        from journal_entries as settled
        join wallet_changes as change using (entry)
        where settled.match_id = played.match_id and settled.kind = 'settle'
            and settled.reason is null and change.player_id = played.player_id
    )
from player_matches as played
where player_id = %s and match_id < %s
order by match_id desc
limit %s
"""
_WALLET: Final = """
select
    entry, (extract(epoch from appended_at) * 1000)::bigint, command_id, kind,
    journal_entries.match_id, cause,
    available_change_coins, held_change_coins, available_coins, held_coins,
    stopped.end_reason, stopped.stopped_by, stopped.end_detail
from wallet_changes
join journal_entries using (entry)
left join matches as stopped
    on kind = 'refund' and stopped.match_id = journal_entries.match_id
    and stopped.phase = 'stopped'
where player_id = %s and entry < %s
order by entry desc
limit %s
"""
_LAST: Final = 2**53  # above every entry
_END: Final = "g"  # above every id


class Reads:
    """Reads the read models of one database. Every method may raise `ReadsAway`.

    Args:
        dsn: The database.
        schema: The tables that are meant.
        name: Who reads.
    """

    def __init__(self, dsn: str, *, schema: str = LIVE, name: str = "sahrat-reads") -> None:
        self._pool = make_pool(
            dsn,
            name=name,
            most=CONNECTIONS,
            schema=schema,
            statement_ms=STATEMENT_MS,
            reads=True,
        )

    async def open(self) -> None:
        """Get ready, whether the database answers or not."""
        await self._pool.open()

    async def close(self) -> None:
        """Let go of all connections."""
        await self._pool.close()

    async def match(self, match_id: str) -> MatchRead | None:
        """Return a match; None if there is none (yet)."""
        if _ID.fullmatch(match_id) is None:
            return None
        for row in await self._rows(_ONE, (match_id,)):
            return _match(row)
        return None

    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        """Yield a match's records above a seq, in order, as stored; nothing for an unknown one."""
        full = _ID.fullmatch(match_id) is not None
        while full:
            rows = await self._rows(_RECORDS, (match_id, after, PAGE))
            for seq, value in rows:
                yield value
                after = seq
            full = len(rows) == PAGE

    async def history(
        self, player_id: str, limit: int = 20, before: str | None = None
    ) -> list[Played]:
        """Return what a player has played, the match opened last first.

        Args:
            player_id: The player.
            limit: 1..`MOST` rows; more are cut off.
            before: The match id that the last answer ended with; None: from the newest on.
        """
        if _ID.fullmatch(player_id) is None:
            return []
        rows = await self._rows(_HISTORY, (player_id, _before(before), _limit(limit)))
        return [Played(*row) for row in rows]

    async def wallet(
        self, player_id: str, limit: int = 20, before: int | None = None
    ) -> list[WalletRead]:
        """Return what changed a player's coins, newest first.

        Args:
            player_id: The player.
            limit: 1..`MOST` rows; more are cut off.
            before: The entry that the last answer ended with; None: from the newest on.
        """
        if _ID.fullmatch(player_id) is None:
            return []
        below = _LAST if before is None else before
        rows = await self._rows(_WALLET, (player_id, below, _limit(limit)))
        return [WalletRead(*row) for row in rows]

    async def recent(self, limit: int = 20, before: str | None = None) -> list[MatchRead]:
        """Return the matches, the one opened last first. Arguments as in `history`."""
        return [_match(row) for row in await self._rows(_RECENT, (_before(before), _limit(limit)))]

    async def _rows(
        self, statement: LiteralString, parameters: Sequence[str | int]
    ) -> list[tuple[Any, ...]]:
        try:
            async with self._pool.connection() as connection:
                cursor = await connection.execute(statement, parameters)
                return await cursor.fetchall()
        except AWAY as fault:
            raise ReadsAway(f"{type(fault).__name__}: {' '.join(str(fault).split())}") from fault


def _match(row: Sequence[Any]) -> MatchRead:
    seated = tuple(Seated(*seat) for seat in row[17] or ())
    return MatchRead(*[*row[:17], seated])


def _before(match_id: str | None) -> str:
    return match_id if match_id is not None and _ID.fullmatch(match_id) else _END


def _limit(limit: int) -> int:
    return max(1, min(limit, MOST))
