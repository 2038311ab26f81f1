"""A match whose dice and deal are told: whoever sits down n-th has the n-th seat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sahrat.games.game import Chance
from sahrat.games.ludo.messages import MovePawn, RollDie
from sahrat.match.play import Dealer
from sahrat.messages.envelope import Record
from tests.unit.match.desk import Desk, player

SECRET = "5e" * 32


@dataclass
class LoadedDealer:
    """The house's keys, and the dealer of every match under them.

    Attributes:
        values: What the die shows next; a one when they are used up.
    """

    values: list[int] = field(default_factory=list)

    def newest(self, opened_ms: int) -> str:
        del opened_ms
        return "k1"

    def dealer(self, key_id: str, match_id: str) -> Dealer:
        del key_id, match_id
        return self

    def commitment(self, key_id: str, match_id: str) -> str:
        del key_id, match_id
        return "c0" * 32

    def deal(self, numbers: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(range(len(numbers)))

    def chance(self, numbers: tuple[str, ...]) -> Chance:
        del numbers
        return self

    def reveal(self) -> str:
        return SECRET

    def die(self, index: int, seat: int, number: str) -> int:
        del index, seat, number
        return self.values.pop(0) if self.values else 1

    def lot(self, among: int) -> int:
        return among - 1

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(f"no shells here: {index} {seat} {number} {shells}")


def loaded(n: int = 0) -> Desk:
    return Desk(n=n, keys=LoadedDealer())


def put_pawns(desk: Desk, who: int, *pawns: int) -> None:
    """Let a player be on turn to roll, with his pawns here."""
    seat, state = desk.seat_of(who), desk.state
    board = state.board
    where = (*board.pawns[:seat], pawns, *board.pawns[seat + 1 :])
    board = replace(board, pawns=where, turn=seat, roll=0, sixes=0)
    desk.match.state = replace(state, board=board, step_seat=seat)


def roll(desk: Desk, value: int) -> Record[Any]:
    """Whoever is on turn rolls this."""
    desk.keys.values.append(value)
    record: Record[Any] = desk.send(RollDie(number="7"), who=desk.on_turn(), step=desk.state.step)
    return record


def choose(desk: Desk, pawn: int) -> Record[Any]:
    """Whoever is on turn moves this pawn."""
    record: Record[Any] = desk.send(MovePawn(pawn=pawn), who=desk.on_turn(), step=desk.state.step)
    return record


def finish(desk: Desk, who: int) -> Record[Any]:
    """Let a player bring his last pawn home."""
    put_pawns(desk, who, 56, 56, 56, 55)
    return roll(desk, 1)


def prizes(record: Record[Any]) -> dict[str, int]:
    """The prizes of a settlement, by player."""
    (settled,) = [e for e in record.events if e.type == "entries.settled"]
    return {prize.player_id: prize.coins for prize in settled.prizes}


def of(coins: dict[int, int]) -> dict[str, int]:
    return {player(who): amount for who, amount in coins.items()}
