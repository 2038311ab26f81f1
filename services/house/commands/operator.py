"""`sahrat operator`: a token with which somebody may act for the house."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from sahrat.runtime.exits import Exit
from sahrat.runtime.secret_files import BadSecret, make_secret
from sahrat.runtime.settings import GATEWAY_KEYS, BadSetting, Settings
from services.gateway.accounts import OPERATOR_NAME
from services.gateway.keys import accounts
from services.house.folder import Folder, default_folder
from services.house.numbers import Whole
from services.house.problem import Problem

DAYS: Final = 7
MOST_DAYS: Final = 90
DAY_S: Final = 24 * 3600


@click.command(short_help="Make a token for somebody who acts for the house.")
@click.argument("name")
@click.option(
    "--days",
    type=Whole(1, MOST_DAYS),
    default=DAYS,
    show_default=True,
    help="How long the token is good.",
)
@click.option(
    "--renew",
    is_flag=True,
    help="Put it in the place of one that is there; that one stays good for its days.",
)
@click.option(
    "--file",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it.  [default: operators/NAME.token in the folder]",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The house's folder, whether it runs or not.  [default: .sahrat in the checkout]",
)
def command(name: str, days: int, renew: bool, path: Path | None, data: Path | None) -> int:
    """Make a token for an operator, who may stop matches and grant coins: his name stands in the
    log with each of them.

    It is written into a file that its owner alone can read, and shown nowhere. Whoever can read the
    gateway's keys (the folder's, or those that SAHRAT_GATEWAY_KEYS names) can make one. It can't be
    taken back before its days are over, other than by new keys: keep them few.
    """
    if re.fullmatch(OPERATOR_NAME, name) is None:
        raise Problem(
            f"{name[:60]} is no operator's name: small letters, digits, - and _, a letter first, "
            "40 at most"
        )
    folder = Folder((data or default_folder()).resolve())
    now_s = int(time.time())
    try:
        found = accounts(_with_keys(Settings.read(), folder))
        token = found.operator_token(name, now_s * 1000, days * DAY_S)
        file = (path or folder.token(name)).resolve()
        if path is not None and not file.parent.is_dir():
            raise Problem(f"--file {path}: there is no folder {file.parent}")
        if not make_secret(file, token, replace=renew):
            raise Problem(f"{file} is there already: --renew puts a new token in its place")
    except (BadSetting, BadSecret) as fault:
        raise Problem(str(fault)) from None
    end = datetime.fromtimestamp(now_s + days * DAY_S, UTC)
    click.echo(f"{name} may act for the house until {end:%Y-%m-%d %H:%M} UTC: {file}")
    return Exit.DONE


def _with_keys(settings: Settings, folder: Folder) -> Settings:
    """Return the settings with the folder's keys, where they name none."""
    named = settings.gateway_keys
    if named.path is not None or named.text is not None:
        return settings
    if not folder.gateway_keys.exists():
        raise Problem(
            f"no keys in {folder.path}: start a house there with `sahrat run`, name another with "
            f"--data, or set {GATEWAY_KEYS}"
        )
    return replace(settings, gateway_keys=replace(named, path=folder.gateway_keys))
