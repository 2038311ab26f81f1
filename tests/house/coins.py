"""What must hold of the coins in any log of matches, read off the records alone."""

from __future__ import annotations

from typing import Any

from sahrat.messages import match as m
from sahrat.messages.codec import encode
from sahrat.messages.envelope import Record
from sahrat.verify import verify
from tests.house.house import House


def audit_coins(house: House) -> None:
    """Check every match: a record moves coins once at most, every funding is asked for once and
    has one end at the most, exactly one once the match is over; no bot is at a coin table; prizes
    and fee are the pot, and a refund is every entry. An auditor finds nothing against a match that
    is over.
    """
    for match_id, records in house.all_records().items():
        if match_id != house.damaged:
            _check(match_id, records)
            report = verify([encode(record) for record in records])
            assert report.problem == "", f"{match_id}: {report.problem}"


def moves(records: list[Record[Any]]) -> list[Any]:
    """Return what a match asked of the wallet, in order."""
    found: list[Any] = []
    for record in records:
        events = [event for event in record.events if isinstance(event, m.MOVES_COINS)]
        assert len(events) <= 1, f"{record.match_id} record {record.seq}"
        found += events
    return found


def _check(match_id: str, records: list[Record[Any]]) -> None:
    opened = records[0].events[0]
    asked = moves(records)
    over = isinstance(records[-1].events[-1], m.FINAL_EVENTS)
    if not opened.entry_coins:
        assert all(isinstance(event, m.CoinsEarned) for event in asked), match_id
        return
    assert not any(getattr(event, "bot", False) for r in records for event in r.events), match_id
    for number, event in enumerate(asked):
        if isinstance(event, m.FundingBegan):
            assert event.attempt == next(r.seq for r in records if event in r.events), match_id
            end = asked[number + 1] if number + 1 < len(asked) else None
            assert end is not None or not over, f"{match_id}: attempt {event.attempt} has no end"
            if end is not None:
                _check_end(match_id, event, end)
    fundings = sum(isinstance(event, m.FundingBegan) for event in asked)
    assert len(asked) in (2 * fundings, 2 * fundings - 1), match_id


def _check_end(match_id: str, began: m.FundingBegan, end: Any) -> None:
    assert end.attempt == began.attempt, match_id
    if isinstance(end, m.EntriesSettled):
        pot = began.entry_coins * len(began.players)
        shared = end.fee_coins + sum(prize.coins for prize in end.prizes)
        assert pot == end.pot_coins == shared, match_id
        assert end.fee_coins == pot // 10, match_id
        assert {prize.player_id for prize in end.prizes} <= {*began.players}, match_id
    elif isinstance(end, m.EntriesRefunded):
        assert sorted(end.players) == sorted(began.players), match_id
        assert end.entry_coins == began.entry_coins, match_id
    else:
        assert isinstance(end, m.FundingFailed), match_id
