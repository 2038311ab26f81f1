"""The role of analysts: it reads the views of the read models, and nothing else, within limits.

What it may do is a matter of rights, which no session can change: select from views, and that is
all. Its limits are settings of the role. A session may raise some of them for itself, as any in
PostgreSQL may; so whoever runs longer than `STATEMENT_MS` all the same is ended (`end_overlong`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from psycopg.errors import (
    DuplicateObject,
    InsufficientPrivilege,
    InternalError_,
    UniqueViolation,
)
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Identifier, Literal

from sahrat.storage import migrate
from sahrat.storage.pool import LIVE, Connection

ROLE: Final = "sahrat_analyst"
CONNECTIONS: Final = 3  # a statement keeps one core busy, and play needs the others
STATEMENT_MS: Final = 60_000  # a million records are read through in under half of it
GRACE_MS: Final = 5_000
SETTINGS: Final = {
    "search_path": LIVE,
    "timezone": "UTC",
    "default_transaction_read_only": "on",
    "statement_timeout": str(STATEMENT_MS),
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "60s",  # an old snapshot keeps dead rows from going
    "work_mem": "32MB",
    "temp_file_limit": "2GB",  # a superuser alone may set it: an analyst can't raise it
    "max_parallel_workers_per_gather": "0",
}
# What everybody may call and that writes, or locks what others need, without any table.
WRITES: Final = [
    "lo_creat",
    "lo_create",
    "lo_from_bytea",
    "lo_put",
    "lo_unlink",
    "lowrite",
    "pg_advisory_lock",
    "pg_advisory_lock_shared",
    "pg_advisory_xact_lock",
    "pg_advisory_xact_lock_shared",
    "pg_logical_emit_message",
    "pg_notify",
    "pg_try_advisory_lock",
    "pg_try_advisory_lock_shared",
    "pg_try_advisory_xact_lock",
    "pg_try_advisory_xact_lock_shared",
]

# No right to; or another house on the same server, which has other databases, is doing just that.
NOT_DONE: Final = (InsufficientPrivilege, DuplicateObject, UniqueViolation, InternalError_)

_ROLE: Final = """
select role.rolconnlimit, coalesce(role.rolconfig, '{}')
from pg_roles as role where role.rolname = %s
"""
_UNGRANTED: Final = """
select view.relname::text
from pg_class as view
join pg_namespace as schema on schema.oid = view.relnamespace
where schema.nspname = %s and view.relkind = 'v'
    and not has_table_privilege(%s, view.oid, 'select')
"""
_OPEN: Final = """
select
    current_database()::text, has_database_privilege(%s, current_database(), 'temp'),
    has_schema_privilege(%s, 'public', 'create'),
    exists (
        select from pg_proc
        where pronamespace = 'pg_catalog'::regnamespace and proname = any(%s)
            and has_function_privilege('public', oid, 'execute')
    )
"""
_SHUT: Final = """
do $$
declare opened regprocedure;
begin
    for opened in
        select oid from pg_proc
        where pronamespace = 'pg_catalog'::regnamespace and proname = any({})
            and has_function_privilege('public', oid, 'execute')
    loop
        execute format('revoke execute on function %s from public', opened);
    end loop;
end
$$
"""
_OVERLONG: Final = """
select pid, pg_terminate_backend(pid)
from pg_stat_activity
where usename = %s and state in ('active', 'fastpath function call')
    and query_start < clock_timestamp() - %s * interval '1 millisecond'
"""


async def admit(connection: Connection, schema: str) -> list[str]:
    """Make the role if it is missing, and let it read the views of a schema; what is so already
    stays.

    Args:
        connection: One outside a transaction.
        schema: Where the views are.

    Returns:
        What the user of this connection has no right to do: to be told, and no reason to stop.

    Raises:
        psycopg.OperationalError: The database is away.
    """
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (migrate.LOCK,))
        cursor = await connection.execute(_ROLE, (ROLE,))
        found = await cursor.fetchone()
        if found is None:
            make = SQL("create role {} login").format(Identifier(ROLE))
            if await _refused(connection, make):
                return [f"make the role {ROLE}"]
        refused = await _limit(connection, *(found or (-1, [])))
        refused += await _let_read(connection, schema)
        return refused + await _shut(connection)


async def end_overlong(connection: Connection, limit_ms: int = STATEMENT_MS + GRACE_MS) -> int:
    """End the sessions of analysts whose statement has run for longer than that, whatever they
    have set; return how many.

    Raises:
        psycopg.Error: The database is away, or the user may not.
    """
    cursor = await connection.execute(_OVERLONG, (ROLE, limit_ms))
    return len(await cursor.fetchall())


async def _limit(connection: Connection, most: int, set_already: Sequence[str]) -> list[str]:
    refused: list[str] = []
    limit = SQL("alter role {} connection limit {}").format(Identifier(ROLE), CONNECTIONS)
    if most != CONNECTIONS and await _refused(connection, limit):
        refused.append("limit its connections")
    stands = [setting.lower() for setting in set_already]
    for name, value in SETTINGS.items():
        change = SQL("alter role {} set {} = {}").format(
            Identifier(ROLE), Identifier(name), Literal(value)
        )
        if f"{name}={value}".lower() not in stands and await _refused(connection, change):
            refused.append(f"set its {name}")
    return refused


async def _let_read(connection: Connection, schema: str) -> list[str]:
    cursor = await connection.execute(_UNGRANTED, (schema, ROLE))
    views = [Identifier(schema, view) for (view,) in await cursor.fetchall()]
    if not views:
        return []
    role = Identifier(ROLE)
    enter = SQL("grant usage on schema {} to {}").format(Identifier(schema), role)
    read = SQL("grant select on {} to {}").format(SQL(", ").join(views), role)
    refused = await _refused(connection, enter) or await _refused(connection, read)
    return ["let it read the views"] if refused else []


async def _shut(connection: Connection) -> list[str]:
    """Take from everybody what analysts must not have: PostgreSQL can't take it from them alone.
    Owners and superusers keep it. Who may not gets a mere warning, so it is looked at again.
    """
    database, *open_ways = await _open(connection)
    if not any(open_ways):
        return []
    shut: tuple[SQL | Composed, ...] = (
        SQL("revoke temporary on database {} from public").format(Identifier(database)),
        SQL("revoke create on schema public from public"),
        SQL(_SHUT).format(Literal(WRITES)),
    )
    for is_open, way in zip(open_ways, shut, strict=True):
        if is_open:
            await _refused(connection, way)
    _, temporary, public, functions = await _open(connection)
    ways = {
        "keep it from making temporary tables": temporary,
        "keep it from making tables in the schema public": public,
        "keep it from functions that write or lock": functions,
    }
    return [way for way, is_open in ways.items() if is_open]


async def _open(connection: Connection) -> TupleRow:
    cursor = await connection.execute(_OPEN, (ROLE, ROLE, WRITES))
    row = await cursor.fetchone()
    assert row is not None
    return row


async def _refused(connection: Connection, statement: SQL | Composed) -> bool:
    """Run a statement; return whether it could not be done, and then it was as if never tried."""
    try:
        async with connection.transaction():
            await connection.execute(statement)
    except NOT_DONE:
        return True
    return False
