"""`replay`: every event has words in every language, and who is told by name, colour and label."""

from __future__ import annotations

import string
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

import orjson
import pytest
from annotated_types import MinLen

from sahrat.games import wire
from sahrat.games.schemas import type_name
from services.house.tell import clock, seated, tell
from services.house.words import WORDS, Language
from tests.unit.match.desk import Desk, player
from tests.unit.match.loaded import finish, loaded
from tests.unit.test_verify import whole_match
from tests.unit.test_verify_carrom import played as carrom
from tests.unit.test_verify_pachisi import played as pachisi

SAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "samples" / "record"
LANGUAGES: tuple[Language, ...] = ("en", "ar")


def values(annotation: Any) -> list[Any]:
    """Return the values of a field that has a list of them, None among them if it may be that."""
    if get_origin(annotation) is Literal:
        return [*get_args(annotation)]
    parts = get_args(annotation) if get_origin(annotation) is UnionType else ()
    listed = [value for part in parts for value in values(part)]
    return [*listed, None] if listed and NoneType in parts else listed


def variants(kind: Any) -> list[dict[str, Any]]:
    """The sample of an event, and it again with every value of each field that has a list."""
    sample = orjson.loads((SAMPLES / f"{type_name(kind)}.json").read_bytes())
    (event,) = sample["events"]
    found = [event]
    for name, value in kind.model_fields.items():
        if name != "type" and (listed := values(value.annotation)):
            found += [{**event, name: each} for each in listed]
        elif value.annotation is bool:
            found += [{**old, name: each} for old in [*found] for each in (True, False)]
        elif name == "movable":
            least = 1 if any(isinstance(bound, MinLen) for bound in value.metadata) else 0
            found += [{**event, name: [0, 2, 3][:many]} for many in range(least, 4)]
        elif name == "down":  # of three or four colours, as a forger may have written it
            found += [{**event, name: [0] * many, "points": []} for many in (2, 3, 4)]
        elif name == "until_ms":
            found += [{**event, name: 0}, {**event, name: 60_000}]
    return [{**sample, "events": [each]} for each in found]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", wire.EVENT_TYPES, ids=type_name)
def test_every_event_has_words_however_it_happened(kind: Any, language: Language) -> None:
    unknown = WORDS[language].sentences["unknown"].partition("{")[0]
    for record in variants(kind):
        (line,) = tell([orjson.dumps(record)], language)
        assert line.text
        assert unknown not in line.text, record
        assert "{" not in line.text, record


@pytest.mark.parametrize("depth", [300, 1000, 1100])
def test_T24_what_is_deeper_than_any_record_is_told_as_it_stands(depth: int) -> None:
    """It can be read, and not be written again."""
    record = b'{"seq":1,"at_ms":0,"caused_by":{"at_ms":0},"events":[%s]}' % (
        b"[" * depth + b"]" * depth
    )
    (line,) = tell([record])
    assert line.seq == 0
    assert "[[[[[[[[[" in line.text
    assert seated([record]) == []


def test_all_languages_say_the_same_things_of_the_same_events() -> None:
    english = WORDS["en"]
    for language in LANGUAGES:
        words = WORDS[language]
        assert words.terms.keys() == english.terms.keys()
        for table, other in ((words.sentences, english.sentences), (words.terms, english.terms)):
            for key, text in table.items():
                assert named(text) == named(other[key]), (language, key)


def named(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_a_whole_match_is_told_without_a_gap() -> None:
    desk = whole_match(3)
    told = [*tell(desk.values)]
    events = sum(len(record.events) for record in desk.records)
    assert len(told) == events
    assert [line.seq for line in told if line.first] == [*range(1, len(desk.values) + 1)]
    assert sorted(told, key=lambda line: line.since_ms) == told
    text = "\n".join(line.text for line in told)
    for said in ("p0 sits down", "play begins: ", "rolls 6", "is over, and the game plays step"):
        assert said in text
    assert "the house had stood still" in text
    assert told[-1].text.startswith("the match is over: 1. p")


def test_P5_6_a_match_with_two_colours_is_told_with_both_of_them() -> None:
    """Long turns, and throws that are used by several pieces."""
    desk = pachisi(700, cowries=7, grace_use="bonus", pieces_per_throw="split", two_colours="on")
    text = "\n".join(line.text for line in tell(desk.values))
    first, second = ("p0", "p1") if desk.seat_of(0) == 0 else ("p1", "p0")
    for name, colours in ((first, ("yellow", "black")), (second, ("red", "green"))):
        for colour in colours:
            assert f"{name} ({colour}) throws" in text
    assert f"{first} has yellow, {second} has red" in text
    assert "from the Charkoni to column 1 going out" in text
    assert WORDS["en"].sentences["unknown"].partition("{")[0] not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_K8_a_match_of_carrom_is_told_shot_by_shot(language: Language) -> None:
    desk = carrom(700, players="2v2", bot_level="easy")
    told = list(tell(desk.values, language))
    words = WORDS[language]
    shots = [line.text for line in told if line.kind == "carrom.striker_shot"]
    assert len(shots) == desk.state.board.shots
    assert all(words.sentences["unknown"].partition("{")[0] not in line.text for line in told)
    sunk = "\n".join(line.text for line in told if line.kind == "carrom.discs_rested")
    for piece in ("queen", "white", "black"):
        assert words.terms[f"carrom.piece/{piece}"].partition("{")[0] in sunk
    assert any(words.terms["carrom.queen/covered"] in line.text for line in told)


def test_S_who_plays_is_told_by_name_colour_and_label() -> None:
    desk = Desk()
    desk.open(0, players=2, fill_seconds=5)
    desk.wait(5).due()
    seat = desk.seat_of(0)
    colour = "red" if seat == 0 else "yellow"
    other = "yellow" if seat == 0 else "red"
    told = [line.text for line in tell(desk.values)]
    assert "a bot takes an empty seat" in told
    (begins,) = [text for text in told if text.startswith("play begins")]
    assert f"p0 has {colour}" in begins
    assert f"bot has {other}" in begins
    desk.send(wire_leave(), who=0)
    assert f"p0 ({colour}) leaves, and a bot plays on" in last(desk)
    assert player(0) not in last(desk)
    desk.wait(20).due()
    if seat == 0:
        assert f"p0 ({colour}, bot)" in last(desk)
    desk.join(0, line_n=9)
    assert "is back and plays again instead of the bot" in last(desk)


def test_M_what_a_coin_table_asks_and_pays_is_told() -> None:
    desk = Desk().coin_table(0, 1, 2, entry=100)
    assert "100 coins are to be held for each of p0, p1, p2" in "\n".join(
        line.text for line in tell(desk.values)
    )
    assert "bots sit down" not in next(tell(desk.values)).text  # at such a table none ever does
    desk.send(wire_leave(), who=1)
    assert "leaves for good, and the entry is lost" in last(desk)
    desk.send(wire_leave(), who=0)
    assert "the pot of 300 coins is shared out: p2 (" in last(desk)
    assert ") has 270; the fee is 30" in last(desk)
    stopped = Desk(n=1).coin_table(0, 1, entry=15)
    stopped.stop()
    assert "every entry of 15 coins goes back: to p" in last(stopped)


def test_M3_whether_an_entry_was_held_is_told_where_the_funding_fails() -> None:
    desk = Desk()
    desk.table_of(0, 1, 2, entry=100)
    desk.short(1)
    assert "p1 has not enough coins" in last(desk)
    assert "no entry is held; the table waits" in last(desk)
    desk.join(1)
    desk.leave(0)
    assert "what is held of the entries goes back" in last(desk)


def test_S_only_who_had_no_line_is_told_to_have_one_again() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    desk.up(0, 7)
    assert "p0 (" in last(desk)
    assert "goes on over another line" in last(desk)
    desk.down(0)
    desk.up(0, 8)
    assert "has a line again" in last(desk)


def test_M2_what_a_day_may_not_allow_is_not_told_as_paid() -> None:
    """The match's record says what it is worth; the ledger pays as much as fits into the day."""
    desk = loaded()
    desk.table_of(0, 1)
    finish(desk, 0)
    (text,) = [line.text for line in tell(desk.values) if "earned" in line.text]
    assert text.startswith("coins are earned, as far as what a day may bring allows: p0 (")
    assert ") up to 20, p1 (" in text
    assert text.endswith(") up to 5")


def wire_leave() -> Any:
    return wire.PLAYER_INTENTS.decode(b'{"type":"table.leave"}')


def last(desk: Desk) -> str:
    told = [*tell(desk.values)]
    return "\n".join(line.text for line in told if line.seq == len(desk.values))


def test_a_name_of_the_other_direction_is_marked_off() -> None:
    record = orjson.loads((SAMPLES / "seat.taken.json").read_bytes())
    name = "سالم"
    record["events"][0] |= {"nickname": name, "bot": False}
    assert next(tell([orjson.dumps(record)], "en")).text == f"\u2068{name}\u2069 sits down"
    assert "\u2068" not in next(tell([orjson.dumps(record)], "ar")).text
    record["events"][0]["nickname"] = "Salem"
    assert next(tell([orjson.dumps(record)], "en")).text == "Salem sits down"
    assert "\u2068Salem\u2069" in next(tell([orjson.dumps(record)], "ar")).text


def test_a_name_is_never_taken_for_a_sentence_to_fill_in() -> None:
    record = orjson.loads((SAMPLES / "seat.taken.json").read_bytes())
    record["events"][0] |= {"nickname": "{who}{0}", "bot": False}
    assert next(tell([orjson.dumps(record)])).text == "{who}{0} sits down"


def test_what_is_unknown_is_told_as_it_stands_and_moves_no_cursor() -> None:
    record = orjson.loads((SAMPLES / "seat.taken.json").read_bytes())
    record["events"] = [{"type": "carrom.shot", "note": "\u009b2J\u202eevil"}, {"type": 3}, 7]
    told = [*tell([orjson.dumps(record), b"no record \x1b[2J", b"[]"])]
    assert [line.seq for line in told] == [1, 1, 1, 0, 0]
    assert "carrom.shot" in told[0].text
    assert all(line.text.isprintable() for line in told)


@pytest.mark.parametrize(
    ("since_ms", "text"),
    [(0, "0:00.0"), (5_249, "0:05.2"), (61_000, "1:01.0"), (3_600_000, "60:00.0")],
)
def test_the_clock_counts_minutes(since_ms: int, text: str) -> None:
    assert clock(since_ms) == text
