"""Whom a server runs as. PostgreSQL refuses to run as root, so for root it is a plain user.

That user often cannot reach the folders of root, and no permission of a folder that is not ours
is ever changed: what it needs lies in a common folder instead.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from services.house.local.errors import LocalError
from services.house.local.process import SHELL, Guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PLAIN_USERS: Final = ("postgres", "nobody")
# The first that can be made; in all of them only root can make anything.
COMMON_FOLDERS: Final = (Path("/var/lib/sahrat"), Path("/var/cache/sahrat"), Path("/srv/sahrat"))
PRIVATE: Final = 0o077
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
RUN_LIMIT_S: Final = 180.0  # initdb syncs 40 MB, and a crash recovery reads some hundreds


@dataclass(frozen=True)
class Account:
    """A user of this machine, or ourselves: then user and group are none."""

    name: str
    user: int | None = None
    group: int | None = None

    @property
    def uid(self) -> int:
        """The user id under which it runs."""
        return os.geteuid() if self.user is None else self.user

    def own(self, folder: Path) -> None:
        """Make a folder that this account alone can enter.

        Raises:
            OSError: It exists, or its parent cannot be written to.
        """
        folder.mkdir(mode=0o700)
        if self.user is not None and self.group is not None:
            os.chown(folder, self.user, self.group)

    def private(self, name: str) -> Path:
        """Return a folder with a short path that this account alone can enter, made if missing.

        Raises:
            LocalError: Somebody else has made it.
            OSError: It cannot be made.
        """
        if self.user is None:
            folder = Path(tempfile.gettempdir()) / f"sahrat-{self.uid}-{name}"
        else:
            folder = public_folder(common_folder() / "run") / name
        with contextlib.suppress(FileExistsError):
            self.own(folder)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != self.uid or found.st_mode & PRIVATE:
            raise LocalError(f"{folder} is not a folder of {self.name} alone: remove it")
        return folder

    def reaches(self, path: Path) -> bool:
        """Return whether the account can enter a folder or execute a file."""
        if self.user is None:
            return os.access(path, os.X_OK)
        probe = [SHELL, "-c", 'test -x "$1"', SHELL, str(path)]
        return self.run(probe, environment={}).returncode == 0

    def run(
        self, command: Sequence[str], *, environment: Mapping[str, str], folder: Path = Path("/")
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end and return its code and words, errors among the output.

        Args:
            command: The program's path and its arguments.
            environment: All of it, so that nothing of ours (secrets, PGOPTIONS) is passed on.
            folder: Where it works.

        Raises:
            LocalError: It cannot be started, or did not end in time.
        """
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                cwd=folder,
                env=environment,
                user=self.user,
                group=self.group,
                extra_groups=None if self.user is None else [],
                start_new_session=True,
                timeout=RUN_LIMIT_S,
                check=False,
            )
        except OSError as fault:
            raise LocalError(f"{command[0]} cannot run as {self.name}: {fault.strerror}") from fault
        except subprocess.TimeoutExpired:
            raise LocalError(f"{command[0]} did not end within {RUN_LIMIT_S:.0f} s") from None

    def guard(
        self, command: Sequence[str], *, environment: Mapping[str, str], keeps: Sequence[int]
    ) -> Guard:
        """Return a guard that runs the command as this account once we are gone."""
        return Guard(
            command, user=self.user, group=self.group, environment=environment, keeps=keeps
        )


def server_account() -> Account:
    """Return whom to run a server as: ourselves, or a plain user if we are root.

    Raises:
        LocalError: We are root and the machine has no plain user.
    """
    if os.geteuid() != 0:
        return Account(name="this user")
    for name in PLAIN_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise LocalError(f"PostgreSQL does not run as root, and there is no user {PLAIN_USERS}")


def common_folder() -> Path:
    """Return root's folder that every user can enter and only root can change; for root alone.

    Raises:
        LocalError: There is none, or one that somebody else could have filled.
    """
    for folder in COMMON_FOLDERS:
        try:
            public_folder(folder)
        except OSError:
            continue
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & OTHERS_WRITE:
            return folder
        raise LocalError(f"{folder} is not a folder of root's alone: remove it")
    raise LocalError(f"none of {[str(folder) for folder in COMMON_FOLDERS]} can be made")


def public_folder(folder: Path) -> Path:
    """Return a folder of ours that everybody can enter and only we can change, made if missing.

    One that exists is left as it is.

    Raises:
        OSError: It cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o755)  # just made: the mask of this process may have cut it
    return folder
