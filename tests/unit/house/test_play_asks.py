"""`sahrat play` says what phones are going to lose at coin tables, and asks a person first."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from services.house.commands.play import can_pay
from services.house.play import Plan, Played
from services.house.problem import Problem
from services.house.tell_play import in_words, json_of

NOBODY = "http://127.0.0.1:9"  # no house answers there
SAID = "loses its entry of 100 coins"


def play_at_a_terminal(answer: str, *options: str) -> tuple[int, str]:
    """Run it as a person does, who types this; return the exit code and what he sees."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.house", "play", "--url", NOBODY, *options],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
        )
        os.close(theirs)
        os.write(ours, answer.encode())
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            seen += piece
        process.communicate(timeout=60)
        return process.returncode, seen.decode()
    finally:
        os.close(ours)


@pytest.mark.parametrize("answer", ["n\n", "\n", "\x04"])
def test_who_does_not_say_yes_plays_nothing(answer: str) -> None:
    code, seen = play_at_a_terminal(answer, "--coin", "--leave", "0.5")
    assert code == 2
    assert SAID in seen
    assert "nothing is played" in seen
    assert "no house answers" not in seen


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--coin", "--leave", "0.5"), True),
        (("--coin", "--drop", "0.5", "--drop-seconds", "45"), True),
        (("--coin", "--drop", "0.5"), False),
        (("--coin",), False),
        (("--leave", "0.5"), False),
        (("--coin", "--leave", "0.5", "--yes"), False),
    ],
)
def test_a_person_is_asked_where_entries_will_be_lost(
    options: tuple[str, ...], asked: bool
) -> None:
    _, seen = play_at_a_terminal("y\n", *options)
    assert ("Let them?" in seen) is asked
    assert "no house answers" in seen  # it would have played


def test_a_script_is_told_and_not_asked() -> None:
    command = [sys.executable, "-m", "services.house", "play", "--url", NOBODY]
    done = subprocess.run(
        [*command, "--coin", "--leave", "0.5"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert SAID in done.stderr.decode()
    assert b"Let them?" not in done.stderr
    assert b"no house answers" in done.stderr


@pytest.mark.parametrize(
    ("entry", "welcome", "told"),
    [
        (1_000, 1_000, ""),
        (1_001, 1_000, "gives each 1,000"),
        (10, 0, "SAHRAT_WELCOME=1"),
        (10, None, ""),  # a house that does not say
    ],
)
def test_an_entry_that_no_phone_could_ever_pay_is_told_at_once(
    entry: int, welcome: int | None, told: str
) -> None:
    if not told:
        can_pay(entry, welcome)
        return
    with pytest.raises(Problem, match=told) as problem:
        can_pay(entry, welcome)
    assert problem.value.exit_code == 2


def test_what_became_of_the_entries_is_said_whatever_the_end() -> None:
    plan = Plan(NOBODY, matches=3, players=2, bots=0, seed="s", entry=100)
    won = Played(1, "a", "match.ended", {0: 1, 2: 2}, {0: 180}, fee_coins=20, forfeited=1, left=1)
    stopped = Played(2, "b", "match.stopped", refund_coins=200)
    lines = [*in_words(plan, [won, stopped, Played(3)])]
    assert "1.red (prize 180) 2.yellow" in lines[1]
    assert (
        "entry 100 coins: 1 match settled, all pots together 200 coins, 180 of them in prizes and "
        "20 in fees; 1 refunded, 200 coins; 1 neither; entries lost by leaving or being away: 1"
    ) in lines
    said = json_of(plan, [won, stopped])
    assert said["entry_coins"] == 100
    assert said["total"]["refunds_coins"] == 200
    assert said["total"]["pots_coins"] == 200
    assert [one["refund_coins"] for one in said["matches"]] == [0, 200]
    assert said["matches"][0]["prizes_coins"] == {"0": 180}
