"""What is wrong with a message is said in our own words, and never in a library's."""

from __future__ import annotations

import re
from typing import Any, Literal, Self

import pytest
from pydantic import TypeAdapter, ValidationError, model_validator

from sahrat import games
from sahrat.games import wire
from sahrat.games.schemas import type_name
from sahrat.messages.base import Count, Id, Message, Nickname, Number64, SomeCoins
from sahrat.messages.words import choices, say_where

LIBRARYS = re.compile(r"\b(?:[Ii]nput|tag|discriminator|permitted|[Ff]ield required|Value error)\b")


class _Thing(Message):
    number: Number64 = "0"
    coins: SomeCoins = 1
    count: Count = 0
    id: Id = "01890a5d-ac96-774b-bcce-b302099a8057"
    name: Nickname = ""
    many: tuple[int, ...] = ()
    one: Literal["b", "a"] = "a"
    no: None = None
    needed: bool

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.coins == self.count:
            raise ValueError("coins: as many as count are too many")
        return self


def _said(kind: Any, value: object, known: tuple[str, ...] = ()) -> str:
    with pytest.raises(ValidationError) as wrong:
        TypeAdapter(kind).validate_python(value)
    said = say_where(wrong.value.errors(include_url=False)[0], known)
    assert not LIBRARYS.search(said), said
    return said


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "needed: is missing"),
        ({"extra": 1}, "extra: no such field"),
        ({"number": str(2**64)}, "number: is not below 2**64"),
        ({"number": "01"}, r"number: is not of the form "),
        ({"coins": 0}, "coins: is below 1"),
        ({"coins": "1"}, "coins: is no whole number"),
        ({"count": 2**53}, f"count: is not below {2**53}"),
        ({"id": "x"}, "id: is no id: a UUID in lower case"),
        ({"id": 1}, "id: is no text"),
        ({"name": "x" * 21}, "name: is longer than 20 characters"),
        ({"name": "a\nb"}, "name: has characters that are no plain text"),
        ({"many": 3}, "many: is no list"),
        ({"one": "c"}, "one: is none of a, b"),
        ({"no": 1}, "no: is not null"),
        ({"needed": 1}, "needed: is neither true nor false"),
        ({"count": 1}, "coins: as many as count are too many"),
    ],
)
def test_each_fault_of_a_field_has_words(fields: dict[str, object], told: str) -> None:
    whole = fields if "needed" in fields or not fields else {"needed": True, **fields}
    assert _said(_Thing, whole).startswith(told)


def test_what_is_no_object_is_said_to_be_none() -> None:
    assert _said(_Thing, 3) == "is no object"


def test_a_type_that_there_is_not_is_told_with_those_that_there_are() -> None:
    intents = wire.any_of(wire.PLAYER_INTENT_TYPES)
    assert _said(intents, {}) == "has no type"
    said = _said(intents, {"type": "poker"})
    there = ", ".join(sorted(map(type_name, wire.PLAYER_INTENT_TYPES)))
    assert "ludo.roll, pachisi.decline" in there
    assert said == f"its type is none of {there}"


def test_options_are_told_with_those_that_there_are_and_choices_are_sorted() -> None:
    game = games.current("ludo")
    assert game is not None
    known = tuple(game.options.model_fields)
    assert _said(game.options, {"colour": 1}, known) == (
        "colour: not known; there are " + ", ".join(sorted(known))
    )
    assert _said(game.options, {"step_seconds": 7}) == (
        "step_seconds: is none of 8, 10, 15, 20, 30"
    )


def test_choices_with_other_signs_in_them_stay_whole() -> None:
    assert choices("'b-2', 'a/1' or 'c d'") == "a/1, b-2, c d"
    assert choices("15, 8 or -1") == "-1, 8, 15"
