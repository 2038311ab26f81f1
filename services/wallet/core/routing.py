"""Which command a match's record makes: at most one, from the record alone."""

from __future__ import annotations

from typing import Any

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Draft


def command_of(record: Record[Any]) -> w.WalletCommand | None:
    """Return what a record asks of the ledger; None where it moves no coins.

    Raises:
        ValueError: It asks for two things at once, which no record of ours does: nobody may choose
            between them.
    """
    asked = [event for event in record.events if isinstance(event, m.MOVES_COINS)]
    if not asked:
        return None
    if len(asked) > 1:
        raise ValueError(f"{record.match_id} record {record.seq} moves coins {len(asked)} times")
    match_id, cause = record.match_id, record.caused_by
    command_id, command = _ask(match_id, asked[0])
    return w.WalletCommand(
        id=command_id,
        cause=w.MatchCause(
            match_id=match_id,
            seq=record.seq,
            at_ms=record.at_ms,
            partition=cause.partition,
            offset=cause.offset,
        ),
        command=command,
    )


def draft_of(command: w.WalletCommand) -> Draft:
    """Return a command as it is written."""
    return Draft(w.LEDGER.encode(), encode(command))


def _ask(match_id: str, event: m.MovesCoins) -> tuple[str, w.Command]:
    match event:
        case m.FundingBegan(attempt=attempt):
            return f"hold:{match_id}:{attempt}", w.HoldEntries(
                match_id=match_id,
                attempt=attempt,
                entry_coins=event.entry_coins,
                players=event.players,
            )
        case m.FundingFailed(attempt=attempt):
            return f"release:{match_id}:{attempt}", w.ReleaseEntries(
                match_id=match_id, attempt=attempt
            )
        case m.EntriesSettled(attempt=attempt):
            return f"settle:{match_id}", w.SettleEntries(
                match_id=match_id,
                attempt=attempt,
                fee_coins=event.fee_coins,
                prizes=_coins(event.prizes),
            )
        case m.EntriesRefunded(attempt=attempt):
            return f"settle:{match_id}", w.RefundEntries(match_id=match_id, attempt=attempt)
        case m.CoinsEarned():
            return f"reward:{match_id}", w.RewardPlayers(
                match_id=match_id, rewards=_coins(event.rewards)
            )


def _coins(prizes: tuple[m.Prize, ...]) -> tuple[w.PlayerCoins, ...]:
    return tuple(w.PlayerCoins(player_id=p.player_id, coins=p.coins) for p in prizes)
