"""A house's folder: what it keeps there, whose it is, and where the house that uses it answers."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from sahrat.log.port import LogFault
from sahrat.log.sqlite_file import FILE
from services.house.local import lock
from services.house.local.kafka import DATA, PORT_FILE
from services.house.local.process import exists, write_whole

LOCK: Final = "house.lock"
ADDRESS: Final = "address.json"
CHECKOUT: Final = Path(__file__).resolve().parents[2]
DEFAULT_NAME: Final = ".sahrat"
SUFFIX: Final = ".token"  # of an operator's file

LogKind = Literal["embedded", "kafka"]


class Address(BaseModel):
    """Where a running house answers, as it stands in its folder.

    Attributes:
        url: The gateway's address, without a slash at its end.
        urls: All gateways' addresses.
        pid: The process that was started as `sahrat run`.
        log: Where its log is.
        health: The page that says how each part is.
        kafka: The broker's address, if there is one.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    urls: tuple[str, ...]
    pid: int
    log: LogKind
    health: str
    kafka: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths in a house's folder."""

    path: Path

    @property
    def log(self) -> Path:
        """The embedded log's folder."""
        return self.path / "log"

    @property
    def master_keys(self) -> Path:
        """The file with the keys that match secrets come from."""
        return self.path / "keys" / "master.json"

    @property
    def gateway_keys(self) -> Path:
        """The file with the keys of tokens and accounts."""
        return self.path / "keys" / "gateway.json"

    @property
    def operators(self) -> Path:
        """The folder with operators' tokens, a file each: their names with `SUFFIX` at the end."""
        return self.path / "operators"

    def token(self, name: str) -> Path:
        """Return the file of an operator's token."""
        return self.operators / f"{name}{SUFFIX}"

    @property
    def kafka(self) -> Path:
        """The local broker's folder."""
        return self.path / "kafka"

    def postgres(self, kind: LogKind) -> Path:
        """The folder of the local database with what was read of such a log. Each log has its own:
        the read models of one are no models of another.
        """
        return self.path / f"postgres-{kind}"

    @property
    def run(self) -> Path:
        """The folder with a note of each process that was started for this house."""
        return self.path / "run"

    def has_log(self) -> bool:
        """Return whether an embedded house has begun to keep a log here."""
        return (self.log / FILE).exists()

    def has_broker(self) -> bool:
        """Return whether a broker of a house's own has begun to keep topics here. Somebody else's
        broker may lie in a folder of this name: it notes its ports elsewhere.
        """
        return (self.kafka / DATA).exists() and (self.kafka / PORT_FILE).exists()

    def check_log(self, kind: LogKind) -> None:
        """Raise LogFault if the log that was begun here is gone: on an empty one the house would
        start as if nobody had ever played.
        """
        if kind == "embedded":
            place = self.log / FILE
            there = self.has_log() and place.stat().st_size > 0
        else:
            place, there = self.kafka / DATA, self.has_broker()
        if self._begun(kind).exists() and not there:
            raise LogFault(
                f"this house's log is gone from {place}: put it back, or remove {self.path} to "
                "begin anew"
            )

    def note_log(self, kind: LogKind) -> None:
        """Note that the log of this house is one of such a kind from now on. Raises OSError."""
        self._begun(kind).touch()

    def last_log(self) -> LogKind | None:
        """Return which log the last house here had; None for none yet."""
        begun: dict[LogKind, int] = {}
        for kind in get_args(LogKind):
            with suppress(FileNotFoundError):
                begun[kind] = self._begun(kind).stat().st_mtime_ns
        return max(begun, key=begun.__getitem__, default=None)

    def _begun(self, kind: LogKind) -> Path:
        return self.path / f"{kind}.begun"

    def hold(self) -> lock.Hold:
        """Take the folder for this house alone, until this process ends; made if missing.

        Raises:
            Busy: Another house runs on it.
            OSError: It can't be made or written to.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return lock.hold(self.path, LOCK)

    def publish(self, address: Address) -> None:
        """Say where the house answers. Raises OSError."""
        write_whole(self.path / ADDRESS, orjson.dumps(address.model_dump()).decode() + "\n")

    def unpublish(self) -> None:
        """Say that the house answers no more. Raises OSError."""
        (self.path / ADDRESS).unlink(missing_ok=True)

    def address(self) -> Address | None:
        """Return where the house that runs on this folder answers; None if none does."""
        try:
            found = Address.model_validate_json((self.path / ADDRESS).read_bytes())
        except (OSError, ValidationError):
            return None
        return found if exists(found.pid) else None  # it may have been killed


def default_folder() -> Path:
    """Return the folder of a house that was given none: in the checkout, so each has its own."""
    named = os.environ.get("SAHRAT_DATA", "").strip()
    if named:
        return Path(named).expanduser().resolve()
    root = CHECKOUT if (CHECKOUT / "pyproject.toml").exists() else Path.cwd()
    return root / DEFAULT_NAME
