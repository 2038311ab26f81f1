"""The files of the project as the tidy tests see them: tracked ones, and new ones not ignored."""

import ast
import functools
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LOCKS: Final = ("deploy/requirements.lock", "deploy/requirements-dev.lock")


@functools.cache
def files(*suffixes: str) -> tuple[Path, ...]:
    """Return the project's files with one of the suffixes, or all of them; sorted."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    paths = {ROOT / name for name in listed.split("\0") if name}
    return tuple(
        path
        for path in sorted(paths)
        if path.is_file() and (not suffixes or path.suffix in suffixes)
    )


@functools.cache
def texts(*suffixes: str) -> tuple[tuple[str, str], ...]:
    """Return (name from the root, text) of the files that are text."""
    found: list[tuple[str, str]] = []
    for path in files(*suffixes):
        data = path.read_bytes()
        if b"\0" not in data:
            found.append((path.relative_to(ROOT).as_posix(), data.decode(errors="replace")))
    return tuple(found)


@functools.cache
def parsed(name: str) -> ast.Module:
    """Return the syntax tree of a Python file, named from the root."""
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), filename=name)
