"""A second reading of Carrom's rules K4 to K8: what shots mean, all options included.

It follows the page of rules with names of its own and shares no line with the code under test. It
knows of no places: it is told which pieces fell, and says which go back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

TABLE: Final = """
S1 B0,B1,P 0,+,L 0,+,L n,y y all    board   striker      pass -
S2 C       0,+,L 0,+,L n   y all    covered striker      pass -
N1 B0,B1   0     0,+   n   n -      board   -            pass -
N2 B0,B1   +     0,+   n   n -      board   -            again -
N3 B0,B1   L     0,+   n   n own    board   last_own     pass -
N4 B0,B1   0,+   L     n   n other  board   last_other   pass -
N5 B0,B1   L     L     n   n both   board   last_of_both pass -
Q1 B0      0     0,+   y   n -      board   -            pass -
Q2 B0      0     L     y   n other  board   last_other   pass -
Q3 B0,B1   +     0,+   y   n -      covered -            again -
Q4 B0,B1   +     L     y   n -      covered -            end  other
Q5 B1      0     0,+   y   n -      pending -            again -
Q6 B1      0     L     y   n other  board   last_other   pass -
Q7 B0,B1   L     0,+,L y   n -      covered -            end  own
P1 P       +     0,+   n   n -      covered -            again -
P2 P       +     L     n   n -      covered -            end  other
P3 P       L     0,+,L n   n -      covered -            end  own
P4 P       0     0,+   n   n -      board   -            pass -
P5 P       0     L     n   n other  board   last_other   pass -
C1 C       0     0,+   n   n -      covered -            pass -
C2 C       +     0,+   n   n -      covered -            again -
C3 C       0,+   L     n   n -      covered -            end  other
C4 C       L     0,+,L n   n -      covered -            end  own
"""
ROWS: Final = [line.split() for line in TABLE.strip().splitlines()]
WHITE_IDS: Final = {3, 5, 7, 8, 10, 12, 14, 16, 18}
SMALL_LEAVES_OUT: Final = {8, 11, 12, 15, 16, 19}
WORTH: Final = {
    "5_10_50": (5, 10, 50), "5_10_25": (5, 10, 25), "1_1_3": (1, 1, 3), "10_20_50": (10, 20, 50),
}  # fmt: skip


@dataclass
class Said:
    """What a shot means."""

    before: str
    row: str
    back: list[int]
    queen: str
    foul: str
    turn: str
    winner: str
    debts: list[int] = field(default_factory=list)


class Referee:
    """One match."""

    def __init__(self, options: dict[str, Any], seats: list[int]) -> None:
        self.o, self.seats = options, seats
        self.alone = options["mode"] == "points"
        self.score = {0: 0, 1: 0}
        self.left: list[int] = []
        self.number = 0
        self.winners: list[list[int]] | None = None
        self.lay(seats[0])

    def lay(self, breaker: int) -> None:
        self.number += 1
        self.breaker = self.turn = breaker
        out = SMALL_LEAVES_OUT if self.o["coins_each"] == 6 else set()
        self.all = [d for d in range(2, 20) if d not in out]
        self.up = {*self.all, 1} if self.o["queen"] == "on" else {*self.all}
        self.queen = "board" if self.o["queen"] == "on" else "covered"
        self.coverer: int | None = None
        self.sank: dict[int, int] = {}
        groups = self.seats if self.alone else [0, 1]
        self.ever = dict.fromkeys(groups, False)
        self.debt = dict.fromkeys(groups, 0)
        self.breaks = self.o["break_tries"]

    # ---- who is who

    def group(self, seat: int) -> int:
        """White is 0 and black is 1; alone everybody is himself."""
        if self.alone:
            return seat
        return (self.seats.index(seat) + self.seats.index(self.breaker)) % 2

    def goal(self, seat: int) -> set[int]:
        if self.alone:
            return {*self.all}
        white = self.group(seat) == 0
        return {d for d in self.all if (d in WHITE_IDS) == white}

    def down(self, group: int) -> list[int]:
        """What of a group's is down, the lowest first."""
        if self.alone:
            return sorted(d for d, seat in self.sank.items() if seat == group)
        return [d for d in self.all if (d in WHITE_IDS) == (group == 0) and d not in self.up]

    def after(self, seat: int) -> int:
        at = self.seats.index(seat)
        order = self.seats[at + 1 :] + self.seats[: at + 1]
        return next(s for s in order if s not in self.left)

    # ---- a shot

    def shot(self, fell: list[int], *, touched: bool) -> Said:
        me = self.group(self.turn)
        goal = self.goal(self.turn)
        mine = [d for d in fell if d in goal]
        theirs = [d for d in fell if d > 1 and d not in goal]
        counted = [] if self.o["opponent_coin"] == "returns" else theirs
        before = self.letter(me)
        a = _amount(mine, self.up & goal)
        b = _amount(counted, self.up - goal - {1})
        q, s = ("y" if d in fell else "n" for d in (1, 0))
        (row,) = [
            r for r in ROWS
            if before in r[1].split(",") and a in r[2].split(",") and b in r[3].split(",")
            and q in r[4].split(",") and s == r[5]
        ]  # fmt: skip
        said = Said(before, row[0], [], row[7], row[8], row[9], row[10])
        own, price, other = self.changed(said, row[6], mine, counted, (a, b), queen=q == "y")
        clean = said.turn != "end" and said.foul == "-"
        if clean and counted and self.o["opponent_coin"] == "stays_fine":
            said.foul, price = "other_coin", 1
        if self.o["opponent_coin"] == "returns":
            other = theirs
        self.take(said, fell, own, price, other, me)
        self.go_on(said, me, touched=touched)
        return said

    def letter(self, me: int) -> str:
        if self.queen in ("covered", "pending"):
            return {"covered": "C", "pending": "P"}[self.queen]
        return "B1" if self.ever[me] or self.o["queen_after_first"] == "off" else "B0"

    def changed(
        self,
        said: Said,
        back: str,
        mine: list[int],
        theirs: list[int],
        amounts: tuple[str, str],
        *,
        queen: bool,
    ) -> tuple[list[int], int, list[int]]:
        """Apply the options; return the own coins that go back, the price, the others."""
        own = mine if back == "all" else mine[-1:] if back in ("own", "both") else []
        other = theirs if back == "all" else theirs[-1:] if back in ("other", "both") else []
        price = 0
        lost = self.o["last_coin_early"] == "lose_board" and said.foul.startswith("last")
        if said.foul == "striker":
            price = self.o["striker_penalty"]
            if mine and self.o["striker_with_own"] == "keeps_turn":
                said.turn = "again"
            if self.o["striker_with_opponent"] == "stays" and theirs:
                other = []
                if amounts[1] == "L" and said.before == "C":
                    said.turn, said.winner = "end", "other"
                elif amounts[1] == "L" and self.o["last_coin_early"] == "lose_board":
                    lost = True
                elif amounts[1] == "L":
                    other = theirs[-1:]
        elif said.row in ("Q3", "Q4", "Q7"):
            own, other = self.together(said, mine, theirs, amounts)
        elif said.row == "Q1" and self.o["early_queen_turn"] == "again":
            said.queen, said.turn = "held", "again"
        elif self.queen == "held" and said.turn == "again":
            said.queen = "held"
        if lost:
            said.turn, said.winner = "end", "other"
            said.queen = "pending" if said.before == "P" or queen else self.queen
            return [], 0, []
        return own, price, other

    def together(
        self, said: Said, mine: list[int], theirs: list[int], amounts: tuple[str, str]
    ) -> tuple[list[int], list[int]]:
        """The queen and own coins in one shot."""
        first = said.before == "B0"
        returns = first and self.o["first_with_queen"] == "returns"
        single = first and self.o["first_with_queen"] == "must_cover" and len(mine) == 1
        if not (returns or single or self.o["same_shot_cover"] == "does_not_count"):
            return [], []
        said.queen, said.turn, said.winner = ("board" if returns else "pending"), "again", "-"
        if "L" not in amounts:
            return [], []
        own, other = (
            x[-1:] if n == "L" else [] for x, n in zip((mine, theirs), amounts, strict=True)
        )
        said.queen, said.turn = "board", "pass"
        said.foul = "last_of_both" if own and other else "last_own" if own else "last_other"
        return own, other

    def take(
        self, said: Said, fell: list[int], own: list[int], price: int, other: list[int], me: int
    ) -> None:
        """Let pieces fall and go back."""
        paid = self.down(me)[:price]
        self.up -= {*fell}
        self.sank |= dict.fromkeys((d for d in fell if d > 1), self.turn)
        queen = [1] if said.queen == "board" and 1 not in self.up else []
        said.back = [*queen, *own, *paid, *other]
        self.put(said.back)
        if said.queen == "covered" and self.queen != "covered":
            self.coverer = self.turn
        self.queen = said.queen
        for group in self.ever:
            self.ever[group] |= bool(self.down(group))
        if said.foul == "striker" and self.o["striker_debt"] == "carried":
            self.debt[me] += price - len(paid)

    def put(self, back: list[int]) -> None:
        self.up |= {*back}
        for d in back:
            self.sank.pop(d, None)

    def go_on(self, said: Said, me: int, *, touched: bool) -> None:
        self.breaks = 0 if touched else max(self.breaks - 1, 0)
        if said.turn == "end":
            self.end(self.group(self.turn) if said.winner == "own" else None, said)
            return
        groups = [*self.debt]
        at = groups.index(me)
        for group in groups[at:] + groups[:at]:
            coins = self.down(group)[: self.debt[group]]
            self.debt[group] -= len(coins)
            said.debts += coins
        self.put(said.debts)
        if said.turn == "pass" and self.breaks:
            said.turn = "untouched"
        elif said.turn == "pass":
            self.turn = self.after(self.turn)

    # ---- ends

    def end(self, winner: int | None, said: Said | None = None) -> None:
        """The board is over; alone, `winner` None is whoever shot and lost."""
        if self.alone:
            loser = None if winner is not None else self.turn
            self.winners = self.ranking(loser)
            return
        won = 1 - self.group(self.turn) if winner is None else winner
        team = [seat for seat in self.seats if self.group(seat) == won]
        side = 0 if self.seats[0] in team else 1
        rule = self.o["match"]
        if rule == "best_of_3":
            self.score[side] += 1
        elif rule != "one_board":
            points = sum((d in WHITE_IDS) == (won == 1) for d in self.up if d > 1)
            if self.coverer in team:
                small = 0 if self.score[side] >= 22 else 3
                points += 5 if rule == "29_points" else small
            self.score[side] += points
        best = 0 if self.score[0] >= self.score[1] else 1
        enough = self.score[best] >= {"best_of_3": 2, "25_points": 25, "29_points": 29}.get(rule, 0)
        late = rule[:2] in ("25", "29") and self.number >= 8 and self.score[0] != self.score[1]
        if rule == "one_board":
            best, enough = side, True
        if said is None:  # somebody left
            best, enough = side, True
        if enough or late:
            first = self.seats[0 if best == 0 else 1 :: 2]
            self.winners = [[*first], [s for s in self.seats if s not in first]]
        else:
            self.lay(self.after(self.breaker))

    def points(self, seat: int) -> int:
        black, white, queen = WORTH[self.o["point_values"]]
        coins = sum(white if d in WHITE_IDS else black for d in self.down(seat))
        return coins + (queen if self.coverer == seat else 0)

    def ranking(self, loser: int | None) -> list[list[int]]:
        """Groups of seats that share a place, best first."""
        there = [s for s in self.seats if s not in self.left and s != loser]
        merits = sorted({(self.points(s), self.coverer == s) for s in there}, reverse=True)
        ranks = [[s for s in there if (self.points(s), self.coverer == s) == m] for m in merits]
        return [*ranks, *([[loser]] if loser is not None else []), *([s] for s in self.left[::-1])]

    def leave(self, seat: int) -> None:
        if not self.alone:
            self.end(1 - self.group(seat))
            return
        self.left.append(seat)
        if len(self.left) == len(self.seats) - 1:
            self.winners = self.ranking(None)
        elif self.turn == seat:
            if self.queen in ("pending", "held"):
                self.queen = "board"
                self.put([1])
            self.turn = self.after(seat)


def _amount(coins: list[int], there: set[int]) -> str:
    return "0" if not coins else "L" if len(coins) == len(there) else "+"
