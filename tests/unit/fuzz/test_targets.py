"""Hostile input in small: what was found once, each target for a moment, and that faults are seen
(F15, F16, T24). `make fuzz` goes on for as long as one likes.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from tests.fuzz import cases, workers
from tests.fuzz.__main__ import main
from tests.fuzz.mutate import SOUND, UNSOUND, Mutator, chained
from tests.fuzz.search import Current, Search, Slow
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS, begins_with

MUTANTS = 25


@pytest.mark.parametrize("name", TARGETS)
def test_T24_no_input_does_what_none_may(name: str) -> None:
    """All that every run begins with, and some that are like it."""
    search = Search(TARGETS[name], 1, Current())
    search.begin()
    for _ in range(MUTANTS):
        search.keep(search.mutate(search._pick()))
    assert search.ended().findings == []


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, found in cases.FOUND.items() for case in found]
)
def test_T24_what_was_found_once_is_refused(name: str, case: str) -> None:
    """And in time: each took a hundred times as long as now, or raised."""
    data, begun = cases.FOUND[name][case], time.process_time()
    said = TARGETS[name].run(data)
    assert "taken" not in said
    assert "fits" not in said
    assert time.process_time() - begun < 1


def test_every_target_has_inputs_that_it_takes() -> None:
    """Else all that is fed is refused at the door."""
    taken = {"token": "a player", "bookmark": "Horizon", "snapshot": "loaded", "verify": "fits"}
    for name, target in TARGETS.items():
        if name in {"gateway", "rules", "ledger", "book", "readers"}:
            continue
        words = [target.run(data) for data in target.seeds()]
        assert any(taken.get(name, "taken") in word or "named" in word for word in words), name


# ---- faults are seen


def planted(run: Callable[[bytes], str], **more: Any) -> Target:
    return Target("planted", "a fault", lambda: [b'{"a":1,"b":[1,2]}'], run, **more)


def test_an_exception_is_a_finding_once() -> None:
    def run(data: bytes) -> str:
        raise LookupError(data[:1].decode("latin-1"))

    search = Search(planted(run), 1, Current())
    search.begin()
    search.keep(b"other")
    (found,) = search.found.findings
    assert found.what.startswith("LookupError at test_targets.py")
    assert found.data == b'{"a":1,"b":[1,2]}'


def test_an_input_that_takes_far_too_long_is_a_finding() -> None:
    def run(data: bytes) -> str:
        until_s = time.thread_time() + (0.05 if data == b"slow" else 0)
        while time.thread_time() < until_s:
            pass
        return ""

    search = Search(planted(run), 1, Current())
    for _ in range(300):
        search.keep(b"x")
    search.keep(b"slow")
    (found,) = search.found.findings
    assert found.key.startswith(Slow.__name__)
    assert found.data == b"slow"


def test_of_structures_the_shortest_is_found() -> None:
    def run(data: bytes) -> str:
        if len(data) > 3:
            raise ValueError
        return ""

    search = Search(planted(run, structure=lambda: st.binary(max_size=50)), 1, Current())
    search.structured(0.1)
    (found,) = search.found.findings
    assert found.data == bytes(4)


def test_a_process_that_dies_is_a_finding_with_its_input() -> None:
    def run(data: bytes) -> str:
        if data != begins_with(target)[0]:
            os._exit(7)
        return ""

    target = planted(run)
    (worker,) = workers.run([target], 1, 1, guide=False)
    assert worker.exited == 7
    assert worker.found is not None
    (found,) = worker.found.findings
    assert (found.target, found.key) == ("planted", "exit")
    assert found.data not in {b"", begins_with(target)[0]}


def test_a_sound_target_ends_by_itself() -> None:
    (worker,) = workers.run([planted(lambda _: "word")], 1, 0.5, guide=False)
    assert worker.exited is None
    assert worker.found is not None
    assert worker.found.executions["mutation"] > 100
    assert worker.found.findings == []


def test_a_finding_is_fed_again_by_its_file(tmp_path: Any) -> None:
    path = tmp_path / "pulse-0123"
    path.write_bytes(b"{")
    said = CliRunner().invoke(main, ["--replay", str(path)])
    assert said.output.startswith("pulse: json-invalid")
    other = tmp_path / "nothing-0123"
    other.write_bytes(b"")
    assert CliRunner().invoke(main, ["--replay", str(other)]).exit_code == 2


# ---- what is fed


def test_mutants_are_the_same_for_the_same_seed_and_mostly_sound() -> None:
    target, sound = TARGETS["intent"], 0
    found = []
    for _ in range(2):
        search = Search(target, 7, Current())
        search._corpus = begins_with(target)
        found.append([search.mutate(search._pick()) for _ in range(300)])
    assert found[0] == found[1]
    sound = sum("json-invalid" not in target.run(data) for data in found[0])
    assert sound > 100


def test_lines_of_a_chain_are_made_to_fit() -> None:
    data = TARGETS["verify"].seeds()[0]
    lines = data.split(b"\n")
    changed = b"\n".join([lines[0].replace(b"p0", b"q0"), *lines[1:]])
    said = TARGETS["verify"].run
    assert said(changed) != said(chained(changed))
    assert chained(data) == data


def test_hostile_pieces_are_what_they_say() -> None:
    mutator = Mutator(random.Random(1), most_bytes=10)
    assert len(mutator.mutate(b"x" * 50, b"y" * 50)) <= 10
    assert not {*SOUND} & {*UNSOUND}
