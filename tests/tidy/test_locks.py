"""The locks hold what pyproject.toml asks for, by its hash, and nothing of where it is from."""

import re
import tomllib
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tidy import tree

PIN: Final = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;]+)", re.MULTILINE)


def _pins(lock: str) -> dict[str, str]:
    text = (tree.ROOT / lock).read_text(encoding="utf-8")
    return {canonicalize_name(name): version for name, version in PIN.findall(text)}


def _asked(*parts: str) -> list[Requirement]:
    """Return what the code imports, and what some groups and extras add."""
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    added = project["dependency-groups"] | project["project"]["optional-dependencies"]
    lines = list(project["project"]["dependencies"])
    for part in parts:
        lines += added[part]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize(
    ("lock", "parts"),
    [
        ("deploy/requirements.lock", ("build",)),
        ("deploy/requirements-dev.lock", ("build", "dev", "fast", "parquet")),
    ],
)
def test_the_lock_holds_what_is_asked_for(lock: str, parts: tuple[str, ...]) -> None:
    pins = _pins(lock)
    wrong = [
        str(asked)
        for asked in _asked(*parts)
        if not asked.specifier.contains(pins.get(canonicalize_name(asked.name), "0"))
    ]
    assert not wrong, f"run: make lock ({wrong})"


def test_both_locks_agree() -> None:
    run, development = (_pins(lock) for lock in tree.LOCKS)
    assert run.items() <= development.items()


@pytest.mark.parametrize("lock", [*tree.LOCKS, "deploy/requirements-fuzz.lock"])
def test_a_lock_has_pins_and_hashes_alone(lock: str) -> None:
    text = (tree.ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    bad = [line for line in lines if not PIN.match(line) or "--hash=sha256:" not in line]
    assert not bad
    assert "://" not in text
