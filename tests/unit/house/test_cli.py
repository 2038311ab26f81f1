"""Every command ends with one line that says what to do, and a documented exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sahrat.runtime.exits import MEANINGS
from services.house.cli import main


def _end(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_help_lists_the_commands_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _end(capsys, "--help")
    assert code == 0
    assert "run " in out
    for number, meaning in MEANINGS.items():
        assert f"{number:d}  {meaning}" in out


def test_every_command_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _end(capsys, "--help")
    listed = out.split("Commands:\n")[1].split("\n\n")[0]
    for line in listed.splitlines():
        name, said = line.split(maxsplit=1)
        assert said
        assert _end(capsys, name, "--help")[0] == 0


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
    code, out, err = _end(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sahrat: ")
    assert told in err
    assert err.count("\n") == 1


def test_a_wrong_setting_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAHRAT_PORT", "eighty")
    code, _, err = _end(capsys, "run", "--data", str(tmp_path / "new"))
    assert code == 2
    assert err == "sahrat: SAHRAT_PORT is no whole number from 0 to 65535\n"
    assert not (tmp_path / "new").exists()


def test_on_a_broker_of_others_keys_are_never_made_up(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAHRAT_KAFKA", "127.0.0.1:1")
    code, _, err = _end(capsys, "run", "--log", "kafka", "--data", str(tmp_path), "--port", "0")
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
