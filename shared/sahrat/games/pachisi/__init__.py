"""Pachisi, as the match around it sees it. Its rules in words are in `rules.md`."""

from __future__ import annotations

from typing import Final

from sahrat.games.game import Awaited, Chance, Draw, TableOptions, Way
from sahrat.games.pachisi import board, bot, evolve, rules, start
from sahrat.games.pachisi.messages import (
    EVENTS,
    INTENTS,
    CowriesThrown,
    DeclineThrow,
    MoveGroup,
    MovePiece,
    PachisiBoard,
    SplitThrow,
    StartThrown,
    ThrowCowries,
    ThrowDeclined,
    ThrowUsed,
)
from sahrat.games.pachisi.moves import Use, at_hand, choices, uses
from sahrat.games.pachisi.options import ON, PachisiOptions, refused
from sahrat.games.pachisi.parts import Share
from sahrat.games.pachisi.state import OVER, State, initial, mover, player
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

THROW: Final = "throw"
USE: Final = "use"


class Pachisi:
    """The `Game` protocol for Pachisi. Where a player has two colours (rule P5.6) he sits on the
    lower of their seats, and everything in the game is about colours.
    """

    name = "pachisi"
    rules = "pachisi/1"
    options: type[TableOptions] = PachisiOptions
    intents: tuple[type[Message], ...] = INTENTS
    events: tuple[type[Message], ...] = EVENTS
    board: type[Message] = PachisiBoard
    heavy = None

    def seats(self, options: PachisiOptions) -> tuple[int, ...]:
        """Return the seat numbers that are occupied under these options, ascending."""
        if options.two_colours == ON:
            return board.SIDES[0][0], board.SIDES[1][0]
        return board.SEATS_BY_PLAYERS[options.players]

    def refused(self, options: PachisiOptions, entry_coins: int) -> str:
        """Return why there can be no such table; empty if there can."""
        return refused(options, entry_coins)

    def initial(self, options: PachisiOptions) -> State:
        """Return the state before the game's first event."""
        return initial(options)

    def begin(self, state: State, chance: Chance) -> tuple[Message, ...]:
        """Return what decides who starts; nothing where it is the first seat."""
        return start.begin(state, chance)

    def awaited(self, state: State) -> Awaited | None:
        """Return whom the game waits for, to `throw` or to `use` a throw; None once it is over."""
        if state.turn == OVER:
            return None
        return Awaited(player(state.options, state.turn), USE if state.using else THROW)

    def decide(
        self, state: State, seat: int, intent: Message, chance: Chance
    ) -> tuple[Message, ...] | Refused:
        """Return what an intent makes happen, never empty; or why it may not."""
        return rules.decide(state, seat, intent, chance)

    def time_out(self, state: State, chance: Chance) -> tuple[Message, ...]:
        """Return what is played for the seat on turn when its time is over; never empty."""
        return rules.time_out(state, chance)

    def leave(self, state: State, seat: int, chance: Chance) -> tuple[Message, ...]:
        """Return what happens when a seat leaves for good; nothing if it had, or after the end."""
        del chance  # a leaver changes nothing that is left to chance
        return rules.leave(state, seat)

    def bot(self, state: State, seed: str) -> Message:
        """Return the intent that a bot on turn sends."""
        del seed  # the board alone decides
        return intent_of(bot.choose(state)) if state.using else ThrowCowries(number="")

    def evolve(self, state: State, event: Message) -> State:
        """Return the state after an event of Pachisi."""
        return evolve.evolve(state, event)

    def asked(self, event: Message) -> Message | None:
        """Return the intent of which an event is the first consequence, if a player's it was."""
        match event:
            case CowriesThrown(number=number):
                return ThrowCowries(number=number)
            case ThrowUsed(item=item, how=how, moves=moves):
                return intent_of(Use(item, how, moves))
            case ThrowDeclined(item=item):
                return DeclineThrow(item=item)
            case _:
                return None

    def number(self, intent: Message) -> str | None:
        """Return the number that an intent brings to a throw (rule D)."""
        return intent.number if isinstance(intent, ThrowCowries) else None

    def draw(self, event: Message, chance: Chance) -> Draw | None:
        """Return the cowries that an event shows, thrown again."""
        if not isinstance(event, CowriesThrown | StartThrown):
            return None
        number = event.number if isinstance(event, CowriesThrown) else ""
        due = chance.cowries(event.index, event.seat, number, event.shells)
        return Draw("cowries", event.index, event.seat, number, event.mouths, due)

    def view(self, state: State) -> PachisiBoard:
        """Return the game as anybody may see it: nothing of Pachisi is hidden."""
        over = state.turn == OVER
        return PachisiBoard(
            seats=state.seats,
            pieces=state.pieces,
            places=state.places,
            turn=None if over else state.turn,
            mover=None if over else mover(state),
            using=state.using,
            open=state.items,
            choices=choices(state) if state.using else (),
            more=state.more is not None,
            throws=state.throws,
            run_of=state.run_of,
            run=state.run,
            entered=state.entered,
            gate=state.gate,
            credit=state.credit,
            done=state.done,
        )

    def ways(self, state: State) -> tuple[Way, ...]:
        """Return where each piece comes to by itself by each open throw that may be used now."""
        if state.turn == OVER or not state.using:
            return ()
        found = [use for item in at_hand(state) for use in uses(state, item)]
        moves = [(use.item, use.moves[0]) for use in found]
        return tuple([Way(item, m.piece, m.lap, m.progress) for item, m in moves])

    def places(self, state: State) -> tuple[tuple[int, int], ...]:
        """Return (seat, place) of the seats that have one so far, best place first; where a player
        has two colours, of his seat.
        """
        placed = [(seat, state.places[seat]) for seat in state.seats if state.places[seat]]
        at_table = self.seats(state.options)
        return tuple(sorted((p for p in placed if p[0] in at_table), key=lambda pair: pair[1]))


def intent_of(use: Use) -> MovePiece | MoveGroup | SplitThrow:
    """Return the intent that asks for a use of an open throw."""
    moves = use.moves
    match use.how:
        case "piece":
            return MovePiece(item=use.item, piece=moves[0].piece, lap=moves[0].lap)
        case "group":
            pieces = tuple(moved.piece for moved in moves)
            return MoveGroup(item=use.item, pieces=pieces, lap=moves[0].lap)
        case "split":
            shares = tuple(Share(piece=m.piece, steps=m.steps, lap=m.lap) for m in moves)
            return SplitThrow(item=use.item, shares=shares)


PACHISI: Final = Pachisi()
