"""What a seat may do with an open throw: the moves of `pachisi_oracle`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

Item = dict[str, Any]
"""`throw`, its number; `kind`: all of it (`ve`), its halves (`e`, `v`) or a pyada (`+1`); `steps`;
`enters`."""
Step = tuple[int, int, bool]
"""Piece, squares, round again."""

DEFAULTS: dict[str, Any] = {
    "players": 2,
    "cowries": 6,
    "six_up": 30,
    "schedule": "standard",
    "teams": "off",
    "two_colours": "off",
    "finished_partner": "skipped",
    "start": "highest_throw",
    "timing": "each_throw",
    "opening_gate": "off",
    "throw_order": "any",
    "grace_use": "either",
    "enter_on": "table",
    "first_piece": "any_throw",
    "seven_needs_piece": "on",
    "may_decline": "on",
    "pieces_per_throw": "one",
    "overshoot_ends_turn": "on",
    "own_stacking": "everywhere",
    "capture_bonus": "on",
    "capture_before_home": "off",
    "recapture_void": "off",
    "last_square": "grace_exits",
    "cancel_three": "off",
    "after_cancel": "throw_again",
    "pyada": "off",
    "pyada_unit": "separate",
    "second_lap": "off",
    "finish": "places",
}
WORTH = {
    (6, "standard"): [25, 10, 2, 3, 4, 5, 6],
    (7, "standard"): [7, 10, 2, 3, 4, 25, 30, 14],
    (6, "murray"): [6, 10, 2, 3, 4, 25, 12],
    (7, "murray"): [6, 10, 2, 3, 4, 25, 30, 12],
}
Cell = tuple[int, int]


def south(p: int) -> Cell:
    """Return where the south player's square is drawn, piece by piece of its way."""
    ranges: list[tuple[int, Callable[[int], Cell]]] = [
        (8, lambda p: (0, -(p + 1))),
        (16, lambda p: (1, p - 18)),
        (24, lambda p: (p - 15, -1)),
        (25, lambda p: (9, 0)),
        (33, lambda p: (35 - p, 1)),
        (41, lambda p: (1, p - 32)),
        (42, lambda p: (0, 9)),
        (50, lambda p: (-1, 52 - p)),
        (58, lambda p: (49 - p, 1)),
        (59, lambda p: (-9, 0)),
        (67, lambda p: (p - 69, -1)),
        (75, lambda p: (-1, 66 - p)),
        (83, lambda p: (0, p - 85)),
    ]
    for last, where in ranges:
        if p <= last:
            return where(p)
    raise ValueError(p)


def turned(cell: Cell, seat: int) -> Cell:
    for _ in range(seat):
        cell = (-cell[1], cell[0])
    return cell


CELLS = {(seat, p): turned(south(p), seat) for seat in range(4) for p in range(1, 84)}
PRIVATE = {turned((0, -n), seat) for seat in range(4) for n in range(2, 9)}
CASTLES = {
    turned(cell, seat) for seat in range(4) for cell in ((0, -9), (1, -6), (-1, -6))
}  # the tip, and the fourth square from it in both outer columns


class Moves:
    """One match, as far as it says what may be done."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self.said = {**DEFAULTS, **(options or {})}
        assert set(self.said) == set(DEFAULTS)
        if self.said["cancel_three"] == "on":
            self.said["timing"] = "turn_end"
        self.table = {2: [0, 2], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[self.said["players"]]
        if self.is_on("two_colours"):
            self.table = [0, 1, 2, 3]
        self.where = {(seat, n): 0 for seat in self.table for n in range(4)}
        self.turn: int | None = self.table[0]
        self.items: list[Item] = []
        self.choosing = self.owed = self.grace_fell = False
        self.recent: list[str] = []
        self.thrown = 0
        self.entered: set[int] = set()
        self.through_gate: set[int] = set()
        self.credit = dict.fromkeys(range(4), 0)
        self.turns = dict.fromkeys(range(4), 0)
        self.memory: dict[tuple[int, int], dict[str, Any]] = {}
        self.place: dict[int, int] = {}
        self.through: list[int] = []
        self.gone: list[int] = []

    def is_on(self, option: str) -> bool:
        return bool(self.said[option] == "on")

    def at_turn_end(self) -> bool:
        return bool(self.said["timing"] == "turn_end")

    def in_order(self) -> bool:
        return self.at_turn_end() and bool(self.said["throw_order"] == "as_thrown")

    def sides(self) -> bool:
        return self.is_on("teams") or self.is_on("two_colours")

    def owner(self, seat: int) -> int:
        return seat % 2 if self.is_on("two_colours") else seat

    def friends(self, seat: int) -> list[int]:
        return [seat, (seat + 2) % 4] if self.sides() else [seat]

    def moving(self) -> int:
        """Return whose pieces move now."""
        assert self.turn is not None
        return (self.turn + 2) % 4 if self.turn in self.through else self.turn

    def spot(self, seat: int, n: int) -> int:
        return self.where[seat, n]

    def row(self, seat: int) -> list[int]:
        return [self.where[seat, n] for n in range(4)]

    def cell(self, seat: int, p: int) -> Cell | None:
        return CELLS.get((seat, p))

    def worth(self, mouths: int) -> int:
        value = WORTH[self.said["cowries"], self.said["schedule"]][mouths]
        return int(self.said["six_up"]) if value == 30 else value

    def may_enter(self, value: int) -> bool:
        if self.said["enter_on"] == "table":
            six = self.said["cowries"] == 6 and self.said["schedule"] == "standard"
            return value in (10, 25, 30, 35) or (six and value == 6)
        kinds = {"6_10_25": (6, 10, 25), "10_25": (10, 25), "10_25_30": (10, 25, 30, 35)}
        return value in kinds[self.said["enter_on"]]

    def without_credit(self, seat: int) -> bool:
        return self.is_on("capture_before_home") and self.credit[seat] == 0

    # ---- one move

    def others_on(self, seat: int, cell: Cell, *, enemies: bool) -> list[tuple[int, int]]:
        found = []
        for (other, n), p in self.where.items():
            if (other not in self.friends(seat)) == enemies and self.cell(other, p) == cell:
                found.append((other, n))
        return found

    def victims(self, seat: int, p: int) -> list[tuple[int, int]]:
        cell = self.cell(seat, p)
        if cell is None or cell in CASTLES or cell in PRIVATE:
            return []
        return self.others_on(seat, cell, enemies=True)

    def may_end(self, seat: int, p: int, *, many: bool) -> bool:
        """Tell whether a piece may stop there."""
        if p == 84:
            return not self.without_credit(seat)
        if p == 83 and self.said["last_square"] == "no_stop":
            return False
        cell = self.cell(seat, p)
        assert cell is not None
        if cell in PRIVATE:
            return True
        if cell in CASTLES:
            return not self.others_on(seat, cell, enemies=True)
        if self.said["own_stacking"] == "castles_only":
            return not many and not self.others_on(seat, cell, enemies=False)
        return True

    def walk(self, seat: int, p: int, steps: int, *, lap: bool, many: bool = False) -> int | None:
        """Go square by square; None where it may not end there."""
        if lap and (p != 76 or not self.is_on("second_lap") or self.without_credit(seat)):
            return None
        round_again = lap or (self.without_credit(seat) and p <= 76)
        for _ in range(steps):
            if p == 84:
                return None
            p = 9 if p == 76 and round_again else p + 1
        return p if self.may_end(seat, p, many=many) else None

    def barred(self, item: Item) -> bool:
        """Tell whether nothing can be done with it but, perhaps, to enter."""
        must = self.said["grace_use"] == "must_enter" and item["enters"]
        return must and 0 in self.row(self.moving())

    def gate_is_shut(self) -> bool:
        return self.is_on("opening_gate") and self.turn not in self.through_gate

    def one(self, number: int, n: int, *, lap: bool) -> int | None:
        item, seat = self.items[number], self.moving()
        p = self.spot(seat, n)
        if self.gate_is_shut() or p == 84 or (p == 0 and lap):
            return None
        if p == 0:
            if item["enters"]:
                return 1
            first = self.said["first_piece"] == "any_throw" and seat not in self.entered
            small = item["kind"] == "ve" and item["steps"] in (2, 3, 4, 5)
            return item["steps"] if first and small else None
        if self.barred(item):
            return None
        if p == 83 and item["enters"] and self.said["last_square"] == "grace_exits":
            return None if self.without_credit(seat) or lap else 84
        if item["kind"] == "e":
            return None
        return self.walk(seat, p, item["steps"], lap=lap)

    # ---- several pieces

    def shareable(self, number: int, how: str) -> bool:
        item = self.items[number]
        if self.said["pieces_per_throw"] != how or self.gate_is_shut():
            return False
        return item["kind"] in ("v", "ve") and not self.barred(item)

    def together(self, number: int, pieces: list[int], *, lap: bool) -> int | None:
        spots = [self.spot(self.moving(), n) for n in pieces]
        alike = len(set(spots)) == 1 and 0 < spots[0] < 84 and len(set(pieces)) == len(pieces) > 1
        if not self.shareable(number, "group") or not alike:
            return None
        return self.walk(self.moving(), spots[0], self.items[number]["steps"], lap=lap, many=True)

    def in_turn(self, number: int, steps: list[Step]) -> list[tuple[list[int], int]] | None:
        """Return where each piece comes, played one after the other."""
        pieces = {n for n, _, _ in steps}
        whole = sum(share for _, share, _ in steps) == self.items[number]["steps"]
        if not self.shareable(number, "split") or not whole or not 1 < len(steps) == len(pieces):
            return None
        seat, ends = self.moving(), []
        kept = dict(self.where), dict(self.credit)
        try:
            for n, share, lap in steps:
                p = self.spot(seat, n)
                target = self.walk(seat, p, share, lap=lap) if 0 < p < 84 else None
                if target is None:
                    return None
                self.do(seat, n, target)
                ends.append(([n], target))
        finally:
            self.where, self.credit = kept
        return ends

    def do(self, seat: int, n: int, target: int) -> None:
        victims = self.victims(seat, target)
        self.where[seat, n] = target
        for victim in victims:
            self.where[victim] = 0
        self.credit[seat] += len({other for other, _ in victims})

    def first_split(self, number: int, *, laps: bool) -> list[Step]:
        """Return the first way to share a throw: lower piece, then larger share, first."""
        if not self.shareable(number, "split"):
            return []
        return self.more_shares(self.items[number]["steps"], [], laps=laps) or []

    def more_shares(self, left: int, done: list[Step], *, laps: bool) -> list[Step] | None:
        seat = self.moving()
        free = [n for n in range(4) if n not in [s[0] for s in done]]
        free = [n for n in free if 0 < self.spot(seat, n) < 84]
        endless = self.is_on("second_lap") or self.without_credit(seat)
        if not endless and sum(84 - self.spot(seat, n) for n in free) < left:
            return None
        for n, share in itertools.product(free, range(left, 0, -1)):
            if share == left and not done:
                continue  # the whole throw is no share
            if share < left and len(free) == 1:
                continue  # nobody is left for the rest
            for lap in (False, True) if laps else (False,):
                target = self.walk(seat, self.spot(seat, n), share, lap=lap)
                if target is None:
                    continue
                so_far = [*done, (n, share, lap)]
                if share == left:
                    return so_far
                kept = dict(self.where), dict(self.credit)
                self.do(seat, n, target)
                found = self.more_shares(left - share, so_far, laps=laps)
                self.where, self.credit = kept
                if found:
                    return found
        return None

    # ---- all that may be done

    def can_use(self, number: int) -> bool:
        for n, lap in itertools.product(range(4), (False, True)):
            if self.one(number, n, lap=lap) is not None:
                return True
        return bool(self.first_split(number, laps=True))

    def declinable(self, number: int) -> bool:
        return self.is_on("may_decline") and self.items[number]["kind"] != "+1"

    def choices(self) -> list[dict[str, Any]]:
        """Return what may be done with each open throw."""
        found = []
        for number in range(len(self.items)):
            now = number == 0 or not self.in_order()
            pieces = range(4) if now else ()
            row = self.row(self.moving())
            groups = [[n for n in range(4) if row[n] == p] for p in dict.fromkeys(row)]
            found.append(
                {
                    "pieces": [n for n in pieces if self.one(number, n, lap=False) is not None],
                    "laps": [n for n in pieces if self.one(number, n, lap=True) is not None],
                    "groups": [
                        group
                        for group in groups
                        if now
                        and any(
                            self.together(number, group, lap=lap) is not None
                            for lap in (False, True)
                        )
                    ],
                    "split": self.first_split(number, laps=True) if now else [],
                    "decline": self.declinable(number),
                }
            )
        return found

    def preferred(self) -> tuple[int, str, list[Step]]:
        """Return what the order of rule P7 does: the throw's number, how, and the moves."""
        now = [0] if self.in_order() else list(range(len(self.items)))
        for lap, laps in ((False, False), (True, True)):
            singles = self.ranked(now, lap=lap)
            if singles:
                number, n, round_again = singles[0]
                return number, "one", [(n, 0, round_again)]
            for number in now:
                if steps := self.first_split(number, laps=laps):
                    return number, "split", steps
        raise AssertionError("nothing can be used")

    def ranked(self, now: list[int], *, lap: bool) -> list[tuple[int, int, bool]]:
        """Return what single pieces can do, the best first; `lap`: round again too."""
        seat = self.moving()
        found = []
        for n, number, again in itertools.product(range(4), now, (False, True)[: 1 + lap]):
            target = self.one(number, n, lap=again)
            if target is None:
                continue
            p = self.spot(seat, n)
            kinds = [
                target == 84,
                bool(self.victims(seat, target)),
                p == 0,
                self.cell(seat, target) in CASTLES,
                self.is_near(seat, p),
                True,
            ]
            kind = kinds.index(True)
            found.append((kind, -p if kind == 5 else 0, n, number, again))
        return [(number, n, again) for _, _, n, number, again in sorted(found)]

    def is_near(self, seat: int, p: int) -> bool:
        cell = self.cell(seat, p)
        if cell is None or cell in CASTLES or cell in PRIVATE:
            return False
        for (other, _), theirs in self.where.items():
            if other in self.friends(seat) or theirs in (0, 84):
                continue
            for mouths in range(self.said["cowries"] + 1):
                round_again = self.without_credit(other) and theirs <= 76
                target = theirs + self.worth(mouths)
                if round_again and target > 76:
                    target -= 68
                if target <= 76 and self.cell(other, target) == cell:
                    return True
        return False

    def item_text(self, item: Item) -> str:
        if item["kind"] in ("e", "+1"):
            return str(item["kind"])
        return f"{item['steps']}{'e' if item['enters'] else ''}"
