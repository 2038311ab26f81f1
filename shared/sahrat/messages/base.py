"""The base of every message, and the bounded values that messages are made of.

Every integer is below 2**53 (JavaScript keeps it exact), every string is bounded and free of
control characters; numbers of 64 bits travel as decimal strings.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

NUMBER_LIMIT: Final = 2**64
INT_LIMIT: Final = 2**53
NICKNAME_CHARS: Final = 20  # room for a full name, and for a label beside it on a 360 px screen
DETAIL_CHARS: Final = 200

# Line breaks and other controls (C0, C1) break logs and PostgreSQL (NUL); bidi and zero-width
# characters let one text look like another.
PLAIN: Final = r"^[^\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$"

NOT_BLANK: Final = f"{PLAIN[:-1]}{PLAIN[1:-3]}\\s]{PLAIN[1:]}"
"""Plain text with a character in it that can be seen."""


class Message(BaseModel):
    """Base of all messages: frozen, strict, closed."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


def _below_limit(text: str) -> str:
    if text and int(text) >= NUMBER_LIMIT:
        raise ValueError("not below 2**64")
    return text


type_id = StringConstraints(
    pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
)

Id = Annotated[str, type_id]
"""A UUID in its usual text form, lower case."""
Seat = Annotated[int, Field(ge=0, le=3)]
Count = Annotated[int, Field(ge=0, lt=INT_LIMIT)]
UnixMs = Annotated[int, Field(ge=0, lt=INT_LIMIT)]
"""Milliseconds since 1970-01-01 UTC; in a deadline 0 says that there is none."""
Coins = Annotated[int, Field(ge=0, lt=INT_LIMIT)]
SomeCoins = Annotated[int, Field(ge=1, lt=INT_LIMIT)]
"""An amount that moves: a whole number of coins, never none."""
Number64 = Annotated[
    str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,19})$"), AfterValidator(_below_limit)
]
"""A player's random number, 0..2**64-1 in decimal."""
MaybeNumber64 = Annotated[
    str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,19})?$"), AfterValidator(_below_limit)
]
"""The same, or empty where nobody gave one: a bot's, or a roll played for an absent player."""
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256 or another 32 bytes in lower-case hex."""
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_./-]{0,39}$")]
Nickname = Annotated[str, StringConstraints(max_length=NICKNAME_CHARS, pattern=PLAIN)]
Detail = Annotated[str, StringConstraints(max_length=DETAIL_CHARS, pattern=PLAIN)]
Reasoned = Annotated[str, StringConstraints(max_length=DETAIL_CHARS, pattern=NOT_BLANK)]
"""A reason that somebody gives: a detail that says something."""
OptionValue = (
    Annotated[str, StringConstraints(max_length=40, pattern=PLAIN)]
    | Annotated[int, Field(ge=0, lt=INT_LIMIT)]
)
Options = Annotated[dict[Name, OptionValue], Field(max_length=40)]
"""A table's options by name. The game's own options model says which exist."""


class Line(Message):
    """One connection of a player to one gateway; the newest one holds his seat."""

    gateway: Id
    number: Count
