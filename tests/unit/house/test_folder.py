import os
from pathlib import Path

import pytest

from services.house import folder
from services.house.folder import Address, Folder, default_folder
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


def test_each_checkout_has_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAHRAT_DATA", raising=False)
    assert default_folder() == folder.CHECKOUT / ".sahrat"
    monkeypatch.setenv("SAHRAT_DATA", str(tmp_path))
    assert default_folder() == tmp_path
