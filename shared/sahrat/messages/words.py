"""What is wrong with a message, in our own words: a library's speak of its models and inputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from pydantic_core import ErrorDetails

from sahrat.messages.base import NOT_BLANK, PLAIN, type_id

_FIXED: Final = {
    "bool_type": "is neither true nor false",
    "dict_type": "is no object",
    "extra_forbidden": "no such field",
    "float_type": "is no number",
    "int_type": "is no whole number",
    "invalid_key": "a name is a text",
    "json_invalid": "no JSON",
    "list_type": "is no list",
    "missing": "is missing",
    "model_attributes_type": "is no object",
    "model_type": "is no object",
    "none_required": "is not null",
    "string_type": "is no text",
    "string_unicode": "is no text",
    "tuple_type": "is no list",
    "union_tag_not_found": "has no type",
}
_BOUNDS: Final = {
    "greater_than": "is not above {gt}",
    "greater_than_equal": "is below {ge}",
    "less_than": "is not below {lt}",
    "less_than_equal": "is above {le}",
    "string_too_long": "is longer than {max_length} characters",
    "string_too_short": "is shorter than {min_length} characters",
    "too_long": "has more than {max_length} items",
    "too_short": "has fewer than {min_length} items",
}
_FORMS: Final[Mapping[object, str]] = {
    type_id.pattern: "is no id: a UUID in lower case",
    PLAIN: "has characters that are no plain text",
    NOT_BLANK: "says nothing, or has characters that are no plain text",
}
_CHOICE: Final = re.compile(r"'([^']*)'|(-?[0-9]+)")


def say(problem: ErrorDetails, known: Collection[str] = ()) -> str:
    """Return what is wrong with a value, to be put behind its name.

    Args:
        problem: Of pydantic's, with its context.
        known: The names that there are, where a name is wrong.
    """
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "extra_forbidden" and known:
        return f"not known; there are {', '.join(sorted(known))}"
    if kind in _FIXED:
        return _FIXED[kind]
    if kind in _BOUNDS:
        return _BOUNDS[kind].format(**context)
    match kind:
        case "literal_error" | "enum":
            return f"is none of {choices(context['expected'])}"
        case "union_tag_invalid":
            return f"its type is none of {choices(context['expected_tags'])}"
        case "string_pattern_mismatch":
            pattern = context["pattern"]
            return _FORMS.get(pattern, f"is not of the form {pattern}")
        case "value_error" if problem["loc"]:
            return f"is {context['error']}"
        case "value_error":  # of fields that do not go together: it names them itself
            return str(context["error"])
        case _:
            return problem["msg"]


def say_where(problem: ErrorDetails, known: Collection[str] = ()) -> str:
    """Return the same behind the name of the field, with dots between where it is deeper."""
    where = ".".join(str(part) for part in problem["loc"])
    said = say(problem, known)
    return f"{where}: {said}" if where else said


def choices(expected: str) -> str:
    """Return the choices that a library lists, sorted, numbers by size, with commas between."""
    found = [quoted or number for quoted, number in _CHOICE.findall(expected)]
    numbers = all(re.fullmatch(r"-?[0-9]+", one) for one in found)
    return ", ".join(sorted(found, key=int if numbers else None))
