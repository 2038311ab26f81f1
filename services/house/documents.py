"""Write what a house says and serves: its topics and its socket as AsyncAPI, its HTTP as OpenAPI.

python -m services.house.documents schemas/
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from services.gateway import openapi
from services.house import asyncapi


def documents() -> dict[str, str]:
    """Return each document's text by the name of its file."""
    now = version("sahrat")
    made = {"asyncapi.json": asyncapi.document(now), "openapi.json": openapi.document(now)}
    return {
        name: json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for name, document in made.items()
    }


def main(arguments: Sequence[str]) -> int:
    """Write into the folder that the command line names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m services.house.documents FOLDER\n")
        return 2
    for name, text in documents().items():
        (Path(arguments[0]) / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
