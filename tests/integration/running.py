"""`sahrat run` as a process of its own, as a person starts it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.integration.phone import Frame, Phone

READY_S: Final = 30.0  # what the house promises
PATIENCE: Final = 8  # on a machine that also runs other tests
GONE_S: Final = 60.0
POLL_S: Final = 0.05
WAIT_S: Final = 60.0
BUSY_S: Final = 120.0  # a machine that also runs other tests may leave the house behind


class Running:
    """One start of a house.

    Attributes:
        url: Where it says that it is.
        ready_s: How long it took until it said so.
        log: What it has written to standard error so far.
    """

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        begun = time.monotonic()
        settings = {"SAHRAT_LOG_FORM": "json", **environment}
        ours = {name: text for name, text in os.environ.items() if not name.startswith("SAHRAT_")}
        self.data = data
        self.log: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "services.house", "run", "--data", str(data), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**ours, **settings},
        )
        self._drain = threading.Thread(target=self._read, daemon=True)
        self._drain.start()
        giving_up = threading.Timer(PATIENCE * READY_S, self._give_up)
        giving_up.daemon = True
        giving_up.start()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        giving_up.cancel()  # or the tests would not end before its time
        self.ready_s = time.monotonic() - begun
        assert line.startswith("Sahrat is at http://"), f"{line!r}; {self.said()}"
        self.url = line.split()[-1]

    @property
    def address(self) -> dict[str, Any]:
        """What its folder says about it."""
        return dict(json.loads((self.data / "address.json").read_bytes()))

    def said(self) -> str:
        """Return its last lines."""
        return "\n".join(self.log[-20:])

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.wait(GONE_S)

    def stop(self) -> tuple[int, float]:
        """Tell it to end, by SIGTERM; return its exit code, and the seconds that it took."""
        begun = time.monotonic()
        self.process.terminate()
        code = self.process.wait(GONE_S)
        self._drain.join(GONE_S)
        return code, time.monotonic() - begun

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.rstrip())

    def _give_up(self) -> None:
        if not hasattr(self, "url") and self.process.poll() is None:
            self.process.kill()


@contextlib.contextmanager
def running(data: Path, *options: str, **environment: str) -> Iterator[Running]:
    """Run a house; whatever happens it is not left behind."""
    house = Running(data, *options, **environment)
    try:
        yield house
    finally:
        house.process.kill()
        house.process.wait(GONE_S)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Make a house's folder in one that every user may enter, as pytest's own is not: a database's
    plain user then has its data there too, and nothing of it stays.
    """
    with tempfile.TemporaryDirectory(prefix="sahrat-", ignore_cleanup_errors=True) as name:
        path = Path(name).resolve()
        path.chmod(0o755)
        data = path / "house"
        data.mkdir(mode=0o755)
        yield data


def processes(data: Path) -> list[str]:
    """Return the command lines of all processes that work for the house on a folder."""
    listed = subprocess.run(
        ["ps", "-ww", "-A", "-o", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    found: list[str] = []
    for line in listed.splitlines():
        pid, _, command = line.strip().partition(" ")
        try:
            works_here = Path(f"/proc/{pid}/cwd").readlink().is_relative_to(data)
        except OSError:
            works_here = False
        if works_here or str(data) in command:
            found.append(line)
    return found


def gone(data: Path, limit_s: float = GONE_S) -> list[str]:
    """Wait until nobody works on a folder any more; return who still does."""
    deadline = time.monotonic() + limit_s
    while (left := processes(data)) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return left


async def get(url: str) -> tuple[int, bytes]:
    """Return a page's status and text."""
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return answer.status, await answer.read()


async def open_table(url: str) -> tuple[Phone, str]:
    """Come as a new guest and open a table for four; return the phone and the match."""
    phone = Phone(url)
    await phone.register("Salim")
    await phone.connect()
    deadline = time.monotonic() + BUSY_S
    while True:
        intent = await phone.wish("open", game="ludo", options={"players": 4, "fill_seconds": 60})
        answer = await phone.until(partial(_answers, intent), WAIT_S)
        if "type" not in answer:
            return phone, answer["match_id"]
        assert answer["reason"] == "house_busy", answer
        assert time.monotonic() < deadline, answer
        await asyncio.sleep(1)


def _answers(intent_id: str, frame: Frame) -> bool:
    if "type" not in frame:
        return bool(frame["caused_by"]["intent_id"] == intent_id)
    return bool(frame["type"] == "refused" and frame["intent_id"] == intent_id)


async def come_back(url: str, phone: Phone, match_id: str) -> Phone:
    """Come back as the same player to a match that he has a seat in, from where he was."""
    again = Phone(url)
    again.token, again.player_id = phone.token, phone.player_id
    await again.connect(sign_in=False)
    await again.send(type="sign_in", token=phone.token)
    signed_in = await again.until(lambda frame: frame.get("type") == "signed_in", WAIT_S)
    assert signed_in["player_id"] == phone.player_id
    assert signed_in["matches"] == [match_id]
    seq, digest = again.seen[match_id] = phone.seen[match_id]
    await again.send(type="watch", match_id=match_id, seq=seq)
    watching = await again.until(lambda frame: frame.get("type") == "watching", WAIT_S)
    assert (watching["seq"] >= seq, len(digest)) == (True, 64)
    return again
