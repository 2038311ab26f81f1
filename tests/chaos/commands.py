"""Houses and commands, as processes that a test's own loop goes on beside."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.integration.running import GONE_S, Running


@asynccontextmanager
async def started(data: Path, *options: str, **environment: str) -> AsyncIterator[Running]:
    """Start a house; whatever happens it is not left behind."""
    house = await asyncio.to_thread(lambda: Running(data, *options, **environment))
    try:
        yield house
    finally:
        house.process.kill()
        await asyncio.to_thread(house.process.wait, GONE_S)


async def stopped(house: Running) -> int:
    """Tell a house to end; return its exit code."""
    code, _ = await asyncio.to_thread(house.stop)
    return code


async def ran(module: str, *arguments: str, **environment: str) -> tuple[int, bytes, str]:
    """Run a program to its end; return its exit code, its output, and what it said besides."""
    ours = {name: text for name, text in os.environ.items() if not name.startswith("SAHRAT_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**ours, **environment},
    )
    try:
        out, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, out, said.decode()
