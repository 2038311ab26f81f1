"""A pool outlives any absence of its database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sahrat.storage.pool import AWAY, WAITING, make_pool


@asynccontextmanager
async def relay(port: int, dsn: str) -> AsyncIterator[None]:
    """Pass on what comes to a port to the server of a dsn."""
    to = conninfo_to_dict(dsn)
    host, at = str(to["host"]), int(to.get("port") or 5432)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if host.startswith("/"):
            there, back = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{at}")
        else:
            there, back = await asyncio.open_connection(host, at)
        await asyncio.gather(pump(reader, back), pump(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()


async def test_C49_who_gave_up_waiting_keeps_nobody_from_a_database_that_is_back(
    postgres: str,
) -> None:
    """However many they were: more than may wait at once."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    pool = make_pool(make_conninfo(postgres, host="127.0.0.1", port=port), name="test", most=2)
    await pool.open()
    try:
        for _ in range(WAITING + 1):
            with pytest.raises(AWAY):
                async with pool.connection(timeout=0.001):
                    pass
        impatient = asyncio.create_task(pool.getconn())
        await asyncio.sleep(0.01)
        impatient.cancel()
        await asyncio.gather(impatient, return_exceptions=True)
        assert pool.get_stats().get("requests_waiting", 0) == 0
        async with relay(port, postgres), asyncio.timeout(60):
            while True:
                try:
                    async with pool.connection() as connection:
                        answer = await (await connection.execute("select 1")).fetchone()
                    break
                except psycopg.OperationalError:
                    continue  # an attempt from before is given up first
        assert answer == (1,)
    finally:
        await pool.close()
