"""Where this machine has a Chromium."""

from __future__ import annotations

import os
from shutil import which
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Return the program; None where there is none."""
    return next(filter(None, map(which, NAMES)), None)


def arguments() -> list[str]:
    """Return what it is started with: its sandbox refuses root, and the pages are the project's."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []
