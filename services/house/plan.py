"""What `sahrat run` was asked for, and what both ways to run have in common."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from sahrat.runtime.secret_files import BadSecret, make_secret
from sahrat.runtime.settings import BadSetting, KeySource, LogForm, Settings
from services.house.folder import Folder

PORT: Final = 8000
IPV4: Final = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """How the house is to run.

    Attributes:
        folder: What it keeps its data in.
        settings: From the environment, with the command line's options in place of them.
        port: The gateway's port if one was asked for; else `PORT`, or a free one if that is taken.
        workers: How many processes of a worker, by name, where it is not one.
        open: Whether to show the address in a browser.
    """

    folder: Folder
    settings: Settings
    port: int | None = None
    workers: Mapping[str, int] = field(default_factory=dict)
    open: bool = False

    @property
    def form(self) -> LogForm:
        """How its logs are written."""
        return self.settings.log_form or ("console" if sys.stderr.isatty() else "json")


def listen_port(host: str, port: int | None) -> int:
    """Return the port that the gateway is to have.

    Raises:
        BadSetting: The one that was asked for is taken, or `host` is no address of this machine.
    """
    for wanted in (PORT, 0) if port is None else (port,):
        found = _try(host, wanted)
        if found is not None:
            return found
    raise BadSetting(f"port {port} on {host} is taken: choose another with --port, or leave it out")


def why_other_port(asked: int | None, found: int) -> str:
    """Return why the gateway has another port than usual; empty where it has that one, or was to
    have another.
    """
    if asked is not None or found == PORT:
        return ""
    return f"port {PORT} is taken, so a free one is used: --port chooses one"


def _try(host: str, port: int) -> int | None:
    try:
        with socket.create_server((host, port), family=_family(host)) as probe:
            found: int = probe.getsockname()[1]
            return found
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            return None
        raise BadSetting(f"can't listen on {host} port {port}: {fault.strerror}") from None


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def url_of(host: str, port: int) -> str:
    """Return the address at which a browser on this machine finds the gateway."""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return f"http://{host}:{port}"
    if address.is_unspecified:  # every address of this machine, so its own too
        address = ip_address("127.0.0.1" if address.version == IPV4 else "::1")
    return f"http://{address}:{port}" if address.version == IPV4 else f"http://[{address}]:{port}"


def with_welcome(plan: Plan) -> Plan:
    """Return the plan of a development set-up, if it is one: a house on keys of its own, whose new
    players are given coins. Others give them nothing, unless they are told to.
    """
    settings = plan.settings
    named = (settings.master_keys, settings.gateway_keys)
    own = all(source.path is None and source.text is None for source in named)
    if settings.welcome is not None or not own:
        return plan
    return replace(plan, settings=replace(settings, welcome=True))


def keys_for(plan: Plan, named: KeySource, path: Path, make: Callable[[], SecretStr]) -> KeySource:
    """Return where a worker's keys are: as named, or in the house's folder, made at first start.

    Args:
        plan: How the house runs.
        named: What the settings say.
        path: The file in the folder.
        make: Returns the text of new keys.

    Raises:
        BadSetting: The file can't be written; or it is gone while a log is there, whose matches and
            players would be lost with new keys.
    """
    if named.path is not None or named.text is not None:
        return named
    if not path.exists():
        if plan.folder.has_log() or plan.folder.has_broker():
            raise BadSetting(
                f"{path} is missing, and what is in {plan.folder.path} needs it: put it back, or "
                f"set {named.name}, or begin anew with another --data"
            )
        try:
            make_secret(path, make())
        except BadSecret as fault:
            raise BadSetting(str(fault)) from None
    return replace(named, path=path)
