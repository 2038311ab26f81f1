"""What an audit counts, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable

from sahrat.messages import wallet as w
from services.audit.core import report as r
from services.audit.core.check import match_of
from services.audit.core.history import Change


def count(report: r.Report, entry: w.JournalEntry, stops: dict[str, r.Stop]) -> None:
    """Count an entry that is what it must be.

    Args:
        report: Counted into.
        entry: The entry.
        stops: By match, those of operators that were read so far: told what their refund was.
    """
    asked, cause = entry.command, entry.cause
    if entry.reason is not None:
        counts = report.refused_entries
        counts[entry.reason.value] = counts.get(entry.reason.value, 0) + 1
        report.refused.append(_refused(entry, entry.reason))
        return
    coins = sum(posting.coins for posting in entry.postings)
    match asked:
        case w.HoldEntries():
            pass
        case w.ReleaseEntries():
            report.released += 1
        case w.SettleEntries():
            report.settled += 1
        case w.RefundEntries():
            report.refunded += 1
            if isinstance(cause, w.OperatorCause):
                by = (cause.operator, cause.reason)
                report.returned.append(
                    r.Returned(entry.entry, entry.at_ms, asked.match_id, coins, *by)
                )
            elif asked.match_id in stops:
                stops[asked.match_id].entry = entry.entry
        case w.RewardPlayers():
            report.rewarded += 1
            report.earned_coins += coins
        case w.GrantCoins() if isinstance(cause, w.OperatorCause):
            report.operator_coins += coins
            by = (cause.operator, cause.reason)
            report.given.append(r.Given(entry.entry, entry.at_ms, asked.player_id, coins, *by))
        case w.GrantCoins():
            report.welcome_coins += coins
            report.welcomes += 1


def lines(entry: w.JournalEntry, changes: Iterable[Change], player_id: str) -> list[r.Line]:
    """Return what of an entry is about a player."""
    return [
        r.Line(
            entry.entry,
            entry.at_ms,
            entry.id,
            entry.command.type,
            match_of(entry.command),
            _said(entry.cause),
            change.available_change_coins,
            change.held_change_coins,
            change.available_coins,
            change.held_coins,
        )
        for change in changes
        if change.player_id == player_id
    ]


def _refused(entry: w.JournalEntry, reason: w.WalletReason) -> r.Refused:
    asked, cause = entry.command, entry.cause
    match asked:
        case w.GrantCoins():
            players: tuple[str, ...] = (asked.player_id,)
        case w.HoldEntries():
            players = entry.short or asked.players
        case _:
            players = ()
    return r.Refused(
        entry.entry,
        entry.at_ms,
        entry.id,
        asked.type,
        reason.value,
        cause.operator if isinstance(cause, w.OperatorCause) else "",
        match_of(asked),
        players,
    )


def _said(cause: w.Cause) -> str:
    match cause:
        case w.OperatorCause():
            return f"{cause.operator}: {cause.reason}"
        case w.WelcomeCause():
            return "welcome"
        case w.MatchCause():
            return f"record {cause.seq}"
