"""Kafka's classes, loaded once: the file is whole or not there, and nobody waits for it twice."""

from pathlib import Path

import pytest

from services.house.local.classes import shared_classes
from services.house.local.errors import LocalError


class Loader:
    """Stands in for the broker: writes what Java would as it ends."""

    def __init__(self, content: bytes | None, fault: LocalError | None = None) -> None:
        self.calls = 0
        self._content = content
        self._fault = fault

    def __call__(self, folder: Path, word: str) -> None:
        self.calls += 1
        flag, _, path = word.partition("=")
        assert flag == "-XX:ArchiveClassesAtExit"
        assert Path(path).parent == folder.parent, "never under its name before it is whole"
        if self._content is not None:
            Path(path).write_bytes(self._content)
        if self._fault:
            raise self._fault


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    (tmp_path / "kafka-1.2.3").mkdir()
    return tmp_path / "kafka-1.2.3"


@pytest.fixture
def java(tmp_path: Path) -> Path:
    (tmp_path / "java").write_bytes(b"one")
    return tmp_path / "java"


def made(jars: Path) -> list[Path]:
    return sorted(jars.parent.glob("*.jsa"))


def test_they_are_loaded_once_for_each_java(jars: Path, java: Path) -> None:
    load = Loader(b"classes")
    words = shared_classes(str(java), jars, load)
    (path,) = made(jars)
    assert path.read_bytes() == b"classes"
    assert words[0] == f"-XX:SharedArchiveFile={path}"
    assert shared_classes(str(java), jars, load) == words
    assert load.calls == 1
    java.write_bytes(b"another")
    assert shared_classes(str(java), jars, load) != words
    assert load.calls == 2


@pytest.mark.parametrize("fault", [None, LocalError("the broker did not come up")])
def test_where_none_come_of_it_a_broker_starts_without(
    jars: Path, java: Path, fault: LocalError | None
) -> None:
    load = Loader(None, fault)
    assert shared_classes(str(java), jars, load) == ()
    assert shared_classes(str(java), jars, load) == ()
    assert load.calls == 1


def test_what_was_begun_and_abandoned_is_cleared_away(jars: Path, java: Path) -> None:
    abandoned = jars.parent / ".loading-abc"
    abandoned.mkdir()
    shared_classes(str(java), jars, Loader(b"classes"))
    assert not abandoned.exists()
