"""Write the JSON Schemas of what phones and the gateway say to each other.

python -m services.gateway.schemas schemas/gateway
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

from sahrat.messages.base import Message
from services.gateway.messages import CLIENT, CLIENT_TYPES, HTTP_TYPES, SERVER, SERVER_TYPES

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def type_name(kind: type[Message]) -> str:
    """Return the wire name of a message class, or of a body of HTTP: `new_guest`."""
    field = kind.model_fields.get("type")
    if field is not None:
        return str(get_args(field.annotation)[0])  # a literal, whether it has a default or not
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def schemas() -> dict[str, str]:
    """Return every schema's text by its path below the folder."""
    found = {
        "client.json": _text("what phones send", CLIENT.json_schema()),
        "server.json": _text("what the gateway sends", SERVER.json_schema()),
    }
    for folder, kinds in (("client", CLIENT_TYPES), ("server", SERVER_TYPES), ("http", HTTP_TYPES)):
        for kind in kinds:
            name = type_name(kind)
            found[f"{folder}/{name}.json"] = _text(name, kind.model_json_schema())
    return found


def _text(title: str, schema: dict[str, Any]) -> str:
    whole = {**schema, "$schema": _DIALECT, "title": title}
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write the schemas into a folder, and remove those of nothing."""
    current = schemas()
    for path in folder.rglob("*.json"):
        if path.relative_to(folder).as_posix() not in current:
            path.unlink()
    for name, text in current.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Write into the folder that the command line names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m services.gateway.schemas FOLDER\n")
        return 2
    write(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
