"""One process at a time has a folder, and its death gives it back."""

import logging
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

import pytest

from services.house.local.lock import Busy, hold, wait_for

HOLDER: Final = """
import sys, time
from pathlib import Path
from services.house.local.lock import hold
taken = hold(Path(sys.argv[1]))
print("taken", flush=True)
time.sleep(600)
"""


def test_a_folder_is_held_by_one_process_and_its_death_gives_it_back(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "when missing"
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "taken\n"
        with pytest.raises(Busy, match=f"process {holder.pid}$"):
            hold(folder)
        holder.kill()
        holder.wait()
        hold(folder).release()


def test_a_second_hold_in_one_process_is_refused_too(tmp_path: Path) -> None:
    with hold(tmp_path):
        with pytest.raises(Busy):
            hold(tmp_path)
        hold(tmp_path, "another purpose").release()
    with hold(tmp_path) as again:
        again.release()
        again.release()


def test_who_waits_says_for_what(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, done = tmp_path / "made" / "lock", threading.Event()

    def wait() -> None:
        with wait_for(path, "the other is fetching"):
            done.set()

    waiter = threading.Thread(target=wait)
    with caplog.at_level(logging.WARNING), wait_for(path, "nobody is"):
        waiter.start()
        while "the other is fetching" not in caplog.text:
            time.sleep(0.01)
        assert not done.is_set()
    waiter.join()
    assert done.is_set()
    assert "nobody is" not in caplog.text
