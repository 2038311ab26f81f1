"""Which names players may have: short, visible, and never like the label of a bot (rule B)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sahrat.messages.base import NICKNAME_CHARS
from services.gateway.core.lookalikes import looks_like_a_bot

MARKS_IN_A_ROW: Final = 2  # Arabic puts a vowel on a doubled letter; more is a tower of marks

# Letters, marks and symbols by category that are drawn as nothing: fillers, blank Braille,
# variation selectors and the like.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_FORBIDDEN: Final = {
    "Cc": "control characters",
    "Cf": "invisible characters",
    "Cs": "half characters",
    "Co": "characters without a meaning",
    "Cn": "characters without a meaning",
    "Zl": "line breaks",
    "Zp": "line breaks",
}


def check(text: str) -> tuple[str, str]:
    """Return (the name as it is kept, ""), or ("", why it can't be one).

    It is kept in NFC, without spaces around it and with single ones in it.
    """
    name = re.sub(" +", " ", unicodedata.normalize("NFC", text)).strip(" ")
    if not name:
        return "", "a name is not empty"
    if len(name) > NICKNAME_CHARS:
        return "", f"a name has at most {NICKNAME_CHARS} characters"
    for character in name:
        category = unicodedata.category(character)
        if category in _FORBIDDEN:
            return "", f"a name has no {_FORBIDDEN[category]}"
        if category == "Zs" and character != " ":
            return "", "a name has no spaces but plain ones"
    if _INVISIBLE.search(name):
        return "", "a name has no invisible characters"
    if _has_tower(name):
        return "", f"a letter of a name has at most {MARKS_IN_A_ROW} marks"
    if looks_like_a_bot(name):
        return "", "a name does not look like the label of a bot"
    if not any(unicodedata.category(character)[0] in "LN" for character in name):
        return "", "a name has a letter or a digit"
    return name, ""


def _has_tower(name: str) -> bool:
    marks = 0
    for character in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks > MARKS_IN_A_ROW:
            return True
    return False
