"""W1 to W8, the chain, and snapshots: what is altered is found."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import orjson
import pytest

from sahrat.ledger import snapshot
from sahrat.ledger.decide import Stamp, decide
from sahrat.ledger.journal import RECENT, Book, Chain
from sahrat.ledger.laws import LawBroken, check_all
from sahrat.ledger.state import DAYS, Broken, Hold, State
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT
from sahrat.messages.codec import encode
from tests.unit.ledger.desk import START_MS, Desk, match, player, refold, refunding, welcoming


def story() -> Desk:
    desk = Desk()
    for who in range(4):
        desk.entry(welcoming(who))
    desk.hold(1, 100, 0, 1, 2, 3)
    desk.hold(2, 250, 0, 1)
    desk.release(2)
    desk.hold(2, 250, 0, 2, attempt=9)
    desk.settle(1, 40, [(1, 252), (2, 108)])
    desk.reward(3, (0, 20), (1, 5))
    desk.hold(4, 10, 2, 3)
    desk.entry(refunding(4))
    desk.hold(5, 10**6, 0, 1)
    return desk


def entries(desk: Desk) -> list[w.JournalEntry]:
    return [e for v in desk.values if isinstance(e := w.JOURNAL.decode(v), w.JournalEntry)]


def test_W8_a_fold_of_the_journal_is_the_ledger() -> None:
    desk = story()
    assert refold(desk.values).state == desk.book.state
    check_all(desk.book.state)
    assert desk.available(0) == 1000 - 100 - 250 + 20
    assert desk.book.state.held(player(0)) == {match(2): 250}


def test_F14_an_entry_that_comes_again_is_dropped_and_another_in_its_place_is_damage() -> None:
    desk = story()
    book = refold(desk.values)
    for value, entry in zip(desk.values, entries(desk), strict=True):
        assert book.take(entry, value) is None
    other = entries(desk)[2].model_copy(update={"at_ms": 1})
    with pytest.raises(Broken, match="two contents"):
        book.take(other, encode(other))


def test_a_gap_and_a_broken_chain_are_damage() -> None:
    desk = story()
    first, second, third = entries(desk)[:3]
    with pytest.raises(Broken, match="entry 2 after 0"):
        Book().take(second, encode(second))
    chain = Chain()
    chain.take(first, desk.values[0])
    with pytest.raises(Broken, match="entry 3 after 1"):
        chain.take(third, desk.values[2])
    torn = second.model_copy(update={"prev": "0" * 64})
    with pytest.raises(Broken, match="does not continue"):
        chain.take(torn, encode(torn))


def test_the_chain_forgets_what_is_long_past() -> None:
    desk = story()
    chain = Chain()
    for entry, value in zip(entries(desk), desk.values, strict=True):
        chain.take(entry, value)
    assert len(chain._recent) == len(desk.values) + 1 <= RECENT


def _change(entry: w.JournalEntry, **other: Any) -> w.JournalEntry:
    return w.JournalEntry(**{**dict(entry), **other})


def _moved(entry: w.JournalEntry, index: int, **other: Any) -> tuple[w.Posting, ...]:
    postings = list(entry.postings)
    postings[index] = w.Posting(**{**dict(postings[index]), **other})
    return tuple(postings)


def _balanced(entry: w.JournalEntry, book: Book, postings: tuple[w.Posting, ...]) -> Any:
    after: dict[str, int] = {}
    for p in postings:
        for account, coins in ((p.source, -p.coins), (p.destination, p.coins)):
            after[account] = after.get(account, book.state.balances.get(account, 0)) + coins
    balances = tuple(w.Balance(account=account, coins=coins) for account, coins in after.items())
    return _change(entry, postings=postings, balances=balances)


Alter = Callable[[w.JournalEntry, Book], w.JournalEntry]


@pytest.mark.parametrize(
    ("number", "alter", "law"),
    [
        pytest.param(
            5, lambda e, b: _balanced(e, b, _moved(e, 0, coins=1001)), "W2", id="more-than-he-has"
        ),
        pytest.param(5, lambda e, b: _balanced(e, b, e.postings[1:]), "W3", id="one-not-held"),
        pytest.param(
            8,
            lambda e, b: _change(e, command=e.command.model_copy(update={"match_id": match(1)})),
            "W3",
            id="held-twice",
        ),
        pytest.param(9, lambda e, b: _balanced(e, b, e.postings[1:]), "W3", id="a-prize-dropped"),
        pytest.param(
            9,
            lambda e, b: _balanced(e, b, _moved(e, 0, destination=w.player_account(player(3)))),
            "W5",
            id="a-prize-moved",
        ),
        pytest.param(
            9,
            lambda e, b: _balanced(
                e, b, (*_moved(e, 0, coins=253)[:2], *_moved(e, 2, coins=39)[2:])
            ),
            "W5",
            id="another-fee",
        ),
        pytest.param(
            7,
            lambda e, b: _balanced(
                e, b, (*_moved(e, 0, coins=251)[:1], *_moved(e, 1, coins=249)[1:])
            ),
            "W6",
            id="a-refund-moved",
        ),
        pytest.param(
            12,
            lambda e, b: _balanced(e, b, _moved(e, 0, destination=w.FEE)),
            "W6",
            id="a-fee-on-a-refund",
        ),
        pytest.param(
            10,
            lambda e, b: _balanced(e, b, _moved(e, 0, source=w.FEE)),
            "W8",
            id="a-reward-from-the-fees",
        ),
        pytest.param(
            13,
            lambda e, b: _balanced(e, b, (w.Posting(source=w.GRANTS, destination=w.FEE, coins=1),)),
            "W8",
            id="a-refusal-that-moves-coins",
        ),
        pytest.param(
            5, lambda e, b: _change(e, balances=e.balances[:-1]), "W8", id="a-balance-not-said"
        ),
        pytest.param(
            5,
            lambda e, b: _change(e, balances=(w.Balance(account=w.FEE, coins=0), *e.balances[1:])),
            "W8",
            id="another-balance-said",
        ),
    ],
)
def test_a_law_that_is_broken_is_named(number: int, alter: Alter, law: str) -> None:
    desk = story()
    book = refold(desk.values[: number - 1])
    altered = alter(entries(desk)[number - 1], book)
    with pytest.raises(LawBroken) as broken:
        book.take(altered, encode(altered))
    assert (broken.value.law, broken.value.entry) == (law, number)


def test_W4_a_second_settlement_is_named() -> None:
    desk = Desk()
    desk.entry(welcoming(0))
    desk.entry(welcoming(1))
    desk.hold(1, 100, 0, 1)
    back = decide(desk.book.state, refunding(1), Stamp(9, START_MS))
    assert isinstance(back, w.JournalEntry)
    desk.book.state.closed[match(1)] = START_MS  # as if it had been settled under another hold
    with pytest.raises(LawBroken, match="W4"):
        desk.book.write(back)


# ---- snapshots


def test_F23_a_snapshot_is_the_ledger_and_the_same_bytes_however_it_was_folded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(snapshot, "ROWS", 2)
    desk = story()
    parts = [*snapshot.dump(desk.book.state)]
    assert len(parts) > 5
    loaded = snapshot.load([w.JournalSnapshot(**dict(part)) for part in parts])
    assert loaded == desk.book.state
    half = refold(desk.values[:7])
    rest = Book(snapshot.load(snapshot.dump(half.state)))
    for entry, value in list(zip(entries(desk), desk.values, strict=True))[7:]:
        assert rest.take(entry, value) is not None
    assert [*snapshot.dump(rest.state)] == parts == [*snapshot.dump(refold(desk.values).state)]


def test_F23_a_snapshot_of_nothing() -> None:
    with pytest.raises(snapshot.Damaged):
        snapshot.load(())


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda parts: parts[:-1], id="truncated"),
        pytest.param(lambda parts: parts[1:], id="beginning-lost"),
        pytest.param(lambda parts: [parts[1], parts[0], *parts[2:]], id="out-of-order"),
        pytest.param(
            lambda parts: [
                parts[0],
                parts[1].model_copy(update={"text": parts[1].text.replace("1", "2", 1)}),
                *parts[2:],
            ],
            id="a-digit-changed",
        ),
        pytest.param(lambda parts: [*parts[:2], parts[1], *parts[3:]], id="one-twice"),
        pytest.param(
            lambda parts: [parts[0].model_copy(update={"parts": 3}), *parts[1:3]],
            id="fewer-said",
        ),
        pytest.param(
            lambda parts: [*parts[:2], again(parts[2], parts[1].text), *parts[3:]],
            id="rows-twice",
        ),
        pytest.param(lambda parts: [parts[0], again(parts[1], parts[0].text)], id="two-heads"),
        pytest.param(lambda parts: [again(parts[0], parts[1].text), *parts[1:]], id="no-head"),
        pytest.param(
            lambda parts: [
                again(parts[0], orjson.dumps({"entry": 1, "digest": "0" * 64}).decode()),
                *parts[1:],
            ],
            id="as-it-was-first-written",
        ),
        pytest.param(
            lambda parts: [again(p, p.text.replace('"fee",40]', '"fee",41]')) for p in parts],
            id="coins-altered",
        ),
        pytest.param(
            lambda parts: [parts[0].model_copy(update={"sha256": "0" * 64}), *parts[1:]],
            id="another-digest",
        ),
        pytest.param(
            lambda parts: [part.model_copy(update={"entry": 99}) for part in parts],
            id="of-another-entry",
        ),
        pytest.param(
            lambda parts: [part.model_copy(update={"digest": "1" * 64}) for part in parts],
            id="of-another-journal",
        ),
    ],
)
def test_F23_a_damaged_snapshot_is_found(
    monkeypatch: pytest.MonkeyPatch, damage: Callable[[list[Any]], list[Any]]
) -> None:
    monkeypatch.setattr(snapshot, "ROWS", 2)
    parts = list(snapshot.dump(story().book.state))
    with pytest.raises(snapshot.Damaged):
        snapshot.load(damage(parts))


def test_F23_a_snapshot_whose_coins_do_not_add_up_is_found() -> None:
    state = story().book.state
    state.balances[w.FEE] += 1
    with pytest.raises(snapshot.Damaged, match="W1"):
        snapshot.load(snapshot.dump(state))


def again(part: w.JournalSnapshot, text: str) -> w.JournalSnapshot:
    """A part with another text, whose digest fits."""
    digest = sha256(text.encode()).hexdigest()
    return part.model_copy(update={"text": text, "sha256": digest})


def test_a_part_of_a_snapshot_holds_its_longest_rows() -> None:
    """Holds of four seats, and numbers as long as they may be."""
    state = State(entry=1, offset=0, at_ms=1)
    for n in range(snapshot.ROWS):
        four = tuple(player(4 * n + k) for k in range(4))
        hold = Hold(match(n), INT_LIMIT - 1, INT_LIMIT - 1, four)
        state.holds[hold.match_id] = hold
        state.days[player(n)] = {INT_LIMIT - 1 - k: INT_LIMIT - 1 for k in range(DAYS)}
    parts = [*snapshot.dump(state)]
    assert len(parts) == 3
    assert max(len(part.text) for part in parts) < w.SNAPSHOT_CHARS
    assert max(len(encode(part)) for part in parts) < topics.RECORD_LIMIT_BYTES


def test_F23_no_part_of_a_snapshot_grows_with_the_players() -> None:
    """What one part takes is what the house stands still for."""
    state = State(entry=1, offset=0, at_ms=1)
    for n in range(5 * snapshot.ROWS):
        state.balances[w.player_account(player(n))] = 0
    rows = [len(orjson.loads(part.text).get("rows", ())) for part in snapshot.dump(state)]
    assert rows == [0] + [snapshot.ROWS] * 5
