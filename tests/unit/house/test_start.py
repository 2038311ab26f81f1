"""Every command starts from nothing: it loads all that it needs itself."""

import pkgutil
import subprocess
import sys

import pytest

from services.house import commands

NAMES = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_starts_in_a_python_of_its_own(name: str) -> None:
    begun = [sys.executable, "-m", "services.house", name, "--help"]
    done = subprocess.run(begun, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: sahrat {name} ")
