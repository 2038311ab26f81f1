"""One match as far as its coins go: who sits there, what is held, who is to get how many.

Folded from the events of the match around the game alone. Of the game it takes the places at the
end; whether those are right, and who had a place when he left, `sahrat verify` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.envelope import GENESIS
from services.audit.core.fault import Fault, Law, Place
from services.audit.core.shares import (
    LARGEST_ENTRY,
    LEAST_ENTRY,
    PARTNERS,
    are_places,
    earnings,
    share_out,
)

OPEN = "open"
FUNDING = "funding"
PLAYING = "playing"
OVER = "over"


class Damaged(Exception):
    """A match's records can't be what happened: nothing more of it counts."""


@dataclass(slots=True)
class Sitter:
    """Who sits there. `bot`: a bot plays the seat; `left`: he got up; `kept`: with a place."""

    player_id: str
    bot: bool
    left: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """What a record asks of the ledger.

    Attributes:
        cause: The record, as the command must name it.
        id: The id that the command must have.
        command: What it must say.
    """

    cause: w.MatchCause
    id: str
    command: w.Command


@dataclass(slots=True)
class Table:
    """A match.

    Attributes:
        seq, digest, at_ms: Of its last record; GENESIS before the first.
        sitters: In order of sitting down; by seat once play began.
        size: How many play there.
        sides: Whether partners may share a place.
        draws: Whether a match may be drawn: where everybody plays for points.
        attempt: The funding under way, or whose entries are played for; 0 for none.
        began: Whether the last record taken began play at a coin table.
    """

    match_id: str
    rules: str
    seq: int = 0
    digest: str = GENESIS
    at_ms: int = 0
    phase: str = ""
    entry_coins: int = 0
    sitters: list[Sitter] = field(default_factory=list)
    seats: tuple[int, ...] = ()
    size: int = 0
    sides: bool = False
    draws: bool = False
    attempt: int = 0
    began: bool = False

    @property
    def free(self) -> bool:
        """Whether nothing is paid to play."""
        return self.entry_coins == 0

    def take(self, events: Sequence[Message], seq: int) -> Message | None:
        """Take the events of the next record, and return the one that moves coins.

        Raises:
            Fault: The record breaks a rule of coins.
            Damaged: It can't have happened.
        """
        moving = [event for event in events if isinstance(event, m.MOVES_COINS)]
        if len(moving) > 1:
            raise Damaged(f"record {seq} moves coins twice")
        self.began = False
        for event in events:
            self._take(event, events, seq)
        return moving[0] if moving else None

    def _take(self, event: Message, events: Sequence[Message], seq: int) -> None:
        if isinstance(event, m.TableOpened) == bool(self.phase) or self.phase == OVER:
            raise Damaged(f"record {seq} has {type(event).__name__} where it can't be")
        if isinstance(event, m.SeatTaken | m.SeatFreed) and self.phase == PLAYING:
            raise Damaged(f"record {seq} has {type(event).__name__} while it is played")
        match event:
            case m.TableOpened():
                self._opened(event, seq)
            case m.SeatTaken():
                if event.bot and not self.free:
                    raise self._fault("B2", seq, "a bot at a coin table")
                self.sitters.append(Sitter(event.player_id, event.bot))
            case m.SeatFreed():
                self.sitters.remove(self._sitter(event.player_id))
            case m.FundingBegan():
                self._funding(event, seq)
            case m.FundingFailed():
                if self.phase != FUNDING or event.attempt != self.attempt:
                    raise Damaged(f"record {seq} ends a funding that was not under way")
                self.phase, self.attempt = OPEN, 0
            case m.MatchStarted():
                self._started(event, seq)
            case m.PlayerAway():
                self._stays(event.player_id, seq)
            case m.PlayerPresent():
                sitter = self._stays(event.player_id, seq)
                sitter.bot = sitter.left = False
            case m.PlayerLeft():
                sitter = self._sitter(event.player_id)
                sitter.bot, sitter.kept = event.bot, event.kept
                sitter.left = event.why != "away" or not self.free
                if event.bot and not self.free:
                    raise self._fault("B2", seq, "a bot at a coin table")
            case _:
                self._take_end(event, events, seq)

    def _take_end(self, event: Message, events: Sequence[Message], seq: int) -> None:
        match event:
            case m.EntriesSettled():
                self._settled(event, _ended(events), seq)
            case m.EntriesRefunded():
                self._refunded(event, events, seq)
            case m.CoinsEarned():
                if _ended(events) is None or not self.free:
                    raise self._fault("M2", seq, "coins are earned where no free match ends")
            case m.MatchEnded():
                self._end(event, events, seq)
            case m.MatchStopped():
                held = not self.free and self.phase in (FUNDING, PLAYING)
                if held and not any(isinstance(e, m.EntriesRefunded) for e in events):
                    raise self._fault("W4", seq, "it is stopped, and its entries are not refunded")
                self.phase = OVER
            case m.TableClosed():
                if self.phase != OPEN:
                    raise self._fault("W3", seq, f"it is closed in {self.phase}")
                self.phase = OVER
            case _:
                pass

    def _opened(self, event: m.TableOpened, seq: int) -> None:
        if event.entry_coins and not LEAST_ENTRY <= event.entry_coins <= LARGEST_ENTRY:
            raise self._fault("M3", seq, f"an entry of {event.entry_coins} coins")
        self.phase, self.entry_coins, self.size = OPEN, event.entry_coins, event.seats
        # Where there are no partners the options say so, or all places at the end are single ones.
        self.draws = event.options.get("mode") == "points"
        alone = self.draws or event.options.get("teams") == "off"
        self.sides = self.size == PARTNERS and not alone

    def _funding(self, event: m.FundingBegan, seq: int) -> None:
        if self.phase != OPEN or self.free:
            raise Damaged(f"record {seq} begins a funding where none is due")
        players = [sitter.player_id for sitter in self.sitters]
        if [*event.players] != players or event.entry_coins != self.entry_coins:
            raise self._fault("W3", seq, "a funding that is not the entry of each who sits there")
        if len(players) != self.size:
            raise self._fault("W3", seq, f"a funding of {len(players)}, where {self.size} play")
        if event.attempt != seq or len(dict.fromkeys(players)) != len(players):
            raise self._fault("W3", seq, f"a funding named {event.attempt}, of {players}")
        self.phase, self.attempt = FUNDING, event.attempt

    def _started(self, event: m.MatchStarted, seq: int) -> None:
        if self.phase != (OPEN if self.free else FUNDING):
            raise Damaged(f"record {seq} begins play in {self.phase}")
        if sorted(event.dealt) != [*range(len(self.sitters))] or len(event.seats) != len(
            event.dealt
        ):
            raise Damaged(f"record {seq} has a deal that is none")
        self.sitters = [self.sitters[chair] for chair in event.dealt]
        self.seats, self.phase = event.seats, PLAYING
        self.began = not self.free

    def _settled(self, event: m.EntriesSettled, ended: m.MatchEnded | None, seq: int) -> None:
        if ended is None or self.free or self.phase != PLAYING or event.attempt != self.attempt:
            raise self._fault("W4", seq, "it settles where no coin match ends")
        pot = self.entry_coins * len(self.sitters)
        places = [(place.seat, place.place) for place in ended.places]
        if not are_places(places, self.seats, sides=self.sides, draws=self.draws):
            raise self._fault("M6", seq, f"places (seat, place) are {places} of seats {self.seats}")
        lost = [seat for seat, sitter in self._seated() if sitter.left and not sitter.kept]
        due = share_out(pot, places, lost)
        if event.pot_coins != pot or event.fee_coins * 10 != pot - pot % 10:
            raise self._fault(
                "W5", seq, f"pot {event.pot_coins} and fee {event.fee_coins}, of {pot} coins paid"
            )
        paid = [(prize.seat, prize.coins) for prize in event.prizes]
        if paid != due:
            raise self._fault("W5", seq, f"prizes (seat, coins) are {paid}, due are {due}")
        who = {seat: sitter.player_id for seat, sitter in self._seated()}
        for prize in event.prizes:
            if who.get(prize.seat) != prize.player_id:
                raise self._fault("W5", seq, f"a prize for {prize.player_id}, not of that seat")

    def _refunded(self, event: m.EntriesRefunded, events: Sequence[Message], seq: int) -> None:
        stopped = any(isinstance(other, m.MatchStopped) for other in events)
        if not stopped or self.free or self.phase not in (FUNDING, PLAYING):
            raise self._fault("W4", seq, "it refunds where no coin match is stopped")
        paid = sorted(sitter.player_id for sitter in self.sitters)
        if event.attempt != self.attempt or event.entry_coins != self.entry_coins:
            raise self._fault(
                "W6", seq, f"{event.entry_coins} coins of attempt {event.attempt} go back"
            )
        if sorted(event.players) != paid:
            raise self._fault("W6", seq, f"refunds {[*event.players]}, paid have {paid}")

    def _end(self, event: m.MatchEnded, events: Sequence[Message], seq: int) -> None:
        if self.phase != PLAYING:
            raise Damaged(f"record {seq} ends a match in {self.phase}")
        self.phase = OVER
        if not self.free:
            if not any(isinstance(other, m.EntriesSettled) for other in events):
                raise self._fault("W4", seq, "it has ended, and its entries are not settled")
            return
        places = [(place.seat, place.place) for place in event.places]
        here = [
            (seat, sitter.player_id)
            for seat, sitter in self._seated()
            if sitter.player_id and not sitter.bot and not sitter.left
        ]
        due = earnings(places, here)
        paid = [
            (reward.seat, reward.player_id, reward.coins)
            for other in events
            if isinstance(other, m.CoinsEarned)
            for reward in other.rewards
        ]
        if paid != due:
            raise self._fault("M2", seq, f"earned are {paid}, due are {due}")

    def _seated(self) -> list[tuple[int, Sitter]]:
        return [*zip(self.seats, self.sitters, strict=True)]

    def _sitter(self, player_id: str) -> Sitter:
        for sitter in self.sitters:
            if sitter.player_id == player_id:
                return sitter
        raise Damaged(f"{player_id} does not sit here")

    def _stays(self, player_id: str, seq: int) -> Sitter:
        """Return a sitter of whom something is said that can't be of one who is gone for good."""
        sitter = self._sitter(player_id)
        if sitter.left and not self.free:
            raise self._fault("S3", seq, f"{player_id} has left for good, and is there again")
        return sitter

    def _fault(self, law: Law, seq: int, what: str) -> Fault:
        return Fault(law, what, Place(None, self.match_id, seq))


def asked(match_id: str, event: Message) -> tuple[str, w.Command]:
    """Return (id, command) that an event which moves coins must become."""
    match event:
        case m.FundingBegan(attempt=attempt):
            hold = w.HoldEntries(
                match_id=match_id,
                attempt=attempt,
                entry_coins=event.entry_coins,
                players=event.players,
            )
            return f"hold:{match_id}:{attempt}", hold
        case m.FundingFailed(attempt=attempt):
            release = w.ReleaseEntries(match_id=match_id, attempt=attempt)
            return f"release:{match_id}:{attempt}", release
        case m.EntriesSettled():
            settle = w.SettleEntries(
                match_id=match_id,
                attempt=event.attempt,
                fee_coins=event.fee_coins,
                prizes=_coins(event.prizes),
            )
            return f"settle:{match_id}", settle
        case m.EntriesRefunded():
            refund = w.RefundEntries(match_id=match_id, attempt=event.attempt)
            return f"settle:{match_id}", refund
        case m.CoinsEarned():
            reward = w.RewardPlayers(match_id=match_id, rewards=_coins(event.rewards))
            return f"reward:{match_id}", reward
        case _:
            raise ValueError(f"{type(event).__name__} moves no coins")


def _coins(prizes: Sequence[m.Prize]) -> tuple[w.PlayerCoins, ...]:
    return tuple(w.PlayerCoins(player_id=p.player_id, coins=p.coins) for p in prizes)


def _ended(events: Sequence[Message]) -> m.MatchEnded | None:
    for event in events:
        if isinstance(event, m.MatchEnded):
            return event
    return None
