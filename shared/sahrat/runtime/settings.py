"""The settings of a process, all from its environment, read once at its start.

No setting enters a decision about a match; that depends on the log and the match's key alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from pydantic import SecretStr

from sahrat.runtime.secret_files import BadSecret, read_secret

LogForm = Literal["json", "console"]
LogLevel = Literal["debug", "info", "warning", "error"]

PORT_LIMIT: Final = 65_535
PAUSE_LIMIT_MS: Final = 14_000  # below the shortest usual step; a longer pause is a step missed
RATE_LIMIT: Final = 1_000_000  # in effect none: the bench's

DATA: Final = "SAHRAT_DATA"
KAFKA: Final = "SAHRAT_KAFKA"
KAFKA_FLUSH: Final = "SAHRAT_KAFKA_FLUSH"
POSTGRES: Final = "SAHRAT_POSTGRES"
MASTER_KEYS: Final = "SAHRAT_MASTER_KEYS"
GATEWAY_KEYS: Final = "SAHRAT_GATEWAY_KEYS"
JSON: Final = "_JSON"  # the same keys as text instead of in a file
NAME: Final = "SAHRAT_NAME"
HOST: Final = "SAHRAT_HOST"
PORT: Final = "SAHRAT_PORT"
HEALTH_PORT: Final = "SAHRAT_HEALTH_PORT"
LOG_LEVEL: Final = "SAHRAT_LOG_LEVEL"
LOG_FORM: Final = "SAHRAT_LOG_FORM"
BOT_PAUSE_MS: Final = "SAHRAT_BOT_PAUSE_MS"
RATE: Final = "SAHRAT_RATE"
ORIGINS: Final = "SAHRAT_ORIGINS"
WELCOME: Final = "SAHRAT_WELCOME"
SUPERVISED: Final = "SAHRAT_SUPERVISED"


class BadSetting(Exception):
    """A setting is missing or wrong; the message is one line that names it."""


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where a worker's keys are; read only by the worker that needs them.

    Attributes:
        name: The variable that would name their file.
        path: The file, or None when the text is given or nothing is.
        text: The text itself, or None.
    """

    name: str
    path: Path | None = None
    text: SecretStr | None = None

    @property
    def place(self) -> str:
        """Where somebody would look for what is wrong with the keys: their file, or variable."""
        return str(self.path) if self.text is None and self.path else f"{self.name}{JSON}"

    def read(self) -> SecretStr:
        """Return the keys' text.

        Raises:
            BadSetting: There is none, or the file may be read by others.
        """
        if self.text is not None:
            return self.text
        if self.path is None:
            raise BadSetting(f"no keys: set {self.name} to their file, or {self.name}{JSON}")
        try:
            return read_secret(self.path)
        except BadSecret as fault:
            raise BadSetting(f"{self.name}: {fault}") from None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a process was told.

    Attributes:
        name: What its logs and its health page call it; empty: by its worker's name.
        data: The house's folder, or None.
        kafka: The broker's address, `host:port[,host:port ..]`.
        kafka_flush: Whether topics made on fewer than three brokers have every record on the disk
            before it is acknowledged.
        postgres: The database's DSN.
        master_keys: The keys that match secrets come from; the rules worker's alone.
        gateway_keys: The keys of tokens and accounts; the gateway's alone.
        host: Where the gateway listens.
        port: The gateway's port; 0: any free one.
        health_port: The port of `/health` and `/metrics` on 127.0.0.1; 0: any free one.
        log_level: The lowest level that is written.
        log_form: One JSON object a line, or for people; None: for people on a terminal.
        bot_pause_ms: How long a bot thinks, in ms.
        rate: Messages a second that a socket and a player may send.
        origins: Of pages on other hosts that may connect to the gateway: `https://play.example`.
        welcome: Whether new players are given coins to try coin tables with, which is for
            development alone; None: not said.
        supervised: Whether the end of standard input means that the supervisor is gone.
    """

    name: str = ""
    data: Path | None = None
    kafka: str | None = None
    kafka_flush: bool = False
    postgres: SecretStr | None = None
    master_keys: KeySource = KeySource(MASTER_KEYS)
    gateway_keys: KeySource = KeySource(GATEWAY_KEYS)
    host: str = "127.0.0.1"
    port: int = 8000
    health_port: int = 0
    log_level: LogLevel = "info"
    log_form: LogForm | None = None
    bot_pause_ms: int = 1_000
    rate: int = 20
    origins: tuple[str, ...] = ()
    welcome: bool | None = None
    supervised: bool = False

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings.

        Raises:
            BadSetting: One is of the wrong kind or out of bounds. Missing ones are found by
                whoever needs them: `need_kafka`, `KeySource.read`.
        """
        read = _Environment(environment)
        return cls(
            name=read.text(NAME) or "",
            data=read.path(DATA),
            kafka=read.text(KAFKA),
            kafka_flush=read.text(KAFKA_FLUSH) == "1",
            postgres=read.secret(POSTGRES),
            master_keys=read.keys(MASTER_KEYS),
            gateway_keys=read.keys(GATEWAY_KEYS),
            host=read.text(HOST) or "127.0.0.1",
            port=read.number(PORT, PORT_LIMIT, 8000),
            health_port=read.number(HEALTH_PORT, PORT_LIMIT, 0),
            log_level=read.level(),
            log_form=read.form(),
            bot_pause_ms=read.number(BOT_PAUSE_MS, PAUSE_LIMIT_MS, 1_000),
            rate=read.number(RATE, RATE_LIMIT, 20, least=1),
            origins=tuple((read.text(ORIGINS) or "").split()),
            welcome=read.choice(WELCOME),
            supervised=read.text(SUPERVISED) == "1",
        )

    def need_kafka(self) -> str:
        """Return the broker's address. Raises BadSetting when there is none."""
        if self.kafka is None:
            raise BadSetting(f"no broker: set {KAFKA} to its address, host:port")
        return self.kafka

    @property
    def dsn(self) -> str | None:
        """The database's DSN in plain text, which may hold a password; None for no database."""
        return None if self.postgres is None else self.postgres.get_secret_value()


class _Environment:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._values = environment

    def text(self, name: str) -> str | None:
        """Return a variable's value; one that is empty counts as not set."""
        return self._values.get(name, "").strip() or None

    def path(self, name: str) -> Path | None:
        value = self.text(name)
        return None if value is None else Path(value).expanduser().resolve()

    def secret(self, name: str) -> SecretStr | None:
        value = self.text(name)
        return None if value is None else SecretStr(value)

    def keys(self, name: str) -> KeySource:
        source = KeySource(name, self.path(name), self.secret(f"{name}{JSON}"))
        if source.path is not None and source.text is not None:
            raise BadSetting(f"{name} and {name}{JSON} are both set: which one counts?")
        return source

    def number(self, name: str, most: int, default: int, *, least: int = 0) -> int:
        value = self.text(name)
        if value is None:
            return default
        if not (value.isascii() and value.isdecimal() and least <= int(value) <= most):
            raise BadSetting(f"{name} is no whole number from {least} to {most}")
        return int(value)

    def choice(self, name: str) -> bool | None:
        value = self.text(name)
        if value not in (None, "0", "1"):
            raise BadSetting(f"{name} is neither 1 nor 0")
        return None if value is None else value == "1"

    def level(self) -> LogLevel:
        value = (self.text(LOG_LEVEL) or "info").lower()
        for known in get_args(LogLevel):
            if value == known:
                level: LogLevel = known
                return level
        raise BadSetting(f"{LOG_LEVEL} is none of {', '.join(get_args(LogLevel))}")

    def form(self) -> LogForm | None:
        value = self.text(LOG_FORM)
        for known in get_args(LogForm):
            if value == known:
                form: LogForm = known
                return form
        if value is not None:
            raise BadSetting(f"{LOG_FORM} is none of {', '.join(get_args(LogForm))}")
        return None
