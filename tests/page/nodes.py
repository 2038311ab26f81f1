"""The page's pure modules, as node runs them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tests.servers import missing

VERIFY: Final = Path(__file__).with_name("verify_node.mjs")


def asked(driver: Path, work: str, given: Iterable[Any]) -> list[Any]:
    """Give a driver its lines, and return what it says to each."""
    node = shutil.which("node") or missing("node", "it runs the page's modules")
    lines = "".join(json.dumps(one) + "\n" for one in given)
    found = subprocess.run(
        [node, str(driver), work], input=lines, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]
