"""No field of any journal entry can be another one without the audit finding it.

Each change is made twice: in the bytes alone, and with every number and digest behind it made to
fit, as somebody would who means it.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sahrat.messages.codec import FromTheFuture
from sahrat.messages.envelope import GENESIS
from sahrat.messages.stored import Stored
from services.audit.core.fault import Fault
from tests.house.bank import KEY
from tests.unit.audit.forge import tale
from tests.unit.audit.story import JOURNAL, Copy
from tests.unit.ledger.desk import player
from tests.unit.match.desk import START_MS, uuid7

A, D = player(0), player(3)
OTHERS: Final = ("", "fee", "grants", f"player:{A}", f"player:{D}", A, D, uuid7(START_MS, 1))
WORDS: Final = ("not_enough", "nothing_held", "wrong_cause", "hold", "refund", "match", "welcome")
Path = tuple[str | int, ...]


TALE: Final = tale()
ENTRIES: Final = [orjson.loads(stored.value) for stored in TALE.records[JOURNAL]]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every field, item and value in an entry."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in inside:
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from paths(child, (*path, key))


PLACES: Final = [
    (number, path) for number, entry in enumerate(ENTRIES) for path in paths(entry) if path
]


@st.composite
def changed(draw: st.DrawFn) -> tuple[int, Path, Any]:
    """A place in the journal, and what stands there instead."""
    number, path = draw(st.sampled_from(PLACES))
    old = found(ENTRIES[number], path)
    match old:
        case bool():
            new: Any = not old
        case int():
            new = draw(st.sampled_from([old + 1, old - 1, -old, 0, 2 * old, 2**53, str(old)]))
        case str():
            one = draw(st.sampled_from([old[:-1] + ("0" if old[-1:] != "0" else "1"), old + "0"]))
            new = draw(st.sampled_from([one, *OTHERS, *WORDS]))
        case None:
            new = draw(st.sampled_from([*WORDS, 0]))
        case list():
            new = draw(st.sampled_from([old[1:], old[:-1], old * 2, old[::-1], [*old, A]]))
        case _:
            new = draw(st.sampled_from([{}, None, {**old, "more": 1}]))
    return number, path, new


def found(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def written(number: int, path: Path, new: Any, *, fit: bool) -> Copy:
    """The log with one change."""
    entries: list[Any] = [orjson.loads(orjson.dumps(entry)) for entry in ENTRIES]
    found(entries[number], path[:-1])[path[-1]] = new
    copy, digest = TALE.copy(), GENESIS
    copy.judged = len(copy.commands)
    copy.records[JOURNAL] = []
    for offset, entry in enumerate(entries):
        if fit and path != ("prev",):
            entry["prev"] = digest
        value = orjson.dumps(entry)
        digest = sha256(value).hexdigest()
        copy.records[JOURNAL].append(Stored(*JOURNAL, offset, START_MS, KEY, value))
    return copy


def test_the_tale_itself_is_balanced() -> None:
    report = TALE.audit()
    assert report.entries == len(ENTRIES) == 26
    assert report.refused_entries == {"id_reused": 1, "not_enough": 1, "nothing_held": 2}
    ends = (report.settled, report.refunded, report.released, report.rewarded, report.holds)
    assert ends == (1, 1, 1, 11, 1)
    assert report.earned_coins == 200 + 11 * 5


@given(change=changed(), fit=st.booleans())
@example(change=(25, ("command",), {}), fit=False)  # the last entry, no longer to be read
@settings(max_examples=400, deadline=None)
def test_any_change_of_any_field_is_found(change: tuple[int, Path, Any], fit: bool) -> None:
    number, path, new = change
    old = found(ENTRIES[number], path)
    if new == old and type(new) is type(old):
        return
    copy = written(number, path, new, fit=fit)
    with pytest.raises((Fault, FromTheFuture)) as raised:
        copy.audit()
    if isinstance(raised.value, Fault) and path != ("entry",):
        assert raised.value.place.entry in (number + 1, number + 2)


@given(
    st.integers(0, len(ENTRIES) - 1), st.sampled_from(["gone", "twice", "swapped"]), st.booleans()
)
@settings(max_examples=60, deadline=None)
def test_any_entry_gone_twice_or_elsewhere_is_found(number: int, how: str, fit: bool) -> None:
    entries = TALE.entries
    match how:
        case "gone":
            del entries[number]
        case "twice":
            entries.insert(number, entries[number])
        case _:
            other = (number + 1) % len(entries)
            entries[number], entries[other] = entries[other], entries[number]
    copy = TALE.journal(entries, fit=fit)
    copy.judged = len(copy.commands)
    if how == "twice" and not fit:
        assert copy.audit().repeated_entries == 1
        return
    with pytest.raises(Fault):
        copy.audit()
