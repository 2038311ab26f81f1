"""Fair dice: rule D against recorded vectors, by statistics, and under attack."""

from __future__ import annotations

import copy
import hashlib
import hmac
import itertools
import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from sahrat import dice
from sahrat.dice import MasterKeys, Secret, SecretChance, UnknownKey

GOLDEN: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "dice.json").read_text(encoding="utf-8")
)
VECTORS: Final = [pytest.param(vector, id=vector["match_id"]) for vector in GOLDEN]
MATCH: Final = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
KEY: Final = "5e" * 32


def _secret(vector: dict[str, Any]) -> Secret:
    return dice.match_secret(Secret.from_hex(vector["master_key"]), vector["match_id"])


def _chance(vector: dict[str, Any]) -> SecretChance:
    return SecretChance(_secret(vector), vector["match_id"], vector["seat_numbers_by_place"])


# ---- recorded vectors


@pytest.mark.parametrize("vector", VECTORS)
def test_secret_and_commitment(vector: dict[str, Any]) -> None:
    secret = _secret(vector)
    assert secret.reveal() == vector["secret"]
    assert dice.commitment(secret, vector["match_id"]) == vector["commitment"]
    assert dice.commitment_holds(secret, vector["match_id"], vector["commitment"])


@pytest.mark.parametrize("vector", VECTORS)
def test_deal(vector: dict[str, Any]) -> None:
    taken = vector["seat_numbers_as_taken"]
    dealt = dice.deal(_secret(vector), vector["match_id"], taken)
    assert list(dealt) == vector["dealt"]
    assert list(dice.numbers_by_seat(taken, dealt)) == vector["seat_numbers_by_place"]
    assert dice.deal_holds(_secret(vector), vector["match_id"], taken, vector["dealt"])


@pytest.mark.parametrize("vector", VECTORS)
def test_rolls(vector: dict[str, Any]) -> None:
    chance = _chance(vector)
    for roll in vector["rolls"]:
        asked = roll["i"], roll["seat"], roll["roll_number"]
        assert chance.die(*asked) == roll["die"]
        assert chance.cowries(*asked, 6) == roll["six_cowries"]
        assert chance.cowries(*asked, 7) == roll["seven_cowries"]


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("among", [2, 3, 4, 7])
def test_d9_a_lot_is_the_first_byte_that_divides_evenly(vector: dict[str, Any], among: int) -> None:
    """Worked out once more from the words of the rule."""
    numbers = ".".join(vector["seat_numbers_by_place"])
    key, found = bytes.fromhex(vector["secret"]), bytearray()
    for j in range(3):
        text = f"sahrat-start-v1|{vector['match_id']}|{numbers}|{j}"
        found += hmac.digest(key, text.encode(), "sha256")
    first = next(byte for byte in found if byte < 256 - 256 % among)
    assert _chance(vector).lot(among) == first % among == _chance(vector).lot(among)


def test_d9_lots_are_even() -> None:
    secret = Secret.from_hex(KEY)
    chances = (SecretChance(secret, f"{MATCH}{n}", ("1", "2", "3")) for n in range(3000))
    drawn = Counter(chance.lot(3) for chance in chances)
    assert all(abs(drawn[seat] - 1000) < 4 * (3000 * 2 / 9) ** 0.5 for seat in range(3))


def test_bytes_from_252_up_are_passed_over() -> None:
    chance, rolls = _chance(GOLDEN[0]), GOLDEN[0]["rolls_with_rejected_bytes"]
    assert {roll["rejected_bytes"] for roll in rolls} == {1, 2}
    for roll in rolls:
        assert chance.die(roll["i"], roll["seat"], roll["roll_number"]) == roll["die"]


def test_faces_of_60_000_rolls() -> None:
    chance = _chance(GOLDEN[0])
    faces = Counter(chance.die(index, 1, "") for index in range(60_000))
    assert [faces[face] for face in range(1, 7)] == GOLDEN[0][
        "faces_of_rolls_0_to_59999_seat_1_no_number"
    ]
    # 5 degrees of freedom: a fair die is above 20.5 once in a thousand times.
    assert sum((faces[face] - 10_000) ** 2 for face in range(1, 7)) < 20.5 * 10_000


@pytest.mark.slow
def test_faces_and_pairs_of_600_000_rolls() -> None:
    """Over many matches, seats and numbers, each face falls alike, and after each other one."""
    rolls: list[int] = []
    for match in range(100):
        match_id = f"01980f6e-5c00-7b2a-9d3e-{match:012x}"
        chance = SecretChance(
            dice.match_secret(Secret.from_hex(KEY), match_id), match_id, ("5", "")
        )
        rolls += [chance.die(n, n % 2 * 2, str(n) if n % 2 else "") for n in range(6_000)]
    faces, pairs = Counter(rolls), Counter(itertools.pairwise(rolls))
    assert sum((count - 100_000) ** 2 for count in faces.values()) < 20.5 * 100_000
    # 35 degrees of freedom: above 66.6 once in a thousand times.
    expected = (len(rolls) - 1) / 36
    assert sum((count - expected) ** 2 for count in pairs.values()) < 66.6 * expected


def test_all_deals_of_four_are_equally_likely() -> None:
    secret = Secret(bytes(32))
    deals = Counter(dice.deal(secret, str(n), ("1", "", "3", "4")) for n in range(24_000))
    assert sorted(deals) == sorted(itertools.permutations(range(4)))
    # 23 degrees of freedom: above 49.7 once in a thousand times.
    assert sum((count - 1_000) ** 2 for count in deals.values()) < 49.7 * 1_000


# ---- what a roll depends on


def test_every_part_of_a_roll_changes_it() -> None:
    """Any two rolls that differ in one thing are independent, so their runs differ."""

    def run(secret: Secret, match_id: str, numbers: tuple[str, ...], seat: int, own: str) -> str:
        chance = SecretChance(secret, match_id, numbers)
        return "".join(str(chance.die(index, seat, own)) for index in range(40))

    secret, other = Secret(b"a" * 32), Secret(b"b" * 32)
    runs = {
        run(secret, MATCH, ("1", "2"), 0, "3"),
        run(other, MATCH, ("1", "2"), 0, "3"),
        run(secret, MATCH[:-1] + "5", ("1", "2"), 0, "3"),
        run(secret, MATCH, ("2", "1"), 0, "3"),
        run(secret, MATCH, ("1", "2"), 2, "3"),
        run(secret, MATCH, ("1", "2"), 0, ""),
    }
    assert len(runs) == 6


def test_a_false_secret_deal_or_commitment_is_noticed() -> None:
    secret, other = Secret(b"a" * 32), Secret(b"b" * 32)
    taken = ("1", "2", "3", "4")
    committed = dice.commitment(secret, MATCH)
    assert not dice.commitment_holds(other, MATCH, committed)
    assert not dice.commitment_holds(secret, MATCH[:-1] + "5", committed)
    assert not dice.commitment_holds(secret, MATCH, "\u00e9")
    dealt = dice.deal(secret, MATCH, taken)
    assert not dice.deal_holds(secret, MATCH, taken, dealt[::-1])
    assert not dice.deal_holds(secret, MATCH, taken, dealt[:3])


# ---- nothing shows a secret


def test_a_secret_has_no_text() -> None:
    secret = Secret.from_hex(KEY)
    chance = SecretChance(secret, MATCH, ("1",))
    keys = MasterKeys([("k1", 0, secret)])
    shown = f"{secret} {secret!r} {[secret]} {chance!r} {keys} {keys!r} {{secret}}"
    for form in (KEY, KEY.upper(), "^" * 4, repr(bytes.fromhex(KEY)), str(int(KEY, 16))):
        assert form not in shown


def test_a_secret_is_not_pickled() -> None:
    secret = Secret.from_hex(KEY)
    for held in (secret, MasterKeys([("k1", 0, secret)])):
        with pytest.raises(TypeError):
            pickle.dumps(held)
    assert copy.deepcopy(secret) == secret


def test_secrets_compare() -> None:
    assert Secret(b"a" * 32) == Secret(b"a" * 32)
    assert Secret(b"a" * 32) != Secret(b"b" * 32)
    assert Secret(b"a" * 32) != b"a" * 32
    assert hash(Secret(b"a" * 32)) == hash(Secret(b"a" * 32))


@pytest.mark.parametrize("text", ["", "5e", "zz" * 32, "5e" * 33, " " + "5e" * 31 + " "])
def test_a_secret_has_32_bytes(text: str) -> None:
    with pytest.raises(ValueError, match="secret"):
        Secret.from_hex(text)
    with pytest.raises(ValueError, match="secret"):
        Secret(text.encode()[:31])


# ---- master keys


def _text(*keys: tuple[str, int, str]) -> str:
    return json.dumps(
        {"keys": [{"id": name, "from_ms": from_ms, "key": key} for name, from_ms, key in keys]}
    )


def test_a_match_takes_the_newest_key_that_is_not_after_its_opening() -> None:
    keys = MasterKeys.parse(_text(("k2", 1_000, "22" * 32), ("k1", 0, "11" * 32)))
    assert [keys.newest(at) for at in (0, 999, 1_000, 2_000)] == ["k1", "k1", "k2", "k2"]
    assert keys.secret("k1", MATCH) == dice.match_secret(Secret.from_hex("11" * 32), MATCH)
    assert keys.secret("k2", MATCH) == dice.match_secret(Secret.from_hex("22" * 32), MATCH)


def test_an_unknown_key_has_a_named_error() -> None:
    keys = MasterKeys.parse(_text(("k1", 5, KEY)))
    with pytest.raises(UnknownKey, match="k9"):
        keys.secret("k9", MATCH)
    with pytest.raises(UnknownKey):
        keys.newest(4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"keys":[]}',
        _text(("k1", 0, KEY[:-1])),
        _text(("k1", 0, KEY[:-1] + "G")),
        _text(("k1", -1, KEY)),
        _text(("K1", 0, KEY)),
        _text(("k1", 0, KEY), ("k1", 1, KEY)),
        _text(("k1", 0, KEY), ("k2", 0, KEY)),
        f'{{"keys":[{{"id":"k1","from_ms":0,"{KEY}":1,"key":"{KEY}"}}]}}',
        f'{{"keys":["{KEY}"]}}',
        f'{{"keys":"{KEY}',
    ],
)
def test_bad_keys_are_refused_without_quoting_them(text: str) -> None:
    with pytest.raises(ValueError, match="key") as caught:
        MasterKeys.parse(text)
    assert KEY[:16] not in str(caught.value)
    assert caught.value.__cause__ is None


# ---- cases


def test_c26_no_two_matches_share_their_dice() -> None:
    master = Secret.from_hex(KEY)
    commitments, prefixes = set(), set()
    for number in range(10_000):
        match_id = f"01980f6e-5c00-7b2a-9d3e-{number:012x}"
        secret = dice.match_secret(master, match_id)
        commitments.add(dice.commitment(secret, match_id))
        chance = SecretChance(secret, match_id, ("1", "2"))
        prefixes.add(tuple(chance.die(index, 0, "") for index in range(20)))
    assert len(commitments) == len(prefixes) == 10_000


Guess = Callable[[str, int], bytes]
Text = Callable[[str, int], str]


def _guesses(committed: str, numbers: tuple[str, str]) -> Iterator[tuple[str, Guess]]:
    """Yield what somebody can try who knows the commitment and all numbers, and how rolls are
    made, but not the secret.
    """
    joined = ".".join(numbers)
    keys = {
        "commitment": bytes.fromhex(committed),
        "its text": committed.encode(),
        "its digest": hashlib.sha256(bytes.fromhex(committed)).digest(),
        "match id": MATCH.encode(),
        "numbers": joined.encode(),
        "first number": numbers[0].encode(),
        "commitment and numbers": f"{committed}|{joined}".encode(),
        "nothing": bytes(32),
    }
    texts: dict[str, Text] = {
        "the roll's text": lambda own, i: f"sahrat-roll-v1|{MATCH}|{i}|0|{own}|{joined}|0",
        "number and index": lambda own, i: f"{own}|{i}",
        "index": lambda _, i: str(i),
    }
    for key_name, key in keys.items():
        for text_name, text in texts.items():

            def mac(own: str, i: int, key: bytes = key, text: Text = text) -> bytes:
                return hmac.digest(key, text(own, i).encode(), "sha256")

            def plain(own: str, i: int, key: bytes = key, text: Text = text) -> bytes:
                return hashlib.sha256(key + text(own, i).encode()).digest()

            yield f"hmac {key_name} / {text_name}", mac
            yield f"sha256 {key_name} + {text_name}", plain


def test_c27_commitment_and_numbers_tell_nothing_of_the_rolls() -> None:
    secret, numbers = dice.match_secret(Secret.from_hex(KEY), MATCH), ("17", "18446744073709551615")
    chance = SecretChance(secret, MATCH, numbers)
    rolled = [(str(index * 7), index) for index in range(6_000)]
    faces = [chance.die(index, 0, own) for own, index in rolled]
    guesses = list(_guesses(dice.commitment(secret, MATCH), numbers))
    assert len(guesses) == 48
    for name, guess in guesses:
        hits = sum(
            guess(own, index)[0] % 6 + 1 == face
            for (own, index), face in zip(rolled, faces, strict=True)
        )
        assert abs(hits - 1_000) <= 87, f"{name}: {hits}"  # three sigma
