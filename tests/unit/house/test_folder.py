import os
from pathlib import Path

import pytest

from sahrat.log.port import LogFault
from sahrat.log.sqlite_file import FILE
from services.house import folder
from services.house.folder import Address, Folder, LogKind, default_folder
from services.house.local.kafka import DATA, PORT_FILE
from services.house.local.lock import Busy

ADDRESS = Address(
    url="http://127.0.0.1:8000",
    urls=("http://127.0.0.1:8000",),
    pid=os.getpid(),
    log="embedded",
    health="http://127.0.0.1:8000/health",
)


def test_one_house_a_folder(tmp_path: Path) -> None:
    house = Folder(tmp_path / "new" / "house")
    with house.hold():
        assert house.path.stat().st_mode & 0o077 == 0
        with pytest.raises(Busy, match=f"in use by process {os.getpid()}"):
            house.hold()
    house.hold().release()


def test_the_address_of_a_house_that_runs(tmp_path: Path) -> None:
    house = Folder(tmp_path)
    assert house.address() is None
    house.publish(ADDRESS)
    assert house.address() == ADDRESS
    house.unpublish()
    assert house.address() is None
    house.unpublish()


def test_the_address_of_a_house_that_was_killed_is_none(tmp_path: Path) -> None:
    house = Folder(tmp_path)
    house.publish(ADDRESS.model_copy(update={"pid": 2**22 + 1}))
    assert house.address() is None


def test_a_torn_address_is_none(tmp_path: Path) -> None:
    (tmp_path / folder.ADDRESS).write_text('{"url": "http')
    assert Folder(tmp_path).address() is None


@pytest.mark.parametrize("kind", ["embedded", "kafka"])
def test_a_house_whose_log_is_gone_does_not_begin_anew(tmp_path: Path, kind: LogKind) -> None:
    house = Folder(tmp_path)
    log, broker = house.log / FILE, house.kafka / DATA
    house.check_log(kind)
    house.note_log(kind)
    with pytest.raises(LogFault, match=f"log is gone from {log if kind == 'embedded' else broker}"):
        house.check_log(kind)
    house.log.mkdir()
    log.write_bytes(b"")
    with pytest.raises(LogFault, match="put it back, or remove"):
        house.check_log(kind)
    log.write_bytes(b"records")
    broker.mkdir(parents=True)
    (house.kafka / PORT_FILE).write_text("1 2")
    house.check_log(kind)


def test_each_checkout_has_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAHRAT_DATA", raising=False)
    assert default_folder() == folder.CHECKOUT / ".sahrat"
    monkeypatch.setenv("SAHRAT_DATA", str(tmp_path))
    assert default_folder() == tmp_path
