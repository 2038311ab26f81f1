"""The page, as it lies in the folder `static`: read once, then served from memory.

What is not listed at the start is not served, so no path that a client makes up reaches a file.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final

from aiohttp import ETag, hdrs, web

KINDS: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
}
"""By suffix; a file with another one (notes for developers, types) is not for browsers."""
PACKED: Final = (".woff2",)  # compressed as they are
INDEX: Final = "index.html"  # served as its folder
LOST: Final = "lost.html"  # served where there is nothing, in every language at once
ASK_AGAIN: Final = "no-cache"  # the answer is 304 while the file is the same
KEEP: Final = "max-age=2592000"  # s; a font changes under a new name only


@dataclass(frozen=True)
class File:
    """One file, ready to be sent.

    Attributes:
        kind: Its media type.
        packed: Its bytes by gzip; None where that saves nothing.
        tag: Of these bytes and no others.
    """

    kind: str
    body: bytes
    packed: bytes | None
    tag: str
    cache: str


def routes() -> list[web.RouteDef]:
    """Return what is served where; a folder with an index is served without a slash at its end."""
    return [web.get(path, _serving(file)) for path, file in files().items()]


def lost() -> web.Response:
    """Return the page that says that there is nothing."""
    file = files()[f"/{LOST}"]
    response = web.Response(body=file.body, status=HTTPStatus.NOT_FOUND, content_type=file.kind)
    response.charset = "utf-8"
    return response


@functools.cache
def files() -> dict[str, File]:
    """Return all files by the path under which they are served."""
    found: dict[str, File] = {}
    for path, entry in _walk(resources.files("services.gateway") / "static", PurePosixPath("/")):
        file = _file(entry.read_bytes(), path.suffix)
        found[str(path)] = file
        if path.name == INDEX:
            found[str(path.parent)] = file
    return found


def _walk(folder: Traversable, at: PurePosixPath) -> Iterator[tuple[PurePosixPath, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = at / entry.name
        if entry.is_dir():
            yield from _walk(entry, path)
        elif path.suffix in KINDS:
            yield path, entry


def _file(body: bytes, suffix: str) -> File:
    packed = None if suffix in PACKED else gzip.compress(body, mtime=0)
    return File(
        kind=KINDS[suffix],
        body=body,
        packed=packed if packed is not None and len(packed) < len(body) else None,
        tag=hashlib.sha256(body).hexdigest()[:32],
        cache=KEEP if suffix in PACKED else ASK_AGAIN,
    )


def _serving(file: File) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def serve(request: web.Request) -> web.Response:
        takes_gzip = "gzip" in request.headers.get(hdrs.ACCEPT_ENCODING, "")
        packed = file.packed if takes_gzip else None
        headers = {hdrs.CACHE_CONTROL: file.cache, hdrs.VARY: hdrs.ACCEPT_ENCODING}
        tag = ETag(file.tag if packed is None else f"{file.tag}-gzip")
        if any(known.value in (tag.value, "*") for known in request.if_none_match or ()):
            response = web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        else:
            response = web.Response(body=packed or file.body, headers=headers)
            response.content_type = file.kind
            if file.kind.startswith("text/"):
                response.charset = "utf-8"
            if packed is not None:
                response.headers[hdrs.CONTENT_ENCODING] = "gzip"
        response.etag = tag
        return response

    return serve
