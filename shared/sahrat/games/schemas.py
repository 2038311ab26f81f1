"""Write the JSON Schemas of all messages, and a sample of each type that has none yet.

    python -m sahrat.games.schemas schemas/

The schemas are made from the code alone and replace what was there. Samples are only ever added:
an old one shows what readers must decode for ever, so none is written over.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from sahrat.games import GAMES, wire
from sahrat.messages import wallet
from sahrat.messages.base import Message
from sahrat.messages.codec import Codec, encode
from sahrat.messages.envelope import GENESIS, IntentRefused, IntentRepeated, TickAnswered
from sahrat.messages.match import PARTITION_INTENTS, SYSTEM_INTENTS

TOPICS: Final[Mapping[str, Codec[Any]]] = {
    "intent": wire.INTENTS,
    "record": wire.RECORDS,
    "answer": wire.ANSWERS,
    "pulse": wire.PULSES,
    "dead-letter": wire.DEAD_LETTERS,
    "command": wallet.COMMANDS,
    "journal": wallet.JOURNAL,
}
"""What stands in the topics, by the name of its schema and of its folder of samples."""
ANSWER_TYPES: Final[tuple[type[Message], ...]] = (IntentRefused, IntentRepeated, TickAnswered)
COMMAND_TYPES: Final[tuple[type[Message], ...]] = (
    wallet.HoldEntries,
    wallet.ReleaseEntries,
    wallet.SettleEntries,
    wallet.RefundEntries,
    wallet.RewardPlayers,
    wallet.GrantCoins,
)
JOURNAL_TYPES: Final[tuple[type[Message], ...]] = (wallet.JournalEntry, wallet.JournalSnapshot)
SAMPLES: Final = "samples"
SERVICES: Final = ("gateway", "asyncapi.json", "openapi.json")
"""What is a service's own to write."""
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_ID: Final = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
_TEXTS: Final = (
    "سالم",
    "ludo/1",
    "18446744073709551615",
    _ID,
    f"player:{_ID}",
    f"hold:{_ID}:3",
    "c0ffee" * 10 + "cafe",
)
"""Sample texts; the first that a field takes is used, so those that few take stand last."""
_NUMBER: Final = 3  # a seat, a pawn, a place, a face and a count


def type_name(kind: type[Message]) -> str:
    """Return the wire name of a message class: `ludo.rolled`."""
    return str(kind.model_fields["type"].default)


def schemas() -> dict[str, str]:
    """Return every schema's text by its path below the folder."""
    found = {f"{name}.json": _text(name, codec.json_schema()) for name, codec in TOPICS.items()}
    found["player-intent.json"] = _text("player-intent", wire.PLAYER_INTENTS.json_schema())
    for kind in (*wire.INTENT_TYPES, *wire.EVENT_TYPES, *ANSWER_TYPES):
        found[f"messages/{type_name(kind)}.json"] = _text(type_name(kind), kind.model_json_schema())
    for rules, game in GAMES.items():
        path = f"options/{rules.replace('/', '-')}.json"
        found[path] = _text(f"options of {rules}", game.options.model_json_schema())
    return found


def _text(title: str, schema: dict[str, Any]) -> str:
    """Name the schema anew: the title that pydantic gives a union repeats all its members."""
    whole = {**schema, "$schema": _DIALECT, "title": title}
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


# ---- samples


def samples() -> dict[str, bytes]:
    """Return one message of each type, as its topic has it, by its path below `samples/`."""
    made = {"pulse/pulse": _example(wire.PULSES.json_schema())}
    made["dead-letter/dead-letter"] = {
        **_example(wire.DEAD_LETTERS.json_schema()),
        "key_base64": "QDM=",
        "value_base64": "eyJ2Ijo=",
    }
    for kind in wire.INTENT_TYPES:
        made[f"intent/{type_name(kind)}"] = _envelope(kind)
    for kind in wire.EVENT_TYPES:
        made[f"record/{type_name(kind)}"] = _record(kind)
    for kind in ANSWER_TYPES:
        made[f"answer/{type_name(kind)}"] = _example(kind.model_json_schema())
    made |= _wallet_samples()
    return {
        f"{path}.json": encode(TOPICS[path.partition("/")[0]].decode(orjson.dumps(value)))
        for path, value in made.items()
    }


def _wallet_samples() -> dict[str, dict[str, Any]]:
    """Return one command of each type and of each cause, and what the journal is made of."""
    made = {
        f"command/{type_name(kind)}": _command(kind, wallet.MatchCause, f"{type_name(kind)}:{_ID}")
        for kind in COMMAND_TYPES
        if kind is not wallet.GrantCoins
    }
    for kind in (wallet.HoldEntries, wallet.ReleaseEntries):
        made[f"command/{type_name(kind)}"]["id"] = f"{type_name(kind)}:{_ID}:{_NUMBER}"
    made["command/refund"]["id"] = f"settle:{_ID}"
    by_hand = _command(wallet.RefundEntries, wallet.OperatorCause, f"settle:{_ID}")
    by_hand["command"]["attempt"] = None
    made["command/refund-by-operator"] = by_hand
    made["command/grant"] = _command(wallet.GrantCoins, wallet.OperatorCause, f"grant:{_ID}")
    made["command/welcome"] = _command(wallet.GrantCoins, wallet.WelcomeCause, f"welcome:{_ID}")
    made["journal/entry"] = {
        **_example(wallet.JournalEntry.model_json_schema()),
        **{name: made["command/hold"][name] for name in ("id", "cause", "command")},
        "reason": None,
        "short": [],
        "postings": [{"source": f"player:{_ID}", "destination": f"hold:{_ID}:3", "coins": 100}],
        "balances": [
            {"account": f"player:{_ID}", "coins": 900},
            {"account": f"hold:{_ID}:3", "coins": 100},
        ],
    }
    made["journal/entry"]["command"] |= {"entry_coins": 100}
    made["journal/entry-refused"] = {
        **made["journal/entry"],
        "reason": wallet.WalletReason.NOT_ENOUGH.value,
        "short": [_ID],
        "postings": [],
        "balances": [],
    }
    made["journal/snapshot"] = _example(wallet.JournalSnapshot.model_json_schema())
    return made


def _command(kind: type[Message], cause: type[Message], command_id: str) -> dict[str, Any]:
    return {
        "id": command_id,
        "cause": _example(cause.model_json_schema()),
        "command": _example(kind.model_json_schema()),
    }


def _envelope(kind: type[Message]) -> dict[str, Any]:
    house = kind in SYSTEM_INTENTS
    return {
        "intent_id": _ID,
        "match_id": None if kind in PARTITION_INTENTS else _ID,
        "player_id": None if house else _ID,
        "system": "timer" if house else None,
        "step": None if house else _NUMBER,
        "not_after_ms": None if house else _NUMBER,
        "sent_by": _ID,
        "intent": _example(kind.model_json_schema()),
    }


def _record(kind: type[Message]) -> dict[str, Any]:
    return {
        "match_id": _ID,
        "seq": 1,
        "at_ms": _NUMBER,
        "caused_by": {
            "intent_id": _ID,
            "sender": f"player:{_ID}",
            "partition": _NUMBER,
            "offset": _NUMBER,
            "at_ms": _NUMBER,
        },
        "rules": ([rules for rules, game in GAMES.items() if kind in game.events] or ["ludo/1"])[
            -1
        ],
        "prev": GENESIS,
        "events": [_example(kind.model_json_schema())],
    }


def _example(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object that fits the schema, with every field, the same at each call."""
    return {
        name: _value(field, schema.get("$defs", {})) for name, field in schema["properties"].items()
    }


def _value(schema: Mapping[str, Any], known: Mapping[str, Any]) -> object:
    if "$ref" in schema:
        return _value(known[schema["$ref"].rpartition("/")[2]], known)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return _value(schema[union][0], known)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "string":
            return _fitting(schema)
        case "integer":
            return min(max(_NUMBER, schema.get("minimum", 0)), schema.get("maximum", _NUMBER))
        case "boolean":
            return False
        case "array":
            return [_value(schema["items"], known)] * max(1, schema.get("minItems", 1))
        case "object" if "properties" in schema:
            return _example({**schema, "$defs": known})
        case "object":
            return {}
        case other:
            raise ValueError(f"no sample value for {other}")


def _fitting(schema: Mapping[str, Any]) -> str:
    return next(
        text
        for text in _TEXTS
        if re.search(schema.get("pattern", ""), text) and len(text) <= schema.get("maxLength", 200)
    )


# ---- files


def write(folder: Path) -> None:
    """Write the schemas into a folder and remove those of nothing; add the samples it lacks."""
    current = schemas()
    for path in written(folder):
        if path not in current:
            (folder / path).unlink()
    for path, text in current.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for path, value in samples().items():
        target = folder / SAMPLES / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(value + b"\n")


def written(folder: Path) -> list[str]:
    """Return the paths of the schemas of topics that a folder holds, in order."""
    others = (SAMPLES, *SERVICES)
    found = (path.relative_to(folder) for path in folder.rglob("*.json"))
    return sorted(path.as_posix() for path in found if path.parts[0] not in others)


def main(arguments: Sequence[str]) -> int:
    """Write into the folder that the command line names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m sahrat.games.schemas FOLDER\n")
        return 2
    write(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
