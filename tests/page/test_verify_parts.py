"""The parts of the Verify page's check: dice, files, and what a record may look like."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from sahrat import dice
from sahrat.ledger import settlement
from services.gateway import forms
from services.house.records import split
from tests.page.nodes import VERIFY, asked
from tests.unit.test_verify_forged import bot_match

ROOT: Final = Path(__file__).parents[2]
GOLDEN: Final = json.loads((ROOT / "tests/golden/dice.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return bot_match()


def test_D_every_vector() -> None:
    for vector, found in zip(GOLDEN, asked(VERIFY, "dice", GOLDEN), strict=True):
        assert found["commitment"] == vector["commitment"]
        assert found["dealt"] == vector["dealt"]
        for roll, right in zip(found["rolls"], vector["rolls"], strict=True):
            assert {**right, **roll} == {**right, "skipped": roll["skipped"]}
        for roll, right in zip(
            found["rejected"], vector.get("rolls_with_rejected_bytes", []), strict=True
        ):
            assert (roll["die"], roll["skipped"]) == (right["die"], right["rejected_bytes"])
        secret = dice.Secret.from_hex(vector["secret"])
        numbers = vector["seat_numbers_by_place"]
        chance = dice.SecretChance(secret, vector["match_id"], numbers)
        assert found["lots"] == [chance.lot(among) for among in (2, 3, 4, 7)]


def test_M_every_pot_is_shared_out_alike() -> None:
    endings = [
        ([(2, 1)], []),
        ([(0, 1), (2, 2)], []),
        ([(0, 1), (2, 2)], [0]),
        ([(1, 1), (0, 2), (2, 3)], []),
        ([(1, 1), (0, 2), (2, 3)], [0]),
        ([(1, 1), (0, 2), (2, 3), (3, 4)], [0, 2, 3]),
        ([(3, 1), (1, 1), (0, 2), (2, 2)], []),
        ([(1, 1), (3, 1)], []),
        ([(0, 1), (1, 1), (2, 1), (3, 4)], [3]),
        ([(2, 1), (0, 2), (1, 2)], []),
        ([(2, 1), (0, 2), (1, 2), (3, 4)], [3]),
        ([(1, 1), (2, 2), (0, 3), (3, 3)], []),
    ]
    pots = [1, 9, 20, 30, 132, 135, 399, 400, 4_000_000]
    given = [(pot, places, gone) for places, gone in endings for pot in pots]
    asked_for = [{"pot": pot, "places": places, "gone": gone} for pot, places, gone in given]
    for found, (pot, places, gone) in zip(asked(VERIFY, "share", asked_for), given, strict=True):
        right = settlement.split(pot, places, gone)
        assert found == {"fee": right.fee_coins, "prizes": [[*one] for one in right.prizes]}


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data,
        lambda data: data.removesuffix(b"\n"),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r\n").removesuffix(b"\r\n"),
        lambda data: data.replace(b"\n", b"\r\n", 3),
        lambda data: data + b"\n",
        lambda data: b"\n" + data,
        lambda data: data.replace(b'"seq":2,', b'"seq"\n:2,'),
        lambda data: data.replace(b'{"v":1', b'{"v"\n:1'),
        lambda data: data + b"and more\nand more",
        lambda data: b"",
        lambda data: b"\n",
        lambda data: b"\r\n",
        lambda data: b"{\n{\n",
    ],
)
def test_a_file_is_split_as_the_command_splits_it(
    lines: list[bytes], change: Callable[[bytes], bytes]
) -> None:
    data = change(b"".join(line + b"\n" for line in lines[:8]))
    (found,) = asked(VERIFY, "split", [[b64encode(data).decode()]])
    assert found == [b64encode(line).decode() for line in split(data)]


def test_the_forms_are_those_of_the_messages() -> None:
    """If this fails, run `make schemas`."""
    page = ROOT / "services/gateway/static/verify/forms.js"
    assert page.read_text(encoding="utf-8") == forms.text()
