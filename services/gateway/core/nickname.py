"""Which names players may have: short, visible, and never like the label of a bot (rule B)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sahrat.messages.base import NICKNAME_CHARS

MARKS_IN_A_ROW: Final = 2  # Arabic puts a vowel on a doubled letter; more is a tower of marks
BOT_LABEL: Final = "لاعب آلي"
BOT_WORDS: Final = ("bot", "بوت")

_TATWEEL: Final = "\u0640"
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
# Arabic letters that differ by dots, or by the country of the keyboard, alone.
_ONE_LETTER: Final = str.maketrans(
    {
        **dict.fromkeys("أإٱآ", "ا"),
        **dict.fromkeys("ىیېےئ", "ي"),
        **dict.fromkeys("ۆؤ", "و"),
        **dict.fromkeys("پٻ", "ب"),
        **dict.fromkeys("ٹٺ", "ت"),
        **dict.fromkeys("ڵڶڷڸ", "ل"),
        **dict.fromkeys("ڠغ", "ع"),
    }
)
# What passes for the letters of `bot` in other alphabets, and as digits.
_PASSES_FOR: Final = str.maketrans(
    {
        **dict.fromkeys("8ßβвьƀɓʙᴃ", "b"),
        **dict.fromkeys("0οоσөøɵ٥۵०০", "o"),
        **dict.fromkeys("7тτŧƭᴛ", "t"),
    }
)


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


def looks_like_a_bot(name: str) -> bool:
    """Return whether somebody could take a name for a bot's label."""
    words = [_skeleton(word) for word in re.split(r"[\W_]+", name)]
    whole = _skeleton(name)
    if _skeleton(BOT_LABEL) in whole:
        return True
    return any(_is_bot_word(text) for text in (*words, whole))


def _is_bot_word(word: str) -> bool:
    """Return whether a word is `bot`, also with a number before or after it, or as in `b0t`."""
    digits = "".join(c for c in word if unicodedata.category(c).startswith("N"))
    return any(text.translate(_PASSES_FOR) in BOT_WORDS for text in (word, word.strip(digits)))


def _skeleton(text: str) -> str:
    """Return a text without all that the eye passes over: case, marks, tatweel, dots, spaces."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = (c for c in decomposed if unicodedata.category(c)[0] in "LN" and c != _TATWEEL)
    return "".join(kept).translate(_ONE_LETTER)


def _has_tower(name: str) -> bool:
    marks = 0
    for character in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks > MARKS_IN_A_ROW:
            return True
    return False
