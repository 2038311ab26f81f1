"""The codecs of all topics, over the messages of the match and of every game in the list.

A message decoded here is an instance of its own class, found by its `type`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, cast

from pydantic import Field

from sahrat.games import GAMES
from sahrat.messages import match
from sahrat.messages.base import Message
from sahrat.messages.codec import Codec
from sahrat.messages.envelope import (
    RECORD_BYTES,
    Answer,
    DeadLetter,
    IntentEnvelope,
    IntentRefused,
    IntentRepeated,
    Pulse,
    Record,
    TickAnswered,
)


def _each_once(classes: Iterable[type[Message]]) -> tuple[type[Message], ...]:
    return tuple(dict.fromkeys(classes))


def any_of(classes: tuple[type[Message], ...]) -> type[Message]:
    """Return the union of the classes, each told by its `type`. The list is only known at run
    time: to the type checker it is any message.
    """
    if len(classes) == 1:
        return classes[0]
    union: Any = reduce(or_, cast("tuple[Any, ...]", classes))
    return cast("type[Message]", Annotated[union, Field(discriminator="type")])


GAME_INTENT_TYPES: Final = _each_once(kind for game in GAMES.values() for kind in game.intents)
PLAYER_INTENT_TYPES: Final = _each_once((*match.PLAYER_INTENTS, *GAME_INTENT_TYPES))
"""What a phone may send."""
INTENT_TYPES: Final = _each_once((*PLAYER_INTENT_TYPES, *match.SYSTEM_INTENTS))
EVENT_TYPES: Final = _each_once(
    (*match.EVENTS, *(kind for game in GAMES.values() for kind in game.events))
)

BOARD_TYPES: Final = _each_once(game.board for game in GAMES.values())
"""How the games are shown to whoever did not see the records before."""

PLAYER_INTENTS: Final[Codec[Message]] = Codec(any_of(PLAYER_INTENT_TYPES))
INTENTS: Final[Codec[IntentEnvelope[Message]]] = Codec(
    IntentEnvelope.__class_getitem__(any_of(INTENT_TYPES)), RECORD_BYTES
)
RECORDS: Final[Codec[Record[Message]]] = Codec(
    Record.__class_getitem__(any_of(EVENT_TYPES)), RECORD_BYTES
)
ANSWERS: Final[Codec[IntentRefused | IntentRepeated | TickAnswered]] = Codec(Answer, RECORD_BYTES)
PULSES: Final[Codec[Pulse]] = Codec(Pulse, RECORD_BYTES)
DEAD_LETTERS: Final[Codec[DeadLetter]] = Codec(DeadLetter)
