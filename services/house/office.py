"""An operator's errand at a running house: his token, and what he asks, again until it is done."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import aiohttp
import click
import orjson
from pydantic import SecretStr, ValidationError

from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.words import say_where
from sahrat.runtime.exits import Exit
from sahrat.runtime.secret_files import BadSecret, read_secret
from services.house.door import PAGE_S, reason, visit
from services.house.folder import SUFFIX, Folder, default_folder
from services.house.line import AWAY
from services.house.numbers import Decimal
from services.house.problem import Problem
from services.house.source import house_url

P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=Message)
LEAST_S: Final = 10.0  # a gateway waits 5 s for the log, so one attempt has more
AGAIN_S: Final = 0.5
PATIENCE_S: Final = 60.0
OPERATORS: Final = "/api/operator/"
JUDGED: Final = (HTTPStatus.OK, HTTPStatus.CONFLICT)


@dataclass(frozen=True, slots=True)
class Errand:
    """Where to go, and as whom.

    Attributes:
        health: The page that says how each part of the house is.
        wait_s: How long to ask again what is not done yet.
    """

    url: str
    health: str
    token: SecretStr
    wait_s: float

    @asynccontextmanager
    async def office(self) -> AsyncIterator[Office]:
        """Go there. Raises Problem where no house answers, or not any more."""
        headers = {"Authorization": f"Bearer {self.token.get_secret_value()}"}
        async with visit(self.url, headers) as http:
            yield Office(http, f"{self.url}{OPERATORS}", self.wait_s)


class Office:
    """A house's pages for operators."""

    def __init__(self, http: aiohttp.ClientSession, url: str, wait_s: float) -> None:
        self._http = http
        self._url = url
        self._wait_s = wait_s

    async def over(self, match_id: str) -> str:
        """Return what became of a match that can't be stopped, in words that follow its name."""
        pages = f"{self._url.removesuffix(OPERATORS)}/api/matches/{match_id}"
        async with self._http.get(f"{pages}/records") as answer:
            status, records = answer.status, await answer.read()
        if status == HTTPStatus.OK:
            return _how_it_ended(records.split(b"\n")[-2])
        async with self._http.get(pages) as answer:
            known = answer.status == HTTPStatus.OK
        if known:
            return "is over; its records, which say by whom and why, can't be read now"
        if status == HTTPStatus.NOT_FOUND:
            return "is unknown: this house has never had it"
        return "is not on, and whether it ever was can't be read now"

    async def read(self, path: str) -> dict[str, Any] | None:
        """Return a page; None for what is not there.

        Raises:
            Problem: The house does not show it.
        """
        deadline = asyncio.get_running_loop().time() + self._wait_s
        while True:
            async with self._http.get(self._url + path) as answer:
                status, body = answer.status, await answer.read()
            if status == HTTPStatus.OK:
                return _object(body)
            if status == HTTPStatus.NOT_FOUND:
                return None
            await _again_or_not(status, body, deadline)

    async def ask(self, path: str, wish: Message) -> dict[str, Any]:
        """Ask for something, again until it is done, refused, or has taken too long; return what
        was said last: its `state`.

        Raises:
            Problem: The house does not take it, and nothing is done.
            Unknown: It was sent, and no answer came in time: it may be done.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._wait_s
        said: dict[str, Any] | None = None
        lost = ""
        while True:
            try:
                status, body = await self._post(path, wish, deadline - loop.time())
                if status in JUDGED:
                    return _judged(body)
                if status == HTTPStatus.ACCEPTED:
                    said = _judged(body)
                else:
                    _check_answer(status, body)
                    await _again_or_not(status, body, deadline)
            except _Lost as fault:
                lost = str(fault)
            except Problem as problem:
                if said is None and lost:
                    raise Unknown(f"{lost}, and then: {problem.message}") from None
                if said is None:
                    raise
                return said
            if loop.time() > deadline and said is not None:
                return said
            if loop.time() > deadline and lost:
                raise Unknown(lost)
            await asyncio.sleep(AGAIN_S)

    async def _post(self, path: str, wish: Message, left_s: float) -> tuple[int, bytes]:
        """Send a wish once.

        Raises:
            Problem: It was not sent: nothing listens there.
            _Lost: It may have been taken.
        """
        limit = aiohttp.ClientTimeout(total=min(PAGE_S, max(LEAST_S, left_s)))
        try:
            async with self._http.post(
                self._url + path, data=encode(wish), timeout=limit
            ) as answer:
                return answer.status, await answer.read()
        except aiohttp.ClientConnectorError as fault:
            raise Problem(f"the house does not answer any more: {reason(fault)}") from None
        except TimeoutError:
            raise _Lost(f"no answer within {limit.total:.0f} s") from None
        except AWAY as fault:
            raise _Lost(f"the answer was lost: {reason(fault)}") from None


class Unknown(Problem):
    """Something was asked for, and whether it is done nobody has said."""

    def __init__(self, why: str) -> None:
        super().__init__(why, Exit.FAULT)


class _Lost(Exception):
    """A wish was sent, and its answer is none that says whether it was taken."""


def made(kind: type[M], fields: Mapping[str, Any]) -> M:
    """Return what is to be asked for. Raises Problem for what is none."""
    try:
        return kind(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Problem(say_where(first)) from None


def operates(command: Callable[Concatenate[Errand, P], T]) -> Callable[..., T]:
    """Give a command the options that say at which house, and as whom; it gets them as its first
    argument.

    Stands right above the function, below `@click.command` and the command's own options.
    """

    @click.option("--as", "name", help="Which operator, of those with a token in the folder.")
    @click.option(
        "--token",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The file with the operator's token.  [default: the only one in the folder]",
    )
    @click.option("--url", help="A running house.  [default: the one on the folder]")
    @click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="The folder of a running house.  [default: .sahrat in the checkout]",
    )
    @click.option(
        "--wait",
        "wait_s",
        type=Decimal(0, 3600),
        default=PATIENCE_S,
        show_default=True,
        help="Seconds in which log and journal must say that it is done.",
    )
    @functools.wraps(command)
    def placed(
        name: str | None,
        token: Path | None,
        url: str | None,
        data: Path | None,
        wait_s: float,
        *arguments: P.args,
        **options: P.kwargs,
    ) -> T:
        folder = Folder((data or default_folder()).resolve())
        if token is not None and name is not None:
            raise Problem("--as and --token both name an operator: leave one out")
        path = token or token_file(folder, name)
        try:
            secret = SecretStr(read_secret(path).get_secret_value().strip())
        except BadSecret as fault:
            raise Problem(f"{fault}; `sahrat operator NAME` makes a token") from None
        where = house_url(url, data)
        own = None if url is not None else folder.address()
        health = f"{where}/health" if own is None else own.health
        errand = Errand(where, health, secret, wait_s)
        return command(errand, *arguments, **options)

    return placed


def token_file(folder: Folder, name: str | None) -> Path:
    """Return the file of an operator's token in a house's folder.

    Raises:
        Problem: Nobody is named, and there is not exactly one.
    """
    if name is not None:
        return folder.token(name)
    names = sorted(path.stem for path in folder.operators.glob(f"*{SUFFIX}"))
    if len(names) > 1:
        raise Problem(f"which operator is it? choose one with --as: {', '.join(names)}")
    if not names:
        raise Problem(
            f"no operator has a token in {folder.operators}: make one with `sahrat operator NAME`, "
            "or name one with --token"
        )
    return folder.token(names[0])


def _how_it_ended(record: bytes) -> str:
    """Return how the last record of a match ends it, if it does."""
    said = _object(record)
    end, at_s = said["events"][-1], said["at_ms"] / 1000
    at = f"at {datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S} UTC"
    match end["type"]:
        case "match.stopped" if end["operator"]:
            return f"was stopped by {end['operator']} {at}: {end['detail']}"
        case "match.stopped":
            return f"was stopped by the house {at}: {end['reason']}"
        case "match.ended":
            return f"was played to its end {at}"
        case "table.closed":
            return f"was closed before play {at}: {end['why']}"
        case _:
            return "is not on: its end can't be read yet, or its log is damaged"


def _judged(body: bytes) -> dict[str, Any]:
    try:
        return _object(body)
    except Problem as problem:
        raise _Lost(problem.message) from None


def _check_answer(status: int, body: bytes) -> None:
    """Raise _Lost for what answers after a wish may have been taken: a fault, or something in front
    of the house. What the house itself gives as a reason not to take it is none.
    """
    own = status < HTTPStatus.INTERNAL_SERVER_ERROR
    if not own and status == HTTPStatus.SERVICE_UNAVAILABLE:
        own = b'"reason"' in body
    if not own:
        raise _Lost(f"the house answered {status}")


async def _again_or_not(status: int, body: bytes, deadline: float) -> None:
    """Wait a moment before a house that is busy is asked again.

    Raises:
        Problem: Asking again is of no use, or it has been busy for too long.
    """
    try:
        said = _object(body)
    except Problem:
        said = {}
    why = ": ".join(str(part) for part in (said.get("reason", status), said.get("detail")) if part)
    if status == HTTPStatus.FORBIDDEN:
        raise Problem(f"{why}; the token is a player's: `sahrat operator NAME` makes another kind")
    if status == HTTPStatus.UNAUTHORIZED:
        raise Problem(
            f"{why}; it has expired, is damaged, or is of another house: "
            "`sahrat operator NAME --renew` makes a new one"
        )
    if status != HTTPStatus.SERVICE_UNAVAILABLE:
        raise Problem(f"the house refuses: {why}")
    if asyncio.get_running_loop().time() > deadline:
        raise Problem(f"the house has no time: {why}")
    await asyncio.sleep(AGAIN_S)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Problem("the answer is none: is it a house?")
    return found
