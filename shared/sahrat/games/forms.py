"""What several games say of their options in JSON Schema, for whoever fills in a form."""

from __future__ import annotations

from typing import Any


def having(**values: object) -> dict[str, Any]:
    """Return in JSON Schema that options have such values (a tuple: one of them); one that is left
    out does not.
    """
    return {
        "properties": {
            name: {"enum": list(value)} if isinstance(value, tuple) else {"const": value}
            for name, value in values.items()
        },
        "required": list(values),
    }
