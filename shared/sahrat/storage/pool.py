"""Connections to PostgreSQL, every limit set: the library's own are made for other houses.

Nothing here waits for long. A database that is away is met again and again by whoever needs it,
never by a pool that waits for minutes between two attempts.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InvalidSchemaName, ReadOnlySqlTransaction, UndefinedTable
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool
from typing_extensions import override

Connection: TypeAlias = psycopg.AsyncConnection[TupleRow]

LIVE: Final = "live"
"""The schema that readers read and the projection writes; a rebuild puts another in its place."""
SCHEMA: Final = re.compile(r"[a-z][a-z0-9_]{0,40}")

CONNECT_S: Final = 5  # one attempt, for each address that the name stands for
WAIT_S: Final = 3.0  # for a connection: then the caller hears that the database is away
WAITING: Final = 200  # callers at once; more hear so immediately
# A pool doubles the pause between its attempts until it gives this attempt up; the next request
# then begins a new one. With the library's 300 s it would look away for over two minutes.
RECONNECT_S: Final = 5.0
IDLE_S: Final = 120.0
LIFETIME_S: Final = 30 * 60.0
LOCK_MS: Final = 5_000
STATEMENT_MS: Final = 30_000
IDLE_IN_TRANSACTION_MS: Final = 60_000
# A server that vanished without a word (TCP): found out within half a minute.
KEEPALIVE: Final = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}

AWAY: Final = (
    psycopg.OperationalError,  # no connection, no answer in time, no room, shutting down ..
    psycopg.InterfaceError,  # the connection broke between two statements
    ReadOnlySqlTransaction,  # the server is another's copy just now
    InvalidSchemaName,  # it is a new, empty one
    UndefinedTable,
    TimeoutError,
)
"""What is raised while the database is away, slow, full, or not set up yet: try again later."""


class Pool(AsyncConnectionPool[Connection]):
    """A pool that forgets at once who gave up waiting.

    The library's own counts him as waiting until it has a connection to hand out. While the
    database is away its queue fills with those who are gone, and once it is full the pool refuses
    everybody before it looks for a connection: for ever, also when the database is back.
    """

    @override
    async def getconn(self, timeout: float | None = None) -> Connection:
        try:
            return await super().getconn(timeout)
        except BaseException:
            for gone in [one for one in self._waiting if one.error is not None]:
                self._waiting.remove(gone)
            raise


class BadDsn(ValueError):
    """A text that names no database. The message does not repeat it: it may hold a password."""


def check_dsn(dsn: str) -> dict[str, Any]:
    """Return what a DSN says, by name. Raises BadDsn for what is none."""
    try:
        return conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # The library's own words repeat the text, and a password with it.
        raise BadDsn("the database's address is neither a URL nor key=value pairs") from None


def settings(
    dsn: str,
    *,
    name: str,
    schema: str = LIVE,
    statement_ms: int = STATEMENT_MS,
    reads: bool = False,
) -> dict[str, Any]:
    """Return the arguments of a connection, besides the dsn.

    Args:
        dsn: Options that stand there stay, but for those set here.
        name: Who connects, as the server's own views show it.
        schema: Where unqualified names are looked up.
        statement_ms: The longest that one statement may take.
        reads: The server lets it change nothing.

    Raises:
        BadDsn: The dsn is none.
        ValueError: The schema's name is no plain one.
    """
    if SCHEMA.fullmatch(schema) is None:
        raise ValueError(f"no name for a schema: {schema!r}")
    given = check_dsn(dsn).get("options") or ""
    options = {
        "search_path": schema,
        "timezone": "UTC",
        "statement_timeout": statement_ms,
        "lock_timeout": LOCK_MS,
        "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION_MS,
        **({"default_transaction_read_only": "on"} if reads else {}),
    }
    ours = " ".join(f"-c {option}={value}" for option, value in options.items())
    return {
        "autocommit": True,
        "application_name": name,
        "connect_timeout": CONNECT_S,
        "client_encoding": "UTF8",
        "options": f"{given} {ours}".strip(),
        **KEEPALIVE,
    }


def make_pool(
    dsn: str,
    *,
    name: str,
    most: int,
    schema: str = LIVE,
    statement_ms: int = STATEMENT_MS,
    reads: bool = False,
) -> Pool:
    """Return a pool that is not open yet; it opens whether the database answers or not.

    Args:
        dsn: The database.
        name: Who connects.
        most: The most connections at once.
        schema: Where unqualified names are looked up.
        statement_ms: The longest that one statement may take.
        reads: The server lets it change nothing.
    """
    return Pool(
        dsn,
        kwargs=settings(dsn, name=name, schema=schema, statement_ms=statement_ms, reads=reads),
        name=name,
        min_size=0,  # nothing is held that nobody uses
        max_size=most,
        open=False,
        timeout=WAIT_S,
        max_waiting=WAITING,
        max_idle=IDLE_S,
        max_lifetime=LIFETIME_S,
        reconnect_timeout=RECONNECT_S,
        num_workers=2,
    )


async def connect(
    dsn: str, *, name: str, schema: str = LIVE, statement_ms: int = STATEMENT_MS
) -> Connection:
    """Return one connection with the same limits, for a command that runs once.

    Raises:
        psycopg.OperationalError: The database is away.
    """
    return await psycopg.AsyncConnection.connect(
        dsn, **settings(dsn, name=name, schema=schema, statement_ms=statement_ms)
    )
