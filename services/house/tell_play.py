"""What `sahrat play` says in the end: how each match went, in words and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from services.house.counted import counted
from services.house.play import Plan, Played
from services.house.words import WORDS

ID_WIDTH: Final = 36


def in_words(plan: Plan, played: Sequence[Played]) -> Iterator[str]:
    """Return the lines for people: a table of the matches, the sums, and what was wrong."""
    places = [_places(one, plan.game) for one in played]
    heading = "places and prizes" if plan.entry else "places"
    width = max(map(len, (heading, *places)))
    yield f"{'match':{ID_WIDTH}}  {'end':13}  {'records':>7}  {heading:{width}}  last digest"
    for one, place in zip(played, places, strict=True):
        match_id, end = one.match_id or "-", one.end or "not over"
        yield f"{match_id:{ID_WIDTH}}  {end:13}  {one.records:7}  {place:{width}}  {one.digest}"
    total = _totals(played)
    yield ""
    yield (
        f"{counted(len(played), 'match', 'matches')}, {counted(total['phones'], 'phone')} at "
        f"{max(one.rate for one in played)} messages a second each, seed {plan.seed}"
    )
    yield (
        f"{counted(total['acts'], 'act')} in {counted(total['records'], 'record')}; "
        f"{total['left']} left, "
        f"{total['dropped']} lost their line, {total['returned']} took their seat back from a bot; "
        f"{counted(total['timed_out'], 'step')} by the clock, {total['repeats']} sent again, "
        f"{counted(total['snapshots'], 'snapshot')}"
    )
    if plan.entry:
        yield _coins(plan, played, total)
    refusals = ", ".join(f"{reason} {count}" for reason, count in total["refusals"].items())
    yield f"refusals: {refusals or 'none'}"
    problems = [(one, problem) for one in played for problem in one.problems]
    if not problems:
        yield "everything fits: each phone saw the log's own records, and each match verifies"
        return
    yield f"{len(problems)} WRONG:"
    for one, problem in problems:
        yield f"  {one.match_id or f'match {one.number}'}: {problem}"


def _coins(plan: Plan, played: Sequence[Played], total: dict[str, Any]) -> str:
    """Return where the entries went."""
    settled = counted(total["settled"], "match", "matches")
    neither = len(played) - total["settled"] - total["refunded"]
    return (
        f"entry {counted(plan.entry, 'coin')}: {settled} settled, all pots together "
        f"{counted(total['pots_coins'], 'coin')}, {total['prizes_coins']} of them in prizes and "
        f"{total['fees_coins']} in fees; {total['refunded']} refunded, "
        f"{counted(total['refunds_coins'], 'coin')}; {neither} neither; "
        f"entries lost by leaving or being away: {total['forfeited']}"
    )


def _places(played: Played, game: str) -> str:
    """Return who came in where, best first, and what he won."""
    words = WORDS["en"]
    best = sorted(played.places.items(), key=lambda pair: pair[1])
    prizes = {seat: f" (prize {coins})" for seat, coins in played.prizes_coins.items()}
    return " ".join(
        f"{place}.{words.term(f'{game}.seat', seat)}{prizes.get(seat, '')}" for seat, place in best
    )


def _totals(played: Sequence[Played]) -> dict[str, Any]:
    names = ("phones", "acts", "records", "left", "dropped", "returned", "timed_out", "repeats")
    total: dict[str, Any] = {
        name: sum(getattr(one, name) for one in played) for name in (*names, "snapshots")
    }
    settled = [one for one in played if one.prizes_coins]
    prizes = sum(sum(one.prizes_coins.values()) for one in settled)
    fees = sum(one.fee_coins for one in settled)
    total |= {
        "forfeited": sum(one.forfeited for one in played),
        "settled": len(settled),
        "refunded": sum(one.refund_coins > 0 for one in played),
        "pots_coins": prizes + fees,
        "prizes_coins": prizes,
        "fees_coins": fees,
        "refunds_coins": sum(one.refund_coins for one in played),
    }
    refusals: Counter[str] = Counter()
    for one in played:
        refusals += one.refusals
    return {**total, "refusals": dict(refusals)}


def json_of(plan: Plan, played: Sequence[Played]) -> dict[str, Any]:
    """Return the same for programs."""
    matches = [
        asdict(one)
        | {
            "places": {str(seat): place for seat, place in one.places.items()},
            "prizes_coins": {str(seat): coins for seat, coins in one.prizes_coins.items()},
            "refusals": dict(one.refusals),
        }
        for one in played
    ]
    return {
        "fits": not any(one.problems for one in played),
        "url": plan.url,
        "seed": plan.seed,
        "entry_coins": plan.entry,
        "total": _totals(played),
        "matches": matches,
    }
