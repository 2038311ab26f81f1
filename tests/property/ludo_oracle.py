"""Ludo once more, slowly: dictionaries and loops, written from the rules text alone.

It shares nothing with the rules under test but the words of the refusals. It walks pawns square by
square over a map of squares that it draws itself, and is asked the same questions.
"""

from __future__ import annotations

from typing import Any

COLOURS = {0: "red", 1: "green", 2: "yellow", 3: "blue"}
AT_TABLE = {2: [0, 2], 3: [0, 1, 2], 4: [0, 1, 2, 3]}


def path_of(seat: int) -> list[str]:
    """Return the names of the squares that a colour walks, from its start to its home."""
    path = []
    square = [0, 13, 26, 39][seat]
    for _ in range(51):
        path.append(f"track {square}")
        square = 0 if square == 51 else square + 1
    path += [f"{COLOURS[seat]} column {n}" for n in (1, 2, 3, 4, 5)]
    path.append(f"{COLOURS[seat]} home")
    return path


PATHS = {seat: path_of(seat) for seat in COLOURS}
STARS_AND_STARTS = [f"track {n}" for n in (0, 8, 13, 21, 26, 34, 39, 47)]


class Oracle:
    """One match."""

    def __init__(self, players: int) -> None:
        self.table = AT_TABLE[players]
        self.pawns = {(seat, n): "base" for seat in self.table for n in range(4)}
        self.place: dict[int, int] = {}
        self.gone: list[int] = []
        self.turn: int | None = self.table[0]
        self.open_roll: int | None = None
        self.sixes = 0

    # ---- what may be asked

    def awaited(self) -> tuple[int, str] | None:
        if self.turn is None:
            return None
        return self.turn, "roll" if self.open_roll is None else "move"

    def where(self, seat: int) -> list[int]:
        """Return the progress of a seat's pawns."""
        found = []
        for n in range(4):
            square = self.pawns[seat, n]
            found.append(-1 if square == "base" else PATHS[seat].index(square))
        return found

    def target(self, seat: int, n: int, roll: int) -> str | None:
        """Return the square where a pawn would end; None if it may not move."""
        square = self.pawns[seat, n]
        if square == "base":
            return PATHS[seat][0] if roll == 6 else None
        for _ in range(roll):
            at = PATHS[seat].index(square)
            if at == len(PATHS[seat]) - 1:
                return None
            square = PATHS[seat][at + 1]
        return square

    def movable(self, seat: int, roll: int) -> list[int]:
        return [n for n in range(4) if self.target(seat, n, roll) is not None]

    def would_capture(self, seat: int, square: str | None) -> list[tuple[int, int]]:
        if square is None or not square.startswith("track") or square in STARS_AND_STARTS:
            return []
        return [key for key, at in self.pawns.items() if at == square and key[0] != seat]

    def reachable(self, seat: int, square: str) -> bool:
        """Tell whether an opponent could capture a pawn there with one roll of 1 to 6."""
        for roll in (1, 2, 3, 4, 5, 6):
            for other, n in self.pawns:
                if other != seat and self.target(other, n, roll) == square:
                    spared = square in STARS_AND_STARTS or not square.startswith("track")
                    if not spared:
                        return True
        return False

    def preferred(self) -> int:
        """Return the pawn that the order of rule L4 moves."""
        assert self.turn is not None
        assert self.open_roll is not None
        seat, roll = self.turn, self.open_roll
        pawns = self.movable(seat, roll)
        for n in pawns:
            if self.target(seat, n, roll) == PATHS[seat][-1]:
                return n
        for n in pawns:
            if self.would_capture(seat, self.target(seat, n, roll)):
                return n
        for n in pawns:
            if self.pawns[seat, n] == "base":
                return n
        for n in pawns:
            if self.target(seat, n, roll) in STARS_AND_STARTS:
                return n
        for n in pawns:
            if self.reachable(seat, self.pawns[seat, n]):
                return n
        best = pawns[0]
        for n in pawns:
            if self.where(seat)[n] > self.where(seat)[best]:
                best = n
        return best

    # ---- what may happen; each returns the word of its refusal, or None

    def roll(self, seat: int, value: int) -> str | None:
        if self.turn is None:
            return "not_playing"
        if seat != self.turn:
            return "not_your_turn"
        if self.open_roll is not None:
            return "move_expected"
        self.sixes = self.sixes + 1 if value == 6 else 0
        if self.sixes == 3:
            self.pass_turn()
            return None
        pawns = self.movable(seat, value)
        if not pawns:
            self.pass_turn()
            return None
        self.open_roll = value
        if len({self.pawns[seat, n] for n in pawns}) == 1:
            self.go(pawns[0])
        return None

    def move(self, seat: int, n: int) -> str | None:
        if self.turn is None:
            return "not_playing"
        if seat != self.turn:
            return "not_your_turn"
        if self.open_roll is None:
            return "roll_first"
        if n not in self.movable(seat, self.open_roll):
            return "illegal_move"
        self.go(n)
        return None

    def leave(self, seat: int) -> None:
        if self.turn is None or seat not in self.table or seat in self.gone:
            return
        self.gone.append(seat)
        self.pawns = {key: at for key, at in self.pawns.items() if key[0] != seat}
        if seat in self.place:
            return
        self.place[seat] = max(self.free_places())
        if not self.over() and self.turn == seat:
            self.pass_turn()

    # ---- how it happens

    def go(self, n: int) -> None:
        assert self.turn is not None
        assert self.open_roll is not None
        seat, roll = self.turn, self.open_roll
        square = self.target(seat, n, roll)
        assert square is not None
        victims = self.would_capture(seat, square)
        self.pawns[seat, n] = square
        for victim in victims:
            self.pawns[victim] = "base"
        self.open_roll = None
        if all(self.pawns[seat, k].endswith("home") for k in range(4)):
            self.place[seat] = min(self.free_places())
            if not self.over():
                self.pass_turn()
        elif not (roll == 6 or victims or square.endswith("home")):
            self.pass_turn()

    def free_places(self) -> list[int]:
        every = range(1, len(self.table) + 1)
        return [place for place in every if place not in self.place.values()]

    def over(self) -> bool:
        still = [seat for seat in self.table if seat not in self.place]
        if len(still) > 1:
            return False
        self.place[still[0]] = min(self.free_places())
        self.turn, self.open_roll, self.sixes = None, None, 0
        return True

    def pass_turn(self) -> None:
        assert self.turn is not None
        self.open_roll, self.sixes = None, 0
        seat = self.turn
        while True:
            seat = (seat + 1) % 4
            if seat in self.table and seat not in self.place:
                self.turn = seat
                return

    def picture(self) -> dict[str, Any]:
        """Return everything there is to compare."""
        return {
            "awaited": self.awaited(),
            "roll": self.open_roll or 0,
            "sixes": self.sixes,
            "pawns": {seat: self.where(seat) for seat in self.table if seat not in self.gone},
            "places": dict(self.place),
        }
