"""Pachisi once more, slowly: dictionaries and loops, written from the rules text alone.

It shares nothing with the rules under test but the words of the refusals. Squares are cells of the
drawn board, so whoever shares a square is seen by where it is drawn, and it is asked the same
questions. What a seat may do with an open throw stands in `pachisi_oracle_moves`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.property.pachisi_oracle_moves import Item, Moves, Step


class Oracle(Moves):
    """One match."""

    # ---- the start

    def throw_for_the_start(self, throw: Callable[[], int]) -> None:
        """Let the highest throw start; who shares it throws again."""
        left = list(self.table)
        while len(left) > 1:
            thrown = {seat: self.worth(throw()) for seat in left}
            left = [seat for seat in left if thrown[seat] == max(thrown.values())]
        self.turn = left[0]

    # ---- what may happen; each returns the word of its refusal, or None

    def refusal(self, seat: int, wanted: str) -> str | None:
        if self.turn is None:
            return "not_playing"
        if seat != self.owner(self.turn):
            return "not_your_turn"
        if wanted == "throw" and self.choosing:
            return "move_expected"
        if wanted == "use" and not self.choosing:
            return "roll_first"
        return None

    def throw(self, seat: int, mouths: int) -> str | None:
        if (word := self.refusal(seat, "throw")) is not None:
            return word
        assert self.turn is not None
        value = self.worth(mouths)
        grace = value not in (2, 3, 4, 5)
        if value in (2, 3, 4):
            self.through_gate.add(self.turn)
        number, self.thrown = self.thrown, self.thrown + 1
        at_end = self.at_turn_end()
        graced = any(i["enters"] for i in self.items) if at_end else self.grace_fell
        self.grace_fell = self.grace_fell or self.may_enter(value)
        if value in (7, 14) and self.is_on("seven_needs_piece"):
            on_board = [p for p in self.row(self.moving()) if 0 < p < 84]
            if not on_board and not graced:
                self.play_or_pass()
                return None
        self.items += self.parts(number, value)
        if not at_end:
            if grace:
                self.owed = True
            if self.too_large(value):
                self.items = []
                self.owed = self.owed and not self.is_on("overshoot_ends_turn")
            self.play_or_pass()
            return None
        stops = not grace
        if self.counts_to_three(value):
            last = (number, number - 1, number - 2)
            self.items = [i for i in self.items if i["throw"] not in last]
            self.recent = []
            stops = stops or self.said["after_cancel"] == "end_turn"
        if stops:
            self.play_or_pass()
        return None

    def counts_to_three(self, value: int) -> bool:
        if not self.is_on("cancel_three"):
            return False
        kinds = {10: "h", 25: "h", 30: "h", 35: "h", 7: "s", 14: "f"}
        self.recent.append(kinds.get(value, ""))
        last = self.recent[-3:]
        return len(last) == 3 and last[0] != "" and len(set(last)) == 1

    def parts(self, number: int, value: int) -> list[Item]:
        enters, high = self.may_enter(value), value in (10, 25, 30, 35)
        pyada = high and self.is_on("pyada") and 0 not in self.row(self.moving())
        steps = value + (pyada and self.said["pyada_unit"] == "joined")
        found: list[Item] = []
        if enters and self.said["grace_use"] == "bonus":
            found.append({"throw": number, "kind": "e", "steps": value, "enters": True})
            found.append({"throw": number, "kind": "v", "steps": steps, "enters": False})
        else:
            found.append({"throw": number, "kind": "ve", "steps": steps, "enters": enters})
        if pyada and self.said["pyada_unit"] == "separate":
            found.append({"throw": number, "kind": "+1", "steps": 1, "enters": False})
        return found

    def too_large(self, value: int) -> bool:
        """Rule P4.8, with its options."""
        seat = self.moving()
        on_board = [p for p in self.row(seat) if 0 < p < 84]
        if not on_board:
            return False
        steps = max(i["steps"] for i in self.items if i["kind"] != "e")
        for p in on_board:
            if self.is_on("capture_before_home") and self.credit[seat] == 0 and p <= 76:
                return False
            if self.is_on("second_lap") and p == 76 and not self.without_credit(seat):
                return False
        if self.said["pieces_per_throw"] == "split":
            if sum(84 - p for p in on_board) >= steps:
                return False
        elif any(p + steps <= 84 for p in on_board):
            return False
        for number, item in enumerate(self.items):
            if item["kind"] == "+1" and self.can_use(number):
                return False
            for n in range(4):
                if self.spot(seat, n) in (0, 83) and self.one(number, n, lap=False) is not None:
                    return False
        return True

    def use(self, seat: int, number: int, steps: list[Step], how: str) -> str | None:
        if (word := self.refusal(seat, "use")) is not None:
            return word
        now = [0] if self.in_order() else list(range(len(self.items)))
        if number not in now or number >= len(self.items):
            return "illegal_move"
        if how == "one":
            ((n, _, lap),) = steps
            target = self.one(number, n, lap=lap)
            ends = None if target is None else [([n], target)]
        elif how == "group":
            pieces = [n for n, _, _ in steps]
            target = self.together(number, pieces, lap=steps[0][2])
            ends = None if target is None else [(pieces, target)]
        else:
            ends = self.in_turn(number, steps)
        if ends is None:
            return "illegal_move"
        mine = self.moving()
        del self.items[number]
        for pieces, target in ends:
            for n in pieces:
                if self.spot(mine, n) == 0:
                    self.entered.add(mine)
                self.where[mine, n] = target
            self.send_back(mine, pieces, target)
        if self.row(mine) == [84] * 4:
            self.finish(mine)
        else:
            self.play_or_pass()
        return None

    def send_back(self, mine: int, pieces: list[int], target: int) -> None:
        """Capture, count and take away."""
        victims = self.victims(mine, target)
        for victim in victims:
            self.where[victim] = 0
        if victims and self.is_on("capture_bonus"):
            self.owed = True
        cell = self.cell(mine, target)
        for other in sorted({seat for seat, _ in victims}):
            self.credit[mine] += 1
            theirs = self.memory.get((other, mine))
            if (
                theirs is not None
                and self.turn == mine
                and theirs["open"]
                and theirs["cell"] == cell
                and theirs["on turn"] == self.turns[mine]
                and any((other, n) in victims for n in theirs["pieces"])
                and (self.said["recapture_void"] == "any" or theirs["nth"] == 1)
                and self.said["recapture_void"] != "off"
            ):
                theirs["open"] = False
                self.credit[other] -= 1
            before = self.memory.get((mine, other))
            self.memory[mine, other] = {
                "cell": cell,
                "pieces": list(pieces),
                "on turn": self.turns[other] + 1,
                "open": True,
                "nth": 1 if before is None else before["nth"] + 1,
            }

    def decline(self, seat: int, number: int) -> str | None:
        if (word := self.refusal(seat, "use")) is not None:
            return word
        if number >= len(self.items) or not self.declinable(number):
            return "illegal_move"
        del self.items[number]
        self.play_or_pass()
        return None

    def leave(self, seat: int) -> None:
        seat = self.owner(seat)
        if self.turn is None or seat not in self.table or seat in self.gone:
            return
        colours = [s for s in self.table if self.owner(s) == seat]
        unfinished = [s for s in colours if s not in self.through]
        self.gone += colours
        for s in unfinished:
            for n in range(4):
                del self.where[s, n]
        if unfinished:
            if not self.sides() and self.said["finish"] == "places":
                self.place[seat] = max(self.free_places())
            if self.over():
                return
        if self.turn == seat:
            self.next_turn()

    # ---- how it goes on

    def play_or_pass(self) -> None:
        while self.items:
            now = [0] if self.in_order() else list(range(len(self.items)))
            if any(self.can_use(number) for number in now):
                self.choosing = True
                self.recent = []
                return
            self.items = [item for n, item in enumerate(self.items) if n not in now]
        self.choosing = False
        self.recent = []
        if self.owed:
            self.owed = False
        else:
            self.next_turn()

    def next_turn(self) -> None:
        assert self.turn is not None
        seat = self.turn
        while True:
            seat = (seat + 1) % 4
            helps = self.said["finished_partner"] == "plays_partner" and seat in self.through
            if seat in self.table and seat not in self.gone and (seat not in self.through or helps):
                break
        self.turn, self.items, self.recent = seat, [], []
        self.choosing = self.owed = self.grace_fell = False
        self.turns[seat] += 1

    def finish(self, seat: int) -> None:
        self.through.append(seat)
        if not self.sides():
            self.place[seat] = min(self.free_places())
        if not self.over():
            self.next_turn()

    def free_places(self) -> list[int]:
        taken = self.place.values()
        return [place for place in range(1, len(self.table) + 1) if place not in taken]

    def over(self) -> bool:
        if self.sides():
            winner = self.winning_side()
            if not winner:
                return False
            for seat in self.table:
                self.place[seat] = 1 if seat in winner else 2
            if self.said["finish"] == "first_only":
                self.place = dict.fromkeys(winner, 1)
        elif self.said["finish"] == "places" or not self.place:
            still = [s for s in self.table if s not in self.through + self.gone]
            if len(still) > 1:
                return False
            self.place[still[0]] = min(self.free_places())
        self.turn, self.items, self.recent = None, [], []
        self.choosing = self.owed = self.grace_fell = False
        return True

    def winning_side(self) -> list[int]:
        for side, others in (([0, 2], [1, 3]), ([1, 3], [0, 2])):
            fled = [seat for seat in others if seat in self.gone and seat not in self.through]
            if fled or all(seat in self.through for seat in side):
                return side
        return []

    # ---- to compare

    def picture(self) -> dict[str, Any]:
        """Return everything there is to compare."""
        on = self.is_on
        run = self.recent[-1:] if self.recent and self.recent[-1] else []
        if run and self.recent[-2:-1] == run:
            run = run * 2
        return {
            "awaited": None
            if self.turn is None
            else (self.owner(self.turn), "use" if self.choosing else "throw"),
            "turn": self.turn,
            "items": [self.item_text(item) for item in self.items],
            "more": self.choosing and self.owed,
            "run": "".join(run),
            "where": {s: self.row(s) for s in self.table if (s, 0) in self.where},
            "entered": sorted(self.entered),
            "gate": sorted(self.through_gate) if on("opening_gate") else [],
            "credit": [self.credit[s] for s in range(4)] if on("capture_before_home") else [],
            "places": dict(self.place),
            "choices": self.choices() if self.choosing else [],
        }
