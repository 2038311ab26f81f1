"""Rule D.7 twice: the Verify page's check says of every match what `sahrat verify` says.

Where the page looks at no more than digests and dice, a change of what the pieces did is the
command's to find; every other one both name alike.
"""

from __future__ import annotations

import random
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from sahrat import verify
from sahrat.match.match import digest_of
from tests.page.nodes import VERIFY, asked
from tests.page.said import ALIKE, BY_THE_RULES, SAYS
from tests.unit.match.desk import Desk
from tests.unit.test_verify import first_with, rechained, whole_match
from tests.unit.test_verify_carrom import played as shot
from tests.unit.test_verify_forged import bot_match, from_sender
from tests.unit.test_verify_options import SHORT, played
from tests.unit.test_verify_pachisi import played as thrown

ROOT: Final = Path(__file__).parents[2]
SAMPLES: Final = sorted((ROOT / "schemas/samples/matches").glob("*.jsonl"))
Lines = list[bytes]
Change = Callable[[Any], None]


def checked(matches: Sequence[Lines], head: str = "") -> list[Any]:
    return asked(
        VERIFY,
        "verify",
        [
            {"lines": [b64encode(line).decode() for line in lines], "head": head}
            for lines in matches
        ],
    )


def agree(matches: Sequence[Lines], head: str = "") -> list[str]:
    """Hold the two checks to each other, and return what the page found of each match."""
    codes = []
    for lines, found in zip(matches, checked(matches, head), strict=True):
        report = verify.verify(lines, head or None)
        problem = found["problem"]
        if problem is None:
            assert report.problem == "" or re.search(BY_THE_RULES, report.problem)
        else:
            game = report.rules.split("/")[0]
            said = [
                SAYS[code].format(**problem, game=game)
                for code in ALIKE.get(problem["code"], [problem["code"]])
            ]
            assert report.problem.startswith(tuple(said)), problem
        assert (found["matchId"], found["rules"]) == (report.match_id, report.rules)
        assert (found["records"], found["digest"]) == (report.records, report.digest)
        codes.append("" if problem is None else problem["code"])
    return codes


@pytest.fixture(scope="module")
def lines() -> Lines:
    return whole_match().values


@pytest.fixture(scope="module")
def short() -> Lines:
    return played(700, start="highest_roll", players=3, **SHORT).values


@pytest.fixture(scope="module")
def bot_lines() -> Lines:
    return bot_match()


# ---- whole matches


@pytest.fixture(scope="module")
def cowries() -> Lines:
    return thrown(604, two_colours="on", start="random", leavers=2).values


def matches(everything: Lines) -> dict[str, Lines]:
    closed = Desk(n=9)
    closed.open()
    closed.leave(0)
    assert closed.values[-1].count(b"table.closed") == 1
    return {
        **{path.stem: path.read_bytes().splitlines() for path in SAMPLES},
        "coin": played(701, entry=33, players=4, leavers=2, start="random", **SHORT).values,
        "partners": played(702, players=4, teams="on", finish="first_only", **SHORT).values,
        "stopped": bot_match(),
        "closed": closed.values,
        "carrom": shot(703, players="2v2", entry=33, queen="off").values,
        "slow": shot(706, board_speed="slow", back_shot="on").values,
        "fast": shot(707, board_speed="fast").values,
        "everything": everything,
        "on": everything[:-1],
        "just opened": everything[:1],
    }


def test_an_honest_match_fits_in_both(lines: Lines, cowries: Lines) -> None:
    played_ones = {**matches(lines), "cowries": cowries}
    found = checked([*played_ones.values()])
    for (name, records), page in zip(played_ones.items(), found, strict=True):
        report = verify.verify(records)
        assert report.problem == "", name
        assert page["problem"] is None, name
        assert (page["end"], page["secret"], page["digest"]) == (
            report.end,
            report.secret,
            report.digest,
        ), name
        draws = [(d.kind, d.index, d.seat, d.number, d.shown, d.due) for d in report.draws]
        fields = ("kind", "index", "seat", "number", "value", "due")
        assert [tuple(roll[f] for f in fields) for roll in page["rolls"]] == draws, name
        assert [tuple(place) for place in page["places"]] == [*report.places], name
        assert (page["shots"] or 0) == report.computed, name
        prizes = tuple((prize["seat"], prize["coins"]) for prize in page["prizes"])
        assert (prizes, page["feeCoins"]) == (report.prizes, report.fee_coins), name
        if report.secret:
            assert page["promised"] == page["commitment"]["digest"]
        started = any(b'"match.started"' in record for record in records)
        assert (page["deal"] is not None) == started


# ---- raw lines that were changed


@pytest.mark.parametrize("seed", [1, 2])
def test_one_changed_character_is_named_alike(short: Lines, seed: int) -> None:
    rng = random.Random(seed)
    changed = []
    for number in rng.sample(range(len(short)), 20):
        value, at = short[number], rng.randrange(len(short[number]))
        new = bytes([value[at] ^ rng.choice([1, 2, 16, 128])])
        changed.append([*short[:number], value[:at] + new + value[at + 1 :], *short[number + 1 :]])
    assert all(agree(changed))


def test_what_was_dropped_doubled_or_moved_is_named_alike(short: Lines) -> None:
    r = short
    assert agree(
        [
            r[1:],
            r[3:],
            [*r[:9], *r[10:]],
            [*r[:9], *r[14:]],
            [*r[:10], *r[9:]],
            [*r, r[-1]],
            [*r[:20], r[3], *r[20:]],
            [*r[:9], r[10], r[9], *r[11:]],
            [*r[:9], *r[12:15], *r[9:12], *r[15:]],
            [*r[:9], b"", *r[9:]],
            [*r, b" \t"],
            [b"\xef\xbb\xbf" + r[0], *r[1:]],
            [*r[:9], r[9].replace(b'"seq":10,', b'"seq":8,'), *r[10:]],
            [*r[:9], r[9].replace(b'"seq":10,', b'"seq":12,'), *r[10:]],
        ]
    ) == [
        *("missing", "missingMany", "missing", "missingMany", "twice", "twice", "twice"),
        *("changed", "outOfPlace", "blank", "blank", "bom", "changedBefore", "changedBefore"),
    ]


def test_a_last_record_that_nobody_saw_is_named_alike(short: Lines) -> None:
    head = digest_of(short[-1])
    assert agree([short[:-1]], head) == ["head"]
    assert agree([short], head) == [""]


@pytest.mark.parametrize("junk", [[], [b""], [b"hello"], [b"\xff\xfe", b"{}"]])
def test_what_is_no_match_at_all(junk: Lines) -> None:
    assert checked([junk]) == [None]


REWRITTEN: Final[dict[str, Callable[[bytes], bytes]]] = {
    "a blank": lambda line: line.replace(b'":', b'": ', 1),
    "a blank before": lambda line: b" " + line,
    "an escape": lambda line: line.replace(b'"type"', b'"\\u0074ype"', 1),
    "a key twice": lambda line: line.replace(b'{"v":1', b'{"v":1,"v":1', 1),
    "two stories": lambda line: line.replace(b'"events":', b'"events":[],"events":', 1),
    "sorted": lambda line: orjson.dumps(orjson.loads(line), option=orjson.OPT_SORT_KEYS),
    "a float": lambda line: line.replace(b'"v":1,', b'"v":1.0,', 1),
    "a large number": lambda line: re.sub(rb'"at_ms":\d+', b'"at_ms":9007199254740993', line),
    "a truth": lambda line: line.replace(b'"v":1,', b'"v":true,', 1),
    "a new field": lambda line: line.replace(b'{"v":1', b'{"v":1,"w":1', 1),
    "half a pair": lambda line: re.sub(rb'"secret":"\w', rb'"secret":"\\ud800', line),
    "no UTF-8": lambda line: line.replace(b'"secret":"', b'"secret":"\xff', 1),
    "deep": lambda line: line.replace(b'"events":[', b'"events":[' + b"[" * 20_000, 1),
    "too long": lambda line: line + b" " * 65_536,
    "no events": lambda line: re.sub(rb'"events":\[.*\]', b'"events":[]', line),
    "a newer version": lambda line: line.replace(b'"v":1', b'"v":2', 1),
    "an unknown type": lambda line: line.replace(b"match.ended", b"match.enden", 1),
}


def test_a_record_in_other_bytes_is_not_the_houses_in_both(short: Lines) -> None:
    rewritten = [rewrite(short[-1]) for rewrite in REWRITTEN.values()]
    assert all(line != short[-1] for line in rewritten)
    found = agree([[*short[:-1], line] for line in rewritten])
    assert set(found) == {"unreadable", "otherBytes"}


# ---- forged, with all digests made to fit


def forged(lines: Lines, number: int, change: Change) -> Lines:
    return rechained(lines, lambda n, record: change(record) if n == number else None)


def setting(path: str, value: Any) -> Change:
    """Change one value of a record; a number in the path is an index."""

    def change(record: Any) -> None:
        *way, last = [int(p) if p.lstrip("-").isdecimal() else p for p in path.split(".")]
        for part in way:
            record = record[part]
        record[last] = value(record[last]) if callable(value) else value

    return change


def test_forged_cowries_are_named_alike(cowries: Lines) -> None:
    number, at = first_with(cowries, "pachisi.thrown", after=20)
    begun, decided = first_with(cowries, "pachisi.start_decided")

    def other(count: int) -> int:
        return 3 if count == 2 else 2

    assert agree(
        [
            forged(cowries, number, setting(f"events.{at}.mouths", other)),
            forged(cowries, number, setting(f"events.{at}.shells", 7)),
            forged(cowries, begun, setting(f"events.{decided}.seat", other)),
        ]
    )[::2] == ["roll", "start"]


def test_K3_forged_shots_are_named_alike() -> None:
    """In the middle of a match of partners, so from every side of the board."""
    lines = shot(704, players="2v2", bot_level="easy").values
    number, at = first_with(lines, "carrom.discs_rested", after=10)
    pushed, first = first_with(lines, "carrom.striker_shot", after=number)
    judged, last = first_with(lines, "carrom.shot_judged", after=15)

    def nearer(value: int) -> int:
        return value - 1 if value > 0 else value + 1

    places = len(orjson.loads(lines[number - 1])["events"][at]["places"])
    assert agree(
        [
            *(
                forged(lines, number, setting(f"events.{at}.places.{n}.{axis}", nearer))
                for n in (0, places // 2, places - 1)
                for axis in "xy"
            ),
            forged(lines, number, setting(f"events.{at}.pocketed", lambda fell: [*fell, 19])),
            forged(lines, number, setting(f"events.{at}.steps", nearer)),
            forged(lines, number, setting(f"events.{at}.hash", "ab" * 32)),
            forged(lines, pushed, setting(f"events.{first}.dx", nearer)),
            forged(lines, pushed, setting(f"events.{first}.speed", lambda speed: speed // 2)),
            forged(lines, judged, setting(f"events.{last}.hash", "ab" * 32)),
            forged(lines, judged, setting(f"events.{last}.queen", "pending")),
        ]
    ) == [*["shot"] * 12, ""]


def test_forged_dice_are_named_alike(lines: Lines, short: Lines) -> None:
    number, at = first_with(lines, "ludo.rolled", after=20)
    dealt, place = first_with(lines, "match.started")
    first, who = first_with(short, "ludo.start_rolled")
    first, decided = first_with(short, "ludo.start_decided")
    seats = orjson.loads(short[first - 1])["events"][place]["seats"]

    def numbers(_: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "ludo.rolled":
                event["number"] = "12345"

    assert agree(
        [
            forged(lines, number, setting(f"events.{at}.value", lambda value: value % 6 + 1)),
            forged(lines, number, setting(f"events.{at}.index", lambda index: index + 1)),
            rechained(lines, numbers),
            forged(lines, 1, setting("events.1.seat_number", "99")),
            forged(lines, dealt, setting(f"events.{place}.dealt", lambda dealt: dealt[::-1])),
            forged(lines, len(lines), setting("events.-1.secret", "ab" * 32)),
            forged(lines, 1, setting("events.0.commitment", "ab" * 32)),
            forged(short, first, setting(f"events.{who}.value", lambda value: value % 6 + 1)),
            forged(
                short,
                first,
                setting(f"events.{decided}.seat", lambda seat: next(s for s in seats if s != seat)),
            ),
            forged(lines, number, setting(f"events.{at}.number", str(2**64))),
            forged(lines, number, setting(f"events.{at}.number", "07")),
        ]
    ) == [
        *("roll", "rollIndex", "roll", "roll", "deal", "commitment", "commitment", "roll", "start"),
        *("unreadable", "unreadable"),
    ]


def test_forged_records_are_named_alike(lines: Lines, bot_lines: Lines) -> None:
    late, _ = first_with(lines, "step.timed_out")
    resumed, _ = first_with(lines, "match.resumed")
    away, _ = first_with(lines, "player.away")
    first_bot = from_sender(bot_lines, "system:bots")
    bot = from_sender(bot_lines, "system:bots", after=first_bot)
    cause = orjson.loads(bot_lines[first_bot - 1])["caused_by"]

    taken = orjson.loads(lines[0])["events"][1]

    def swap(places: list[Any]) -> list[Any]:
        first, second = places
        return [{**first, "seat": second["seat"]}, {**second, "seat": first["seat"]}]

    assert agree(
        [
            forged(lines, 5, setting("caused_by.partition", lambda one: (one + 1) % 12)),
            forged(lines, 5, setting("caused_by.offset", 0)),
            forged(lines, 5, setting("seq", 7)),
            forged(lines, 5, setting("rules", "ludo/1")),
            rechained(lines, lambda _, record: record.update(rules="tricktrack/1")),
            forged(lines, 5, setting("at_ms", lambda at_ms: at_ms + 1)),
            forged(bot_lines, bot, setting("caused_by.intent_id", cause["intent_id"])),
            forged(lines, late, setting("caused_by.sender", "system:gateway")),
            forged(lines, late, setting("caused_by.sender", "system:zzz")),
            forged(lines, resumed, setting("caused_by.sender", "system:bots")),
            forged(lines, away, setting("caused_by.sender", "system:bots")),
            forged(bot_lines, len(bot_lines), setting("caused_by.sender", "system:bots")),
            forged(lines, len(lines), setting("events.-1.places", swap)),
            rechained(lines, lambda n, r: r["events"].append(end(lines)) if n == 9 else None),
            forged(lines, 30, lambda record: record["events"].append(taken)),
            rechained(lines, lambda n, r: r["events"].pop(0) if n == 1 else None),
        ]
    ) == [
        *("otherPartition", "earlier", "number", "otherMatch", "unknownRules", "time"),
        *("sameIntent", "sender", "sender", "sender", "sender", "sender", "places"),
        *("goesOn", "seating", "notOpened"),
    ]


def test_M_forged_prizes_are_named_alike() -> None:
    coin = played(705, entry=33, players=3, leavers=1, **SHORT).values
    number, at = first_with(coin, "entries.settled")
    prizes = orjson.loads(coin[number - 1])["events"][at]["prizes"]
    assert len(prizes) == 2
    assert agree(
        [
            coin,
            forged(coin, number, setting(f"events.{at}.fee_coins", 10)),
            forged(coin, number, setting(f"events.{at}.pot_coins", 100)),
            forged(coin, number, setting(f"events.{at}.prizes", prizes[::-1])),
            forged(coin, number, setting(f"events.{at}.prizes.0.coins", lambda coins: coins + 1)),
            forged(
                coin, number, setting(f"events.{at}.prizes.0.player_id", prizes[1]["player_id"])
            ),
        ]
    ) == ["", *["prizes"] * 5]


def end(lines: Lines) -> Any:
    return orjson.loads(lines[-1])["events"][-1]


def test_K_a_due_that_the_timer_sent_twice_is_no_forgery(lines: Lines) -> None:
    first = from_sender(lines, "system:timer")
    cause = orjson.loads(lines[first - 1])["caused_by"]
    again = from_sender(lines, "system:timer", after=first)
    assert agree([forged(lines, again, setting("caused_by.intent_id", cause["intent_id"]))]) == [""]


def test_D3_a_number_that_is_nobodys_is_named_alike(bot_lines: Lines) -> None:
    """One in six gives the same face; that one is found all the same."""
    number = from_sender(bot_lines, "system:bots")
    while b"ludo.rolled" not in bot_lines[number - 1]:
        number = from_sender(bot_lines, "system:bots", after=number)
    numbers = [setting("events.0.number", str(chosen)) for chosen in range(1, 16)]
    found = agree([forged(bot_lines, number, change) for change in numbers])
    assert set(found) == {"roll", "numberGiven"}
