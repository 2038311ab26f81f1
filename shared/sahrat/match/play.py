"""What happens at a table, as events: play begins, a game goes on, a clock runs out, it ends.

Each function returns the events that follow from a state; who may cause them is `judge`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sahrat import dice
from sahrat.games.game import Chance, Game, fold
from sahrat.match import clock, coins, limits
from sahrat.match.clock import Deadline
from sahrat.match.evolve import Broken, evolve
from sahrat.match.evolve import fold as fold_match
from sahrat.match.state import Phase, State
from sahrat.messages import match as m
from sahrat.messages.base import Line, Message

Events = tuple[Message, ...]
Why = Literal["left", "away", "refused"]


class Dealer(Protocol):
    """Where one match's dice, deal and secret come from: the secret, or a test's list."""

    def deal(self, numbers: tuple[str, ...]) -> tuple[int, ...]:
        """Return which sitter gets the k-th occupied seat; `numbers` in order of sitting down."""

    def chance(self, numbers: tuple[str, ...]) -> Chance:
        """Return the dice of a match whose players gave `numbers`, in seat order."""

    def reveal(self) -> str:
        """Return the secret in hex, for the last event."""


@dataclass(frozen=True, slots=True)
class SecretDealer:
    """The dealer of a match with a secret (rule D)."""

    match_id: str
    secret: dice.Secret

    def deal(self, numbers: tuple[str, ...]) -> tuple[int, ...]:
        """See `Dealer`."""
        return dice.deal(self.secret, self.match_id, numbers)

    def chance(self, numbers: tuple[str, ...]) -> Chance:
        """See `Dealer`."""
        return dice.SecretChance(self.secret, self.match_id, numbers)

    def reveal(self) -> str:
        """See `Dealer`."""
        return self.secret.reveal()


@dataclass(frozen=True, slots=True)
class Table:
    """A game and its dealer, and the record that is being made.

    Attributes:
        at_ms: Append time of the intent at hand.
        seq: The record's number, by which a funding that it begins is named (rule M.4).

    """

    game: Game
    dealer: Dealer
    at_ms: int
    seq: int

    # ---- before play

    def seat_taken(
        self, state: State, player_id: str, nickname: str, number: str, line: Line
    ) -> Events:
        """A player sits down; with the last seat play begins, or the funding of a coin table."""
        taken = m.SeatTaken(
            player_id=player_id,
            nickname=nickname,
            seat_number=number,
            line=line,
            bot=False,
            idle_ms=self._idle_ms(state),
        )
        return self._begin_if_full(state, (taken,))

    def seats_freed(self, state: State, players: Sequence[str], why: Why) -> Events:
        """Players are off the table before play began; a funding that was under way has failed.
        With the last one the table closes (rule T.5).
        """
        idle_ms = self._idle_ms(state)
        events: list[Message] = [
            m.SeatFreed(player_id=player_id, why=why, idle_ms=idle_ms) for player_id in players
        ]
        if state.phase is Phase.FUNDING:
            events.append(m.FundingFailed(attempt=state.attempt))
        if len(players) == len(state.sitters):
            events.append(m.TableClosed(why="empty", secret=self.dealer.reveal()))
        return tuple(events)

    def entries_held(self, state: State) -> Events:
        """Every entry is held: play begins, unless somebody is away (rule T, `funding`)."""
        away = [sitter.player_id for sitter in state.sitters if sitter.line is None]
        return self.seats_freed(state, away, "away") if away else self._begin(state)

    def _fill(self, state: State) -> Events:
        bot = m.SeatTaken(player_id="", nickname="", seat_number="", line=None, bot=True, idle_ms=0)
        return self._begin_if_full(state, (bot,) * (state.size - len(state.sitters)))

    def _begin_if_full(self, state: State, taken: Events) -> Events:
        state = fold_match(self.game, state, taken)
        if len(state.sitters) < state.size:
            return taken
        if state.free:
            return (*taken, *self._begin(state))
        began = m.FundingBegan(
            attempt=self.seq,
            entry_coins=state.entry_coins,
            players=tuple(sitter.player_id for sitter in state.sitters),
        )
        return (*taken, began)

    def _begin(self, state: State) -> Events:
        started = m.MatchStarted(
            seats=self.game.seats(state.options),
            dealt=self.dealer.deal(tuple(sitter.number for sitter in state.sitters)),
        )
        state = evolve(self.game, state, started)
        first = self.game.begin(state.board, self.chance(state))
        return (started, *first, *self.go_on(state, first))

    def _idle_ms(self, state: State) -> int:
        return 0 if state.free else self.at_ms + limits.IDLE_MS

    # ---- in play

    def chance(self, state: State) -> Chance:
        """Return the match's dice, mixed with the numbers of those who sat when play began."""
        return self.dealer.chance(tuple(sitter.number for sitter in state.sitters))

    def go_on(self, state: State, played: Events) -> Events:
        """Return what follows what a game's seats did: the next step, or the end and its coins."""
        board = fold(self.game, state.board, played)
        awaited = self.game.awaited(board)
        if awaited is None:
            places = self.game.places(board)
            ended = m.MatchEnded(
                places=tuple(m.Place(seat=seat, place=place) for seat, place in places),
                secret=self.dealer.reveal(),
            )
            if state.free:
                return (*coins.earned(state, places), ended)
            return (coins.settled(state, places), ended)
        return (
            m.StepOpened(
                step=state.step + 1,
                seat=awaited.seat,
                deadline_ms=self.at_ms + clock.step_length_ms(state),
            ),
        )

    def away(self, state: State, chair: int) -> m.PlayerAway:
        """A seated player has no line any more. One who has his place already keeps it."""
        sitter = state.sitters[chair]
        runs = not sitter.left and not self._finished(state, chair)
        return m.PlayerAway(
            player_id=sitter.player_id, until_ms=self.at_ms + limits.AWAY_MS if runs else 0
        )

    def left(self, state: State, chair: int, why: Literal["left", "away", "missed"]) -> Events:
        """A player leaves a match in play, was away for too long, or missed too many steps (rules
        S.2, S.3, K.5).
        """
        sitter, seat = state.sitters[chair], state.seats[chair]
        finished = self._finished(state, chair)
        gone = m.PlayerLeft(
            player_id=sitter.player_id,
            seat=seat,
            why=why,
            bot=state.free and not finished,
            kept=finished and not state.free,
        )
        if state.free:
            return (gone,)
        state = evolve(self.game, state, gone)
        before = self.game.awaited(state.board)
        left = self.game.leave(state.board, seat, self.chance(state))
        after = self.game.awaited(fold(self.game, state.board, left))
        return (gone, *left) if before == after else (gone, *left, *self.go_on(state, left))

    def _finished(self, state: State, chair: int) -> bool:
        if state.phase is not Phase.PLAYING:
            return False
        return any(seat == state.seats[chair] for seat, _ in self.game.places(state.board))

    # ---- the clock

    def due(self, state: State) -> Events:
        """Return what all clocks that have passed bring about, in the order in which they ended;
        nothing when none has.
        """
        events: list[Message] = []
        while state.live:
            deadline = clock.earliest(state)
            if deadline is None or deadline.at_ms > self.at_ms:
                break
            fired = self._fire(state, deadline)
            events.extend(fired)
            state = fold_match(self.game, state, fired)
        return tuple(events)

    def _fire(self, state: State, deadline: Deadline) -> Events:
        match deadline.kind:
            case "fill":
                return self._fill(state)
            case "idle":
                return (m.TableClosed(why="idle", secret=self.dealer.reveal()),)
            case "away":
                if state.phase is Phase.PLAYING:
                    return self.left(state, deadline.chair, "away")
                return self.seats_freed(state, (state.sitters[deadline.chair].player_id,), "away")
            case "step":
                awaited = self.game.awaited(state.board)
                if awaited is None:
                    raise Broken("a step of a game that is over")
                timed_out = m.StepTimedOut(step=state.step, seat=awaited.seat)
                played = self.game.time_out(state.board, self.chance(state))
                fired = (timed_out, *played, *self.go_on(state, played))
                return (*fired, *self._missed(state, awaited.seat, fired))

    def _missed(self, state: State, seat: int, fired: Events) -> Events:
        """Return what follows if this was one missed step too many of a seat (rule K.5)."""
        limit = state.options.misses
        if not limit:
            return ()
        state = fold_match(self.game, state, fired)
        chair = state.chair_of_seat(seat)
        if not state.live or state.sitters[chair].missed < limit or self._finished(state, chair):
            return ()
        return self.left(state, chair, "missed")
