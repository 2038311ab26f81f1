"""One match as a phone follows it: its records in their chain, whose turn it is, and what is wrong.

It works on decoded JSON and not on the messages' models, so that hundreds of phones in one process
cost less than the house that they play with. What it folds is the part that a player must know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from random import Random
from typing import Any, Final

from sahrat.messages.envelope import GENESIS
from services.house.hands import HANDS, Hand

FORGOTTEN: Final = "forgotten"
BOTS: Final = "system:bots"
_ENDS: Final = {"ended": "match.ended", "stopped": "match.stopped", "closed": "table.closed"}
Event = Mapping[str, Any]


class Sitter:
    """Who sits at the table; `bot`: a bot plays the seat now; `forfeited`: he left a coin table for
    good, without a place.
    """

    __slots__ = ("bot", "forfeited", "left", "player_id")

    def __init__(
        self, player_id: str, *, bot: bool, left: bool = False, forfeited: bool = False
    ) -> None:
        self.player_id = player_id
        self.bot = bot
        self.left = left
        self.forfeited = forfeited


class Followed:
    """What one phone has seen of a match.

    Args:
        match_id: The match.
        me: The player whose phone it is.

    Attributes:
        seq, digest: Of the last record seen.
        digests: SHA-256 of every record seen, in hex, by its number.
        seat: The own seat; None before play began, or for who only looks on.
        step: The step that is open; 0 before play began.
        entry_coins: What it costs to play; 0 at a free table.
        net_coins: What the match has brought this player or cost him, once it is over; None while
            it is not, and where its end was not seen.
        places: Place by seat, once the match has ended.
        end: The type of the last event; empty while the match is on, `forgotten` where it has been
            over for so long that the house knows it no more.
        again: Records that came a second time, with the same bytes.
        timed_out: How many of the own steps the clock played.
        lost_steps: Steps that somebody else played for this player, the clock or a bot; also those
            of which it was not seen who played them.
        returned: How often a bot gave the own seat back.
        problems: What did not fit, in words.
    """

    __slots__ = (
        "_hand",
        "_seated",
        "_sender",
        "_sitters",
        "_step_seat",
        "again",
        "digest",
        "digests",
        "end",
        "entry_coins",
        "lost_steps",
        "match_id",
        "me",
        "net_coins",
        "options",
        "places",
        "problems",
        "returned",
        "seat",
        "seq",
        "step",
        "timed_out",
    )

    def __init__(self, match_id: str, me: str) -> None:
        self.match_id = match_id
        self.me = me
        self.seq = 0
        self.digest = GENESIS
        self.digests: dict[int, str] = {}
        self.seat: int | None = None
        self.step = 0
        self.options: Mapping[str, Any] = {}
        self.entry_coins = 0
        self.net_coins: int | None = None
        self.places: dict[int, int] = {}
        self.end = ""
        self.again = 0
        self.timed_out = 0
        self.returned = 0
        self.lost_steps: set[int] = set()
        self.problems: list[str] = []
        self._sender = f"player:{me}"
        self._hand: Hand | None = None
        self._sitters: list[Sitter] = []
        self._seated: dict[int, Sitter] = {}
        self._step_seat: int | None = None

    # ---- asking

    @property
    def my_turn(self) -> bool:
        """Whether this player is to act now, and no bot acts for him."""
        if self._step_seat is None or self._step_seat != self.seat or self.end:
            return False
        sitter = self._seated[self._step_seat]
        return not sitter.bot and not sitter.left

    @property
    def mine(self) -> Sitter | None:
        """This player at the table; None for who only looks on."""
        return next((s for s in self._sitters if s.player_id == self.me), None)

    @property
    def replaced(self) -> bool:
        """Whether a bot plays this player's seat until he asks for it again: he got up, or missed
        too many steps.
        """
        mine = self.mine
        return mine is not None and mine.bot and mine.left

    @property
    def forfeited(self) -> bool:
        """Whether this player has left a coin table for good, without a place."""
        mine = self.mine
        return mine is not None and mine.forfeited

    def choose(self, chance: Random) -> dict[str, Any]:
        """Return an intent for the open step."""
        if self._hand is None:
            raise ValueError(f"{self.match_id} is of a game that this phone can't play")
        return self._hand.choose(chance)

    # ---- seeing

    def take(self, data: bytes, record: Mapping[str, Any]) -> bool:
        """Take a record that came, as it came and decoded; return whether it is the next one."""
        seq, digest = record["seq"], sha256(data).hexdigest()
        if seq != self.seq + 1:
            self._out_of_order(seq, digest)
            return False
        if record["prev"] != self.digest:
            self._wrong(f"record {seq} does not continue the record {self.seq} that was seen")
        self.seq, self.digest = seq, digest
        self.digests[seq] = digest
        sender = record["caused_by"]["sender"]
        self._check_sender(seq, sender)
        step, was_mine = self.step, self._step_seat is not None and self._step_seat == self.seat
        for event in record["events"]:
            kind = event["type"]
            known = _KNOWN.get(kind)
            if known is not None:
                known(self, event)
            elif self._hand is not None:
                self._hand.take(event)
        if was_mine and sender != self._sender and (self.step != step or self.end):
            self.lost_steps.add(step)
        return True

    def load(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from a snapshot, which stands in for the records that it is too late for."""
        seq, digest, state = snapshot["seq"], snapshot["digest"], snapshot["state"]
        if seq < self.seq or (seq == self.seq and digest != self.digest):
            self._wrong(
                f"the snapshot at record {seq} does not fit record {self.seq} that was seen"
            )
            return
        self.seq, self.digest = seq, digest
        self.digests[seq] = digest
        self._sitters = [
            Sitter(s["player_id"], bot=s["bot"], left=s["left"], forfeited=s["forfeited"])
            for s in state["sitters"]
        ]
        self.entry_coins = state["entry_coins"]
        self._seat_all([s["seat"] for s in state["sitters"] if s["seat"] is not None])
        self.lost_steps.update(range(self.step, state["step"]))  # who played these was not seen
        self.step, self._step_seat = state["step"], state["step_seat"]
        self._begin(state["rules"].partition("/")[0], state["options"])
        if state["phase"] in _ENDS:
            self.end = _ENDS[state["phase"]]
            self.places = {place["seat"]: place["place"] for place in state["places"]}
        if state["board"] is not None and self._hand is not None:
            self._hand.load(state["board"])

    def _out_of_order(self, seq: int, digest: str) -> None:
        if seq > self.seq:
            self._wrong(f"record {seq} came after record {self.seq}")
        elif self.digests.get(seq, digest) != digest:
            self._wrong(f"record {seq} came again with other bytes")
        else:
            self.again += 1

    def _check_sender(self, seq: int, sender: str) -> None:
        """A bot may only act for a seat that a bot plays (rule S)."""
        if sender == BOTS and self._step_seat is not None:
            sitter = self._seated[self._step_seat]
            if not sitter.bot:
                self._wrong(f"record {seq}: a bot acted for seat {self._step_seat}, not a bot's")

    def _wrong(self, what: str) -> None:
        self.problems.append(f"{self.match_id}: {what}")

    # ---- events

    def _begin(self, game: str, options: Mapping[str, Any]) -> None:
        self.options = options
        made = HANDS.get(game)
        self._hand = None if made is None else made(options)

    def _opened(self, event: Event) -> None:
        self._begin(event["game"], event["options"])
        self.entry_coins = event["entry_coins"]

    def _taken(self, event: Event) -> None:
        if event["bot"] and self.entry_coins:
            self._wrong("a bot sits at a coin table")
        self._sitters.append(Sitter(event["player_id"], bot=event["bot"]))

    def _freed(self, event: Event) -> None:
        self._sitters = [s for s in self._sitters if s.player_id != event["player_id"]]

    def _started(self, event: Event) -> None:
        self._sitters = [self._sitters[sitter] for sitter in event["dealt"]]
        self._seat_all(event["seats"])

    def _seat_all(self, seats: list[int]) -> None:
        self._seated = dict(zip(seats, self._sitters, strict=False))
        self.seat = next((s for s, who in self._seated.items() if who.player_id == self.me), None)

    def _step_opened(self, event: Event) -> None:
        self.step, self._step_seat = event["step"], event["seat"]

    def _step_timed_out(self, event: Event) -> None:
        self.timed_out += event["seat"] == self.seat

    def _present(self, event: Event) -> None:
        for sitter in self._sitters:
            if sitter.player_id == event["player_id"]:
                sitter.bot = sitter.left = False
                self.returned += event["returned"] and sitter.player_id == self.me

    def _gone(self, event: Event) -> None:
        for sitter in self._sitters:
            if sitter.player_id == event["player_id"]:
                sitter.bot = event["bot"]
                sitter.left = event["why"] != "away" or self.entry_coins > 0
                sitter.forfeited = self.entry_coins > 0 and not event["kept"]
                if event["bot"] and self.entry_coins:
                    self._wrong("a bot plays at a coin table")

    def _settled(self, event: Event) -> None:
        if self.mine is not None:
            won = {prize["player_id"]: prize["coins"] for prize in event["prizes"]}
            self.net_coins = won.get(self.me, 0) - self.entry_coins
        if event["fee_coins"] + sum(p["coins"] for p in event["prizes"]) != event["pot_coins"]:
            self._wrong("prizes and fee are not the pot")

    def _earned(self, event: Event) -> None:
        """What the day allows of it is known to the wallet alone."""
        self.net_coins = next(
            (reward["coins"] for reward in event["rewards"] if reward["player_id"] == self.me), 0
        )

    def _over(self, event: Event) -> None:
        self.end = event["type"]
        self.net_coins = self.net_coins or 0
        self._step_seat = None
        self.places = {place["seat"]: place["place"] for place in event.get("places", ())}


_KNOWN: Final[Mapping[str, Callable[[Followed, Event], None]]] = {
    "table.opened": Followed._opened,
    "seat.taken": Followed._taken,
    "seat.freed": Followed._freed,
    "match.started": Followed._started,
    "step.opened": Followed._step_opened,
    "step.timed_out": Followed._step_timed_out,
    "player.present": Followed._present,
    "player.left": Followed._gone,
    "entries.settled": Followed._settled,
    "coins.earned": Followed._earned,
    "match.ended": Followed._over,
    "match.stopped": Followed._over,
    "table.closed": Followed._over,
}
"""What is folded of the events around a game; any other event is the game's."""
