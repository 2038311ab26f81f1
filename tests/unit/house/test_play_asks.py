"""`sahrat play` says what phones are going to lose at coin tables, and asks a person first."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

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


@pytest.mark.parametrize("answer", ["n\n", "\n"])
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
