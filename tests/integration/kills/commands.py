"""`sahrat` as a person calls it."""

from __future__ import annotations

import asyncio
import os
import sys


async def sahrat(*arguments: str) -> tuple[int, str]:
    """Run a command to its end; return its exit code, and all that it said."""
    ours = {name: text for name, text in os.environ.items() if not name.startswith("SAHRAT_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.house",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=ours,
    )
    try:
        said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, said.decode()
