"""Every command ends with one line that says what to do, and a documented exit code."""

import json
import os
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from sahrat.runtime.exits import MEANINGS
from services.house.cli import main, sahrat
from services.house.commands import simulate
from services.house.simulation.many import Sum
from services.house.simulation.run import Outcome

TWICE = ("--options", "step_seconds=10", "--options", "step_seconds=8")
FIRST = ("--options", "finish=first_only")
NOBODY = ("--url", "http://127.0.0.1:9")


def end(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_help_lists_the_commands_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = end(capsys, "--help")
    assert code == 0
    assert "run " in out
    for number, meaning in MEANINGS.items():
        assert f"{number:d}  {meaning}" in out


def test_every_command_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = end(capsys, "--help")
    listed = out.split("Commands:\n")[1].split("\n\n")[0]
    for line in listed.splitlines():
        name, said = line.split(maxsplit=1)
        assert said
        assert end(capsys, name, "--help")[0] == 0


def test_alone_it_says_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = end(capsys)
    assert (code, err) == (0, "")
    assert out == end(capsys, "--help")[1]


def test_a_number_below_zero_is_not_taken_for_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = end(capsys, "grant", "x", "-5", "--reason", "y")
    assert (code, out) == (2, "")
    assert "no number here is below zero" in err
    assert err.count("\n") == 1


def test_it_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert end(capsys, "--version") == (0, f"sahrat {version('sahrat')}\n", "")


def test_no_summary_of_a_command_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    listed = end(capsys, "--help")[1].split("Commands:\n")[1].split("\n\n")[0]
    for line in listed.splitlines():
        assert line.endswith("."), line
        assert "..." not in line


def test_every_option_says_what_it_is_for() -> None:
    context = click.Context(sahrat)
    for name in sahrat.list_commands(context):
        command = sahrat.get_command(context, name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{name} {option.name}"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "--port", "x"), "x is no whole number from 0 to 65535. See: sahrat run --help"),
        (("run", "--port", "-1"), "-1 is no whole number from 0 to 65535. See:"),
        (("run", "--bot-pause-ms", "1.5"), "1.5 is no whole number from 0 to 14000. See:"),
        (("play", "--options", "players=3"), "players=3: that is what --players says"),
        (("play", "--options", "step_seconds"), "not NAME=VALUE"),
        (("play", *TWICE), "step_seconds=8: step_seconds is given twice"),
        (("play", "--options", "colour=1", *NOBODY), "there are block, bonus_stack, "),
        (("play", "--options", "step_seconds=7", *NOBODY), "is none of 8, 10, 15, 20, 30"),
        (("play", "--options", "teams=on", *NOBODY), "teams: two sides need 4 players"),
        (("play", "--coin", "--players", "3", *FIRST, *NOBODY), "finish: a coin table of three"),
        (("play", "--players", "5"), "5 is no whole number from 2 to 4. See:"),
        (("play", "--leave", "2"), "2 is no number from 0 to 1. See:"),
        (("play", "--leave", "nan"), "nan is no number from 0 to 1. See:"),
        (("play", "--timeout", "0"), "0 is no number from 1 on. See:"),
        (("verify", "x", "--head", "abc"), "a digest has 64 hex digits. See:"),
        (("verify", "--nothing"), "No such option: --nothing. See:"),
        (("verify",), "Missing argument 'MATCH_ID|FILE'. See:"),
    ],
)
def test_a_wrong_option_is_told_in_our_words_and_where_to_read_on(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    code, _, err = end(capsys, *arguments)
    assert code == 2
    assert told in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("wizardry",), "No such command 'wizardry'"),
        (("run", "--port", "65536"), "65536"),
        (("run", "--log", "paper"), "'paper'"),
        (("run", "--workers", "rules=2"), "--log kafka"),
        (("run", "--host", "192.0.2.1", "--port", "1"), "can't listen on 192.0.2.1"),
        (("run", "--data", os.devnull), os.devnull),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.setenv("SAHRAT_DATA", str(tmp_path))
    code, out, err = end(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sahrat: ")
    assert told in err
    assert err.count("\n") == 1


def test_a_wrong_setting_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAHRAT_PORT", "eighty")
    code, _, err = end(capsys, "run", "--data", str(tmp_path / "new"))
    assert code == 2
    assert err == "sahrat: SAHRAT_PORT is no whole number from 0 to 65535\n"
    assert not (tmp_path / "new").exists()


def test_on_a_broker_of_others_keys_are_never_made_up(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAHRAT_KAFKA", "127.0.0.1:1")
    code, _, err = end(capsys, "run", "--log", "kafka", "--data", str(tmp_path), "--port", "0")
    assert code == 2
    assert err == (
        "sahrat: no keys: set SAHRAT_MASTER_KEYS to their file, or SAHRAT_MASTER_KEYS_JSON\n"
    )
    assert not (tmp_path / "keys").exists()


def test_a_reader_that_has_enough_is_no_fault() -> None:
    command = subprocess.Popen(
        [sys.executable, "-c", "from services.house.cli import main; main(['--help'])"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert command.stdout is not None
    command.stdout.close()
    assert command.stderr is not None
    assert command.stderr.read() == b""
    command.stderr.close()
    assert command.wait(20) in {0, 1}


def test_a_simulation_that_fails_says_so_in_json_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Sum()
    found.add([Outcome(7, ["a record is gone"], Counter({"broker away": 2}))])
    monkeypatch.setattr(simulate, "simulate_many", lambda *_: found)
    code, out, _ = end(capsys, "simulate", "--seed", "7", "--json")
    (failed,) = json.loads(out)["failed"]
    assert code == 1
    assert (failed["seed"], failed["problems"]) == (7, ["a record is gone"])
    assert failed["counts"] == {"broker away": 2}
