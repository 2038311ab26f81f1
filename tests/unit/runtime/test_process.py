"""How a process ends: its code, its last line, and nothing after it."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sahrat.runtime.exits import Exit

WAIT_S = 60.0  # a start of Python on a busy machine

HEAD = """
import asyncio, sys
from sahrat.log.port import AppendFailed, LogFault
from sahrat.messages.codec import FromTheFuture
from sahrat.runtime import logs, process
from sahrat.runtime.settings import BadSetting
logs.configure("test", form="json")
"""
FAILS = """
async def work(stop):
    try:
        raise {failure}
    finally:
        print("handed over")
process.run(work)
"""
WAITS = """
async def work(stop):
    print("ready", flush=True)
    await stop.wait()
    {then}
process.run(work, supervised={supervised}, stop_limit_s={limit_s})
"""


def _start(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HEAD + script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        ("AppendFailed('not stored')", Exit.LOG),
        ("LogFault('away')", Exit.LOG),
        ("FromTheFuture('unknown', 'rules ludo/9')", Exit.NEWER),
        ("BadSetting('no keys')", Exit.USAGE),
        ("ExceptionGroup('x', [ValueError(1), LogFault('away')])", Exit.LOG),
        ("ValueError('a bug')", Exit.FAULT),
    ],
)
def test_a_failure_ends_with_its_code_and_one_line(failure: str, code: Exit) -> None:
    process = _start(FAILS.format(failure=failure))
    _, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == code
    (line,) = [json.loads(line) for line in err.splitlines()]
    assert line["level"] == "critical"
    assert line["exit"] == code
    assert ("exception" in line) == (code is Exit.FAULT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_it_hand_over_and_end_cleanly(number: signal.Signals) -> None:
    process = _start(WAITS.format(then="print('handed over')", supervised=False, limit_s=WAIT_S))
    _wait_ready(process)
    process.send_signal(number)
    out, _ = process.communicate(timeout=WAIT_S)
    assert (process.returncode, out) == (Exit.DONE, "handed over\n")


def test_who_does_not_stop_in_time_is_ended() -> None:
    process = _start(WAITS.format(then="await asyncio.sleep(600)", supervised=False, limit_s=1))
    _wait_ready(process)
    begun = time.monotonic()
    process.terminate()
    process.communicate(timeout=WAIT_S)
    assert process.returncode == Exit.SLOW
    assert time.monotonic() - begun > 0.9


def test_a_second_signal_ends_it_at_once() -> None:
    process = _start(
        WAITS.format(
            then="print('ready', flush=True); await asyncio.sleep(600)",
            supervised=False,
            limit_s=600,
        )
    )
    _wait_ready(process)
    process.terminate()
    _wait_ready(process)
    process.terminate()
    process.communicate(timeout=WAIT_S)  # far below the limit of a stop
    assert process.returncode == Exit.SLOW


def test_the_end_of_the_supervisor_is_a_signal_too() -> None:
    process = _start(WAITS.format(then="print('handed over')", supervised=True, limit_s=WAIT_S))
    _wait_ready(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.stdout is not None
    assert process.stdout.read() == "handed over\n"
    assert process.wait(WAIT_S) == Exit.DONE


def test_a_stuck_loop_does_not_outlive_the_supervisor() -> None:
    process = _start(
        WAITS.format(then="", supervised=True, limit_s=1).replace(
            "await stop.wait()", "import time; time.sleep(600)"
        )
    )
    _wait_ready(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(WAIT_S) == Exit.SLOW


def test_without_a_supervisor_a_closed_input_means_nothing(tmp_path: Path) -> None:
    process = _start(WAITS.format(then="", supervised=False, limit_s=WAIT_S))
    _wait_ready(process)
    assert process.stdin is not None
    process.stdin.close()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.5)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(WAIT_S) == Exit.DONE


@pytest.mark.parametrize(
    ("now", "most", "then"), [(100, 300, 300), (300, 300, 300), (100, 200_000, 65_536)]
)
def test_a_process_may_open_as_many_files_as_it_is_let(now: int, most: int, then: int) -> None:
    here = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if here != resource.RLIM_INFINITY and here < most:
        most, then = here, min(here, 65_536)
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({now}, {most}))
async def work(stop):
    print(resource.getrlimit(resource.RLIMIT_NOFILE))
process.run(work)
"""
    process = _start(script)
    out, err = process.communicate(timeout=WAIT_S)
    assert (out.strip(), err) == (str((then, most)), "")
