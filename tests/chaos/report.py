"""What a run says in the end: which faults there were, how long they were felt, what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.bench.spread import percentile
from tests.chaos.chains import Finding
from tests.chaos.fleet import Guest
from tests.chaos.nemesis import Hit
from tests.chaos.verdict import Verdict

PROMISES: Final[Sequence[tuple[str, tuple[str, ...], str]]] = (
    ("records that a phone saw and the log does not have", ("missing",), "seen"),
    ("forks: a record stored again with other bytes", ("fork",), "repeats"),
    (
        "records out of their chain, or not the one effect of their cause",
        (
            "gap",
            "chain",
            "after the end",
            "order",
            "place",
            "unreadable",
            "cause",
            "time",
            "effect",
        ),
        "records",
    ),
    ("steps that ran out early", ("early",), "timeouts"),
    ("steps that ran out twice", ("twice",), "timeouts"),
    ("clocks that ran while the house stood still", ("down", "deadline", "resume"), "timeouts"),
    ("bots that played for somebody present", ("stray bot",), "records"),
    ("matches that are not over", ("unfinished",), "matches"),
    ("coins: W1-W8 broken, holds open, entries unpaid", ("coins",), "entries"),
    ("rows unlike the log", ("rows", "standings", "parked", "lag"), "rows"),
    ("rows unlike a rebuild", ("rebuild",), "rows"),
    ("phones that were told what can't be", ("phone",), "phones"),
    ("faults that the house did not recover from", ("stuck", "house"), "blows"),
)
"""What is promised, the kinds of findings that break it, and the figure that says among how many it
was looked for."""


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of fault.

    Attributes:
        struck: How often.
        lasted_s: For how long in all.
        still_s: The longest time between two records at a phone that had to do with it.
        after_s: From its end until the next record came, by phone; of what only the read models
            need, until these had what was stored; of C46, until every worker was well. Ascending.
    """

    name: str
    struck: int
    lasted_s: float
    still_s: float
    after_s: Sequence[float]


def rows(hits: Sequence[Hit], reads: Sequence[Hit], guests: Sequence[Guest]) -> list[Row]:
    """Return a row a kind of fault, in the order in which they came.

    Args:
        hits: What was struck.
        reads: Those of them that only the read models could feel.
        guests: Who has played where nothing but the house could hold play up.
    """
    others = [hit for hit in hits if hit not in reads]
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.step.name, []).append(hit)
    return [
        _reads_row(name, alike, others, guests) if alike[0] in reads else _play_row(name, alike)
        for name, alike in found.items()
    ]


def _play_row(name: str, hits: Sequence[Hit]) -> Row:
    after: list[float] = []
    still_s = 0.0
    for hit in hits:
        heard = [guest for guest in hit.guests if guest.heard_s and guest.heard_s[-1] > hit.over_s]
        silences_s = [guest.silence_s(hit.over_s) for guest in heard]
        after += [_back_s(hit)] if hit.whole else silences_s
        still_s = max([still_s, *(guest.stillness_s(*_span(hit)) for guest in heard)])
    return _row(name, hits, still_s, after)


def _reads_row(
    name: str, hits: Sequence[Hit], others: Sequence[Hit], guests: Sequence[Guest]
) -> Row:
    """Play stood still for what needs it, which may have been struck meanwhile; so only the time
    is looked at in which nothing of that kind was.
    """
    still_s = 0.0
    for hit in hits:
        for span in _without(_span(hit), [_span(other) for other in others]):
            still_s = max([still_s, *(guest.stillness_within_s(*span) for guest in guests)])
    return _row(name, hits, still_s, [_back_s(hit) for hit in hits])


def _row(name: str, hits: Sequence[Hit], still_s: float, after: Sequence[float]) -> Row:
    lasted_s = sum(hit.over_s - hit.begun_s for hit in hits)
    struck = sum(len(hit.step.blows) for hit in hits)
    return Row(name, struck, lasted_s, still_s, sorted(after))


def _back_s(hit: Hit) -> float:
    return float("inf") if hit.back_s is None else hit.back_s


def _span(hit: Hit) -> tuple[float, float]:
    """Return from when until when a fault was felt."""
    return hit.begun_s, hit.over_s + (hit.back_s or 0.0)


def _without(
    span: tuple[float, float], others: Sequence[tuple[float, float]]
) -> Iterator[tuple[float, float]]:
    """Yield what is left of a span of time without others."""
    begin_s, end_s = span
    for other_begin_s, other_end_s in sorted(others):
        if begin_s < min(other_begin_s, end_s):
            yield begin_s, min(other_begin_s, end_s)
        begin_s = max(begin_s, other_end_s)
    if begin_s < end_s:
        yield begin_s, end_s


def faults_table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the faults as lines."""
    head = ("fault", "struck", "lasted", "still", "p50", "p99", "max")
    yield f"{head[0]:42}" + "".join(f"{word:>8}" for word in head[1:]) + "   s until it played on"
    for row in rows:
        times = (
            [percentile(row.after_s, percent) for percent in (50, 99, 100)] if row.after_s else []
        )
        cells = [f"{row.struck}", f"{row.lasted_s:.0f}", f"{row.still_s:.1f}"]
        cells += [f"{seconds:.2f}" for seconds in times] or ["-"] * 3
        yield f"{row.name:42}" + "".join(f"{cell:>8}" for cell in cells)


def losses_table(verdict: Verdict) -> Iterator[str]:
    """Yield what was lost of each promise, among how many, as lines; and then each loss."""
    by_kind: dict[str, list[Finding]] = {}
    for finding in verdict.findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    for promise, kinds, among in PROMISES:
        lost = sum(len(by_kind.pop(kind, ())) for kind in kinds)
        yield f"{promise:66}{lost:6} of {verdict.figures.get(among, 0):,} {among}"
    if by_kind:
        yield f"{'other faults':66}{sum(map(len, by_kind.values())):6}"
    for finding in verdict.findings:
        yield f"LOST: {finding}"


def as_json(rows: Sequence[Row], verdict: Verdict) -> Mapping[str, Any]:
    """Return both tables for programs."""
    return {
        "faults": [
            {
                "fault": row.name,
                "struck": row.struck,
                "lasted_s": round(row.lasted_s, 1),
                "still_s": round(row.still_s, 2),
                "after_s": [round(seconds, 2) for seconds in row.after_s],
            }
            for row in rows
        ],
        "lost": [str(finding) for finding in verdict.findings],
        "figures": verdict.figures,
    }
