"""Targets that only who may write to the log reaches: the codecs, bookmarks, snapshots."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final

import orjson
from pydantic import BaseModel

from sahrat.games import schemas
from sahrat.ledger import snapshot
from sahrat.ledger.snapshot import Damaged
from sahrat.log.follow import Horizon
from sahrat.log.journal import JournalPlace
from sahrat.log.port import Bookmark, LogFault
from sahrat.messages import wallet as w
from sahrat.messages.codec import Codec, FromTheFuture, Poison, encode
from services.wallet.answerer import Told
from tests.fuzz.structure import messages
from tests.fuzz.target import ROOT, Target, Wrong

SAMPLES: Final = ROOT / "schemas" / schemas.SAMPLES


def samples(topic: str) -> list[bytes]:
    """Return one message of every type that a topic has ever held."""
    return [path.read_bytes().strip() for path in sorted((SAMPLES / topic).glob("*.json"))]


def decoded(codec: Codec[Any], data: bytes) -> tuple[str, Any]:
    """Decode, and hold the message to its own bytes; return what became of it in a word, and it."""
    try:
        message = codec.decode(data)
    except FromTheFuture as newer:
        return f"newer {_place(newer.detail)}", None
    except Poison as poison:
        if not poison.detail.isprintable():
            raise Wrong(f"a detail that is not plain: {poison.detail!r}") from None
        return f"{poison.reason} {_place(poison.detail)}", None
    if codec.decode(encode(message)) != message:
        raise Wrong("encoded it is another message")
    return f"taken {type_of(message)}", message


def type_of(message: BaseModel) -> str:
    """Return what kind of message it is."""
    for name in ("intent", "command"):
        if isinstance(inner := getattr(message, name, None), BaseModel):
            return type_of(inner)
    if events := getattr(message, "events", None):
        return " ".join(event.type for event in events[:4])
    return str(getattr(message, "type", type(message).__name__))


def _place(detail: str) -> str:
    return re.sub("[0-9]+", "0", detail)[:40]


def _of_topic(topic: str) -> Target:
    codec = schemas.TOPICS[topic]
    return Target(
        topic,
        f"the codec of what stands in a topic: {topic}",
        partial(samples, topic),
        lambda data: decoded(codec, data)[0],
        lambda: messages(codec.json_schema()),
    )


CODECS: Final = tuple(map(_of_topic, schemas.TOPICS))

# ---- bookmarks

_LOADS: Final[tuple[Callable[[Bookmark], Any], ...]] = (Horizon.load, JournalPlace.load, Told.load)


def _bookmark(data: bytes) -> str:
    mark = Bookmark(7, data.decode("utf-8", "replace"))
    words = []
    for load in _LOADS:
        try:
            place = load(mark)
        except LogFault:
            words.append("refused")
            continue
        if load(Bookmark(7, encode(place).decode())) != place:
            raise Wrong(f"written it is another place than {place}")
        words.append(type(place).__name__)
    return " ".join(words)


BOOKMARK: Final = Target(
    "bookmark",
    "what rides along with bookmarks",
    lambda: [
        Horizon(horizon=3, high=-1, end=7).dump().encode(),
        JournalPlace(snapshot=3, end=7).dump().encode(),
        encode(Told(entry=3, digest="0" * 64)),
        b"",
    ],
    _bookmark,
    lambda: messages(Horizon.model_json_schema()),
)

# ---- snapshots

_PLAYER: Final = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
_MATCH: Final = "01980f6e-5c00-7b2a-9d3e-4f5061728395"
_GRANT: Final = "grant:01980f6e-5c00-7b2a-9d3e-4f506172839c"
_DIGEST: Final = "c0ffee" * 10 + "cafe"
_ENTRY: Final = 3
_SNAPSHOT: Final[Sequence[Mapping[str, object]]] = (
    {
        "of": "head",
        "entry": _ENTRY,
        "digest": _DIGEST,
        "offset": 2,
        "at_ms": 1_800_000_000_000,
        "causes": [[4, 17]],
    },
    {
        "of": "balances",
        "rows": [
            ["grants", -1000],
            [f"hold:{_MATCH}:2", 100],
            [f"player:{_PLAYER}", 900],
        ],
    },
    {"of": "holds", "rows": [[_MATCH, 2, 100, [_PLAYER]]]},
    {"of": "ids", "rows": [[_GRANT, _DIGEST, 1, None, 1000]]},
    {"of": "closed", "rows": [["01980f6e-5c00-7b2a-9d3e-4f5061728396", 1_800_000_000_000]]},
    {"of": "days", "rows": [[_PLAYER, [[20833, 20]]]]},
)


def _snapshot(data: bytes) -> str:
    """Load lines as the parts of a snapshot whose digests fit. Nobody but the ledger makes such;
    but whoever starts from one that is no sound ledger must notice.
    """
    texts = data.decode("utf-8", "replace").split("\n")
    parts = [
        w.JournalSnapshot.model_construct(
            entry=_ENTRY,
            digest=_DIGEST,
            part=number,
            parts=len(texts),
            sha256=sha256(text.encode()).hexdigest(),
            text=text,
        )
        for number, text in enumerate(texts, 1)
    ]
    try:
        state = snapshot.load(parts)
    except Damaged as damage:
        return f"damaged {_place(str(damage))}"
    if snapshot.load(snapshot.dump(state)) != state:
        raise Wrong("dumped it is another ledger")
    return "loaded"


SNAPSHOT: Final = Target(
    "snapshot",
    "snapshots of the ledger",
    lambda: [b"\n".join(map(orjson.dumps, _SNAPSHOT))],
    _snapshot,
    lines=True,
)
