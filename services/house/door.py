"""Whether a house answers at an address, and a visit to one that does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

import aiohttp
import orjson

from services.house.line import ANSWER_S, AWAY
from services.house.problem import Problem

PAGE_S: Final = 30.0  # in which a page must be there whole
HEALTH: Final = frozenset({HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE})


@asynccontextmanager
async def visit(
    url: str, headers: Mapping[str, str] | None = None
) -> AsyncIterator[aiohttp.ClientSession]:
    """Yield a client for the pages of the house at an address, once it answers.

    Raises:
        Problem: As `reach`; or it stopped answering during the visit.
    """
    await reach(url)
    limit = aiohttp.ClientTimeout(total=PAGE_S)
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=limit) as http:
            yield http
    except (aiohttp.ClientError, TimeoutError) as fault:
        raise Problem(f"the house does not answer any more: {reason(fault)}") from None


async def reach(url: str) -> None:
    """Make sure that a house answers, before anything is asked of it.

    Raises:
        Problem: Nothing does, or something else.
    """
    limit = aiohttp.ClientTimeout(total=ANSWER_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit) as http,
            http.get(f"{url}/health") as answer,
        ):
            status = answer.status
            body = await answer.read() if status in HEALTH else b""
    except AWAY:
        hint = "start one with `sahrat run`, or name another with --url"
        raise Problem(f"no house answers at {url}: {hint}") from None
    if status not in HEALTH:
        raise Problem(f"{url}/health answers {status}: is it a house?")
    if not _is_health(body):
        raise Problem(f"{url}/health says nothing of a house's health: is it a house?")


def _is_health(body: bytes) -> bool:
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        return False
    return isinstance(said, dict) and "parts" in said


def reason(fault: Exception) -> str:
    """Return in a few words why a house did not answer, without what a library adds to them."""
    said = fault.strerror if isinstance(fault, OSError) else str(fault)
    return said or type(fault).__name__
