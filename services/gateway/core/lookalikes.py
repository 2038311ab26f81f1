"""What the eye takes for the label of a bot: «لاعب آلي», `bot`, «بوت» (rule B).

A name is looked at letter by letter: what a letter is drawn as, whatever alphabet it is of. Three
sources say so, in this order:

- Unicode's compatibility forms (NFKC), before any case is folded: `ｂ`, `𝐛`, `ⓑ`.
- Unicode's names: `LATIN LETTER SMALL CAPITAL B`, `NEGATIVE SQUARED LATIN CAPITAL LETTER B` and
  `LATIN SMALL LETTER B WITH HOOK` are all a b, and `ARABIC LETTER LAM WITH BAR` is a lam.
- Unicode's table of confusables (UTS #39, versions 13.0 and 15.1), as far as it leads to a letter
  of these words, without what the two above say; and a few more that it does not have.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_TATWEEL: Final = "\u0640"

# ---- UTS #39, without what compatibility forms and names tell
_B: Final = "ƄΒБВЬѢѣҌҍᏏᏴᑲᑳᖯᗷꓐꞴ𐊂𐊡𐌁"
_O: Final = "ΘΟθοσОоѲѳӨөՕօסه٥ھہە۵ۿ߀०০੦૦ଠ୦௦౦೦ഠ൦๐໐တဝ၀ჿዐᎾᏫ⊖⊝⍬Ⲟⲟⴱⵁⵔ〇ꓳꭴꮎꮻ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠𝈚🜔"
_T: Final = "ΤТҬᎢ₮⊤⍡⟙Ⲧꓔ𐊗𐊱𐌕𑢼𖼊🝨"
_SIX_AND_EIGHT: Final = "6бᏮⳒ𑣕8Ȣȣ৪੪𐌚𞣋"
_ALEF: Final = "ا1١۱lI|ƖǀΙІӀוןߊᛁⲒⵏꓲ𐊊𐌉"

# ---- what it does not have
_MORE_B: Final = "ßẞϐხ๖฿₿ᛒъ"
_MORE_O: Final = "°◦⚬○◯●◌◎◉⊙∘⭕⚪⚫⬤"
_MORE_T: Final = "7†‡┬十丅ㄒ丁"
_DOTLESS_BEH: Final = "\u066e"  # a beh or a teh, by what one expects there

_ARABIC: Final = {
    **dict.fromkeys(("ALEF",), "ا"),
    **dict.fromkeys(("BEH", "BEEH", "BEHEH", "PEH"), "ب"),
    **dict.fromkeys(("TEH", "TTEH", "TTEHEH", "TEHEH", "THEH"), "ت"),
    **dict.fromkeys(("REH", "RREH"), "ر"),
    **dict.fromkeys(("AIN", "GHAIN"), "ع"),
    **dict.fromkeys(("LAM",), "ل"),
    **dict.fromkeys(("WAW", "OE", "U", "YU", "VE"), "و"),
    **dict.fromkeys(("YEH", "E", "MAKSURA"), "ي"),
}
"""By a word of their names: letters that differ by dots, or by the keyboard's country, alone."""
_OWN_LETTERS: Final = ("MARBUTA", "DOTLESS")  # not what the rest of their name says
_LATIN_NAME: Final = re.compile(r"(?:LATIN|INDICATOR) .*LETTER (?:[A-Z ]+ )?([A-Z])(?: WITH .*)?$")
_ARABIC_NAME: Final = re.compile(r"ARABIC LETTER (.*?)(?: WITH .*)?$")


def _one_of(*letters: str) -> str:
    """Return the pattern of one letter, drawn once or more, as any of these in either case."""
    drawn = {form for letter in "".join(letters) for form in (letter, letter.lower())}
    drawn |= {letter.upper() for letter in drawn}
    return f"[{re.escape(''.join(sorted(form for form in drawn if len(form) == 1)))}]+"


def _spelled(letters: tuple[str, ...]) -> str:
    return " +".join(letters)


_LETTERS: Final = (
    _one_of("b", _B, _MORE_B, _SIX_AND_EIGHT),
    _one_of("o0", _O, _MORE_O),
    _one_of("t", _T, _MORE_T),
)
_WORDS: Final = (_one_of("ب", _DOTLESS_BEH), "و+", _one_of("ت", _DOTLESS_BEH))
_BOT: Final = (
    rf"(?:r+{_LETTERS[1]})?(?:{''.join(_LETTERS)})+s?|{_spelled(_LETTERS)}"
    rf"|(?:ا?ل)?(?:ر+و+)?(?:{''.join(_WORDS)})+(?:ات)?|{_spelled(_WORDS)}"
)
_PLAYER: Final = " *".join(("ل+", _one_of(_ALEF), "ع+", _WORDS[0]))
_AUTOMATIC: Final = " *".join(("ء*", _one_of(_ALEF), "ل+", "ي+"))
_THE: Final = rf"(?:{_one_of(_ALEF)} *ل *)?"
_LABEL: Final = rf"{_THE}{_PLAYER} *(?:[ةه] *)?{_THE}{_AUTOMATIC}[ةه]?"
_AT_A_WORDS_BOUNDS: Final = re.compile(rf"(?<![^\W\d_])(?:{_BOT}|{_LABEL})(?![^\W\d_])")
_WHOLE: Final = re.compile(rf"\d*(?:{_BOT})\d*")
_SYMBOLS: Final = frozenset(_B + _O + _T + _ALEF + _MORE_B + _MORE_O + _MORE_T)


def looks_like_a_bot(name: str) -> bool:
    """Return whether somebody could take a name for a bot's label, alone or among other words."""
    drawn = _drawn(name)
    texts = {drawn: None, _drawn(_in_words(name)): None}
    found = [match[0] for text in texts for match in _AT_A_WORDS_BOUNDS.finditer(text)]
    whole = drawn.replace(" ", "")
    if _WHOLE.fullmatch(whole):
        found.append(whole)
    return any(not text.isdecimal() for text in found)  # a number is no word


def _drawn(name: str) -> str:
    """Return a name as it looks: without marks, and with a space for all that is no letter."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name))
    return "".join(
        _letter(character)
        for character in text
        if not unicodedata.category(character).startswith("M") and character != _TATWEEL
    )


@lru_cache(maxsize=4096)
def _letter(character: str) -> str:
    """Return what a character is drawn as: a letter of these words, itself, or a space."""
    if character in _SYMBOLS:
        return character
    if unicodedata.category(character)[0] not in "LNS":
        return " "
    name = unicodedata.name(character, "")
    latin, arabic = _LATIN_NAME.search(name), _ARABIC_NAME.match(name)
    if latin:
        return latin[1].lower()
    if arabic:
        words = arabic[1].split()
        if not any(word in _OWN_LETTERS for word in words):
            return next((_ARABIC[word] for word in words[::-1] if word in _ARABIC), character)
    return character if unicodedata.category(character)[0] in "LN" else " "


def _in_words(name: str) -> str:
    """Return a name with its words apart that only capitals tell: `SalemBot`."""
    return re.sub(r"(?<=[^\W\d_])(?=[A-Z][a-z])", " ", name)
