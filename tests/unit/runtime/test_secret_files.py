import os
import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from sahrat.runtime.secret_files import LIMIT_BYTES, BadSecret, make_secret, read_secret

WORD = "hunter2-very-secret"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "keys" / "master.json"
    assert make_secret(path, SecretStr(WORD))
    return path


def test_only_its_owner_can_read_it_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_secret(tmp_path / "keys" / "k", SecretStr(WORD))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "keys" / "k").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_what_was_made_is_read(made: Path) -> None:
    assert read_secret(made).get_secret_value() == WORD
    assert list(made.parent.iterdir()) == [made]


def test_a_file_that_is_there_is_never_overwritten(made: Path) -> None:
    assert not make_secret(made, SecretStr("other"))
    assert read_secret(made).get_secret_value() == WORD


def test_a_file_that_is_to_be_replaced_is_so_whole_and_for_its_owner_alone(made: Path) -> None:
    made.chmod(0o644)
    assert make_secret(made, SecretStr("other"), replace=True)
    assert read_secret(made).get_secret_value() == "other"
    assert list(made.parent.iterdir()) == [made]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610])
def test_a_file_that_others_can_use_is_refused(made: Path, mode: int) -> None:
    made.chmod(mode)
    with pytest.raises(BadSecret, match="chmod 600"):
        read_secret(made)


def test_a_file_of_another_user_is_refused(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = made.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner == 0:
        os.chown(made, 12_345, -1)
    with pytest.raises(BadSecret, match="another user"):
        read_secret(made)


def test_what_is_no_plain_text_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSecret, match="missing"):
        read_secret(tmp_path / "none")
    with pytest.raises(BadSecret, match="no plain file"):
        read_secret(tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(BadSecret, match="no plain file"):
        read_secret(tmp_path / "pipe")
    for data in (b"\xff" + WORD.encode(), WORD.encode() * LIMIT_BYTES):
        path = tmp_path / "bad"
        path.touch(0o600)
        path.write_bytes(data)
        with pytest.raises(BadSecret) as told:
            read_secret(path)
        assert WORD not in str(told.value)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadSecret, match="can't be written"):
        make_secret(tmp_path / "file" / "keys", SecretStr(WORD))
