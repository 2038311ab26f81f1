"""What is fed, what it may answer, and what is a finding."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hypothesis import strategies as st

from sahrat.messages.topics import RECORD_LIMIT_BYTES

ROOT: Final = Path(__file__).resolve().parents[2]
HARNESS: Final = Path(__file__).resolve().parent
MESSAGE_BYTES: Final = 4096
MOST_BYTES: Final = RECORD_LIMIT_BYTES


class Wrong(Exception):
    """A target's word for an answer that it may not give."""


@dataclass(frozen=True)
class Target:
    """Something that reads bytes which somebody else has written.

    Attributes:
        about: What it is, in one line.
        seeds: Makes inputs that it takes, to be changed.
        run: Feeds it; returns what became of the input, in a word or two of a closed set.
            Whatever it raises is a finding.
        structure: Makes inputs by the schema; None where there is none.
        lines: An input is several messages, one a line.
        chained: The lines name each the digest of the one before, and are made to fit again.
        most_bytes: Longer inputs are cut.
    """

    name: str
    about: str
    seeds: Callable[[], Sequence[bytes]]
    run: Callable[[bytes], str]
    structure: Callable[[], st.SearchStrategy[bytes]] | None = None
    lines: bool = False
    chained: bool = False
    most_bytes: int = MESSAGE_BYTES


@dataclass(frozen=True)
class Finding:
    """An input that did what none may.

    Attributes:
        key: Two findings with the same one are the same fault.
        what: In one line.
        data: The input.
    """

    target: str
    key: str
    what: str
    data: bytes


def finding(target: str, fault: BaseException, data: bytes) -> Finding:
    """Return what a target raised, as a finding: the same for every input that fails alike."""
    frames = traceback.extract_tb(fault.__traceback__)
    inside = [f for f in frames if ROOT in Path(f.filename).parents and ".venv" not in f.filename]
    ours = [f for f in inside if HARNESS not in Path(f.filename).parents] or inside or frames
    where = "?" if not ours else f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
    said = " ".join(str(fault).split())[:200]
    kind = type(fault).__name__
    return Finding(target, f"{kind} {where}", f"{kind} at {where}: {said}", data)
