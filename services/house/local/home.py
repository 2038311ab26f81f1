"""Where root's data folders lie when the plain user cannot reach the folder they belong to."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from services.house.local.account import common_folder, public_folder
from services.house.local.cluster import Cluster
from services.house.local.errors import LocalError
from services.house.local.lock import Busy, hold
from services.house.local.process import write_whole

if TYPE_CHECKING:
    from services.house.local.account import Account
    from services.house.local.binaries import Binaries

_logger = logging.getLogger(__name__)

HOMES: Final = "postgres"
MARK: Final = "mark"
OWNER: Final = "folder"
SWEEP_LOCK: Final = "sweep.lock"
DATA: Final = "data-*"


def home_of(folder: Path) -> Path:
    """Return the home of the database that belongs to `folder`, made if missing.

    Its name is a hash of the folder's path and a random mark that lies in the folder. So a folder
    that was removed and made again, moved or copied gets a new database, which is then filled from
    the start of the topics.

    Raises:
        LocalError: The common folder is not root's alone.
        OSError: A folder cannot be written to.
    """
    with contextlib.suppress(FileExistsError), (folder / MARK).open("x") as file:
        file.write(secrets.token_hex(4))
    home = public_folder(_homes() / _name(folder))
    write_whole(home / OWNER, str(folder))
    return home


def sweep(binaries: Binaries, account: Account) -> None:
    """Remove the homes whose folders are gone, ending the servers that still run in them.

    What lies there is read models, which are rebuilt from the topics. A home that cannot be
    removed is no reason not to start: it is told and left. One process sweeps at a time.

    Raises:
        OSError: The common folder cannot be read.
    """
    with contextlib.suppress(Busy), hold(_homes(), SWEEP_LOCK):
        for home in sorted(_homes().iterdir()):
            owner = home / OWNER
            if not owner.exists() or home.name == _name(Path(_text(owner))):
                continue
            try:
                with hold(home):
                    _logger.info("removing %s: its folder is gone", home)
                    for data in home.glob(DATA):
                        Cluster(data, binaries, account).stop()
                    shutil.rmtree(home)
            except Busy:  # its owner still runs
                continue
            except (LocalError, OSError) as fault:
                _logger.warning("cannot remove %s, whose folder is gone: %s", home, fault)


def _homes() -> Path:
    return public_folder(common_folder() / HOMES)


def _name(folder: Path) -> str:
    try:
        mark = _text(folder / MARK)
    except OSError:
        mark = "gone"
    return f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}-{mark}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")
