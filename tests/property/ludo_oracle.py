"""Ludo once more, slowly: dictionaries and loops, written from the rules text alone.

It shares nothing with the rules under test but the words of the refusals. It walks pawns square by
square over a map of squares that it draws itself, and is asked the same questions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

COLOURS = {0: "red", 1: "green", 2: "yellow", 3: "blue"}
AT_TABLE = {2: [0, 2], 3: [0, 1, 2], 4: [0, 1, 2, 3]}
ENTRIES = {"6": [6], "6_or_1": [6, 1], "any": [1, 2, 3, 4, 5, 6]}
DEFAULTS: dict[str, Any] = {
    "players": 2,
    "entry_roll": 6,
    "six_again": "on",
    "three_sixes": "void_third",
    "sixes_limit": 3,
    "capture_again": "on",
    "home_again": "on",
    "bonus_stack": "one",
    "six_without_move": "pass",
    "safe": "starts+stars",
    "block": "off",
    "stack_capture": "all",
    "home_exact": "exact",
    "capture_before_home": "off",
    "pawns_to_win": 4,
    "pawns_out": 0,
    "forced_capture": "off",
    "may_pass": "off",
    "teams": "off",
    "finish": "places",
    "start": "red",
}


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
STARTS = [f"track {n}" for n in (0, 13, 26, 39)]
STARS = [f"track {n}" for n in (8, 21, 34, 47)]
SAFE = {"starts+stars": STARTS + STARS, "starts": STARTS, "stars": STARS, "none": []}


class Oracle:
    """One match."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self.said = {**DEFAULTS, **(options or {})}
        assert set(self.said) == set(DEFAULTS)
        self.table = AT_TABLE[self.said["players"]]
        self.pawns = {(seat, n): "base" for seat in self.table for n in range(4)}
        for seat, n in self.pawns:
            if n < self.said["pawns_out"]:
                self.pawns[seat, n] = PATHS[seat][0]
        self.place: dict[int, int] = {}
        self.through: list[int] = []
        self.gone: list[int] = []
        self.captors: list[int] = []
        self.turn: int | None = self.table[0]
        self.open_roll: int | None = None
        self.sixes = 0
        self.rolls_left = 1
        self.remember()

    def throw_for_the_start(self, throw: Callable[[], int]) -> None:
        """Let the highest throw start; who shares it throws again."""
        left = list(self.table)
        while len(left) > 1:
            thrown = {seat: throw() for seat in left}
            left = [seat for seat in left if thrown[seat] == max(thrown.values())]
        self.turn = left[0]

    # ---- what may be asked

    def is_on(self, option: str) -> bool:
        return bool(self.said[option] == "on")

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

    def friends(self, seat: int) -> list[int]:
        return [seat, (seat + 2) % 4] if self.is_on("teams") else [seat]

    def is_safe(self, square: str) -> bool:
        return not square.startswith("track") or square in SAFE[self.said["safe"]]

    def count(self, seat: int, square: str) -> int:
        return [self.pawns.get((seat, n)) for n in range(4)].count(square)

    def is_barred(self, seat: int, square: str) -> bool:
        """Tell whether two or more pawns of one enemy colour keep a seat off a square."""
        if self.said["block"] == "off" or self.is_safe(square):
            return False
        enemies = [other for other in self.table if other not in self.friends(seat)]
        return any(self.count(other, square) > 1 for other in enemies)

    def target(self, seat: int, n: int, roll: int) -> str | None:
        """Return the square where a pawn would end; None if it may not move."""
        square, path, way = self.pawns[seat, n], PATHS[seat], 1
        if square == "base":
            enters = roll in ENTRIES[str(self.said["entry_roll"])]
            return path[0] if enters and not self.is_barred(seat, path[0]) else None
        if square == path[56]:
            return None
        round_again = self.is_on("capture_before_home") and seat not in self.captors
        for _ in range(roll):
            if square == path[56] and self.said["home_exact"] == "exact":
                return None
            if square == path[56] and self.said["home_exact"] == "overshoot_ok":
                return square
            if square == path[56]:
                way = -1
            if square == path[50] and round_again:
                square = path[0]
            else:
                square = path[path.index(square) + way]
            if self.is_barred(seat, square):
                return None
        return square

    def movable(self, seat: int, roll: int) -> list[int]:
        pawns = [n for n in range(4) if self.target(seat, n, roll) is not None]
        return self.must_capture(seat, roll) or pawns

    def must_capture(self, seat: int, roll: int) -> list[int]:
        if not self.is_on("forced_capture"):
            return []
        return [n for n in range(4) if self.would_capture(seat, self.target(seat, n, roll))]

    def may_decline(self) -> bool:
        if self.turn is None or self.open_roll is None:
            return False
        return self.is_on("may_pass") and not self.must_capture(self.turn, self.open_roll)

    def would_capture(self, seat: int, square: str | None) -> list[tuple[int, int]]:
        if square is None or self.is_safe(square):
            return []
        victims = []
        for other, n in self.pawns:
            if other in self.friends(seat) or self.pawns[other, n] != square:
                continue
            if self.said["stack_capture"] == "all" or self.count(other, square) == 1:
                victims.append((other, n))
        return victims

    def reachable(self, seat: int, n: int) -> bool:
        """Tell whether an opponent could capture this pawn with one roll of 1 to 6."""
        for roll in (1, 2, 3, 4, 5, 6):
            for other, k in self.pawns:
                if other in self.friends(seat) or other in self.through:
                    continue
                if (seat, n) in self.would_capture(other, self.target(other, k, roll)):
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
            if self.target(seat, n, roll) in SAFE[self.said["safe"]]:
                return n
        for n in pawns:
            if self.reachable(seat, n):
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
        self.rolls_left -= 1
        self.sixes = self.sixes + 1 if value == 6 else 0
        if self.sixes == self.said["sixes_limit"] and self.said["three_sixes"] != "off":
            if self.said["three_sixes"] == "rollback_turn":
                self.restore()
            self.pass_turn()
        elif self.movable(seat, value):
            self.open_roll = value
            self.go_if_nothing_to_choose()
        else:
            lucky = value == 6 and self.is_on("six_again")
            self.go_on(int(lucky and self.said["six_without_move"] == "roll_again"))
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

    def decline(self, seat: int) -> str | None:
        if self.turn is None:
            return "not_playing"
        if seat != self.turn:
            return "not_your_turn"
        if self.open_roll is None:
            return "roll_first"
        if not self.may_decline():
            return "illegal_move"
        self.go_on(0)
        return None

    def leave(self, seat: int) -> None:
        if self.turn is None or seat not in self.table or seat in self.gone:
            return
        self.gone.append(seat)
        for board in (self.pawns, self.memory[0]):
            for n in range(4):
                board.pop((seat, n), None)
        if seat in self.through:
            return
        if not self.is_on("teams") and self.said["finish"] == "places":
            self.place[seat] = max(self.free_places())
        if self.over():
            return
        if self.turn == seat:
            self.pass_turn()
        elif self.open_roll is not None:
            self.go_if_nothing_to_choose()

    # ---- how it happens

    def go_if_nothing_to_choose(self) -> None:
        assert self.turn is not None
        assert self.open_roll is not None
        pawns = self.movable(self.turn, self.open_roll)
        if not self.may_decline() and len({self.pawns[self.turn, n] for n in pawns}) == 1:
            self.go(pawns[0])

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
        if victims and seat not in self.captors:
            self.captors.append(seat)
        home = PATHS[seat][56]
        if self.count(seat, home) == self.said["pawns_to_win"]:
            self.finish(seat)
            return
        reasons = [
            roll == 6 and self.is_on("six_again"),
            bool(victims) and self.is_on("capture_again"),
            square == home and self.is_on("home_again"),
        ]
        self.go_on(sum(reasons))

    def go_on(self, reasons: int) -> None:
        self.open_roll = None
        add_up = self.said["bonus_stack"] == "add_up"
        self.rolls_left += reasons if add_up else min(reasons, 1)
        if self.rolls_left == 0:
            self.pass_turn()

    def finish(self, seat: int) -> None:
        for n in range(4):
            if not self.pawns[seat, n].endswith("home"):
                self.pawns[seat, n] = "base"
        self.through.append(seat)
        if not self.is_on("teams"):
            self.place[seat] = min(self.free_places())
        if not self.over():
            self.pass_turn()

    def free_places(self) -> list[int]:
        every = range(1, len(self.table) + 1)
        return [place for place in every if place not in self.place.values()]

    def still(self) -> list[int]:
        return [seat for seat in self.table if seat not in self.through + self.gone]

    def over(self) -> bool:
        if self.is_on("teams"):
            winner = self.winning_side()
            if not winner:
                return False
            for seat in self.table:
                self.place[seat] = 1 if seat in winner else 2
            if self.said["finish"] == "first_only":
                self.place = dict.fromkeys(winner, 1)
        elif self.said["finish"] == "places" or not self.place:
            if len(self.still()) > 1:
                return False
            self.place[self.still()[0]] = min(self.free_places())
        self.turn, self.open_roll, self.sixes, self.rolls_left = None, None, 0, 1
        return True

    def winning_side(self) -> list[int]:
        for side, others in (([0, 2], [1, 3]), ([1, 3], [0, 2])):
            fled = [seat for seat in others if seat in self.gone and seat not in self.through]
            if fled or all(seat in self.through for seat in side):
                return side
        return []

    def pass_turn(self) -> None:
        assert self.turn is not None
        self.open_roll, self.sixes, self.rolls_left = None, 0, 1
        seat = self.turn
        while True:
            seat = (seat + 1) % 4
            if seat in self.still():
                self.turn = seat
                self.remember()
                return

    def remember(self) -> None:
        self.memory = (dict(self.pawns), list(self.captors))

    def restore(self) -> None:
        self.pawns, self.captors = dict(self.memory[0]), list(self.memory[1])

    def picture(self) -> dict[str, Any]:
        """Return everything there is to compare."""
        choosing = self.turn is not None and self.open_roll is not None
        return {
            "awaited": self.awaited(),
            "roll": self.open_roll or 0,
            "sixes": self.sixes,
            "pawns": {seat: self.where(seat) for seat in self.table if seat not in self.gone},
            "places": dict(self.place),
            "owed": self.rolls_left - (not choosing),
            "captors": sorted(self.captors) if self.is_on("capture_before_home") else [],
            "movable": self.movable(*self.open()) if choosing else [],
            "may_decline": self.may_decline(),
        }

    def open(self) -> tuple[int, int]:
        assert self.turn is not None
        assert self.open_roll is not None
        return self.turn, self.open_roll
