"""Holds whatever a gateway answers over HTTP to the OpenAPI document."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema
from aiohttp import web
from referencing import Registry
from referencing.jsonschema import DRAFT202012

FOLDER: Final = Path(__file__).parents[2] / "schemas"
BASE: Final = (FOLDER / "openapi.json").as_uri()
PATHS: Final = json.loads((FOLDER / "openapi.json").read_text(encoding="utf-8"))["paths"]


class Documented:
    """Looks at each answer.

    Attributes:
        wrong: What was answered and is not in the document.
        answered: The (method, path, status) of all that is.
    """

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.answered: set[tuple[str, str, int]] = set()

    async def look(self, request: web.Request, response: web.StreamResponse) -> None:
        """Look at an answer; a signal's handler."""
        resource = request.match_info.route.resource
        path = "" if resource is None else resource.canonical
        if path not in PATHS:
            return
        method, status = request.method.lower(), str(response.status)
        said = PATHS[path].get("get" if method == "head" else method, {"responses": {}})
        if status not in said["responses"]:
            self.wrong.append(f"{method} {path}: {status}")
            return
        ((kind, content),) = said["responses"][status]["content"].items()
        if kind != response.content_type:
            self.wrong.append(f"{method} {path}: {status} is {response.content_type}")
        elif kind == "application/json":
            assert isinstance(response, web.Response)
            assert isinstance(response.body, bytes)
            body = json.loads(response.body)
            for error in validator(json.dumps(content["schema"])).iter_errors(body):
                self.wrong.append(f"{method} {path}: {status}: {error.message}")
        self.answered.add((method, path, response.status))


@cache
def validator(schema: str) -> Any:
    """A validator of a schema that stands in the document."""
    made = json.loads(schema) | {"$id": BASE}
    return jsonschema.Draft202012Validator(made, registry=_registry())


@cache
def _registry() -> Registry[Any]:
    paths = (FOLDER / "gateway").rglob("*.json")
    return Registry[Any]().with_resources(
        (path.as_uri(), DRAFT202012.create_resource(json.loads(path.read_text(encoding="utf-8"))))
        for path in paths
    )
