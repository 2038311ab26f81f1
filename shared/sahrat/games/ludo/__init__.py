"""Ludo, as the match around it sees it. Its rules in words are in `rules.md`."""

from __future__ import annotations

from typing import Final

from sahrat.games.game import Awaited, Chance, Draw, TableOptions
from sahrat.games.ludo import board, bot, rules
from sahrat.games.ludo.messages import (
    EVENTS,
    INTENTS,
    DieRolled,
    LudoBoard,
    MovePawn,
    PawnMoved,
    RollDie,
)
from sahrat.games.ludo.options import LudoOptions, LudoOptions1
from sahrat.games.ludo.state import OVER, State, initial, legal_pawns
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

ROLL: Final = "roll"
MOVE: Final = "move"


class Ludo:
    """The `Game` protocol for Ludo."""

    name = "ludo"
    intents: tuple[type[Message], ...] = INTENTS
    events: tuple[type[Message], ...] = EVENTS
    board: type[Message] = LudoBoard

    def __init__(self, rules: str, options: type[LudoOptions1]) -> None:
        """Take the rules version, and the options that its tables have. Nothing else differs."""
        self.rules = rules
        self.options: type[TableOptions] = options

    def seats(self, options: LudoOptions1) -> tuple[int, ...]:
        """Return the seat numbers that are occupied under these options, ascending."""
        return board.SEATS_BY_PLAYERS[options.players]

    def initial(self, options: LudoOptions1) -> State:
        """Return the state before the game's first event."""
        return initial(LudoOptions.model_validate(options.model_dump()))

    def begin(self, state: State, chance: Chance) -> tuple[Message, ...]:
        """Return nothing: the first seat's roll is awaited (rule L2)."""
        del state, chance
        return ()

    def awaited(self, state: State) -> Awaited | None:
        """Return whom the game waits for, to `roll` or to `move`; None once it is over."""
        if state.turn == OVER:
            return None
        return Awaited(state.turn, MOVE if state.roll else ROLL)

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

    def bot(self, state: State) -> Message:
        """Return the intent that a bot on turn sends."""
        if state.roll:
            return MovePawn(pawn=bot.choose(state))
        return RollDie(number="")

    def evolve(self, state: State, event: Message) -> State:
        """Return the state after an event of Ludo."""
        return rules.evolve(state, event)

    def asked(self, event: Message) -> Message | None:
        """Return the intent of which an event is the first consequence, if a player's it was."""
        match event:
            case DieRolled(number=number):
                return RollDie(number=number)
            case PawnMoved(pawn=pawn):
                return MovePawn(pawn=pawn)
            case _:
                return None

    def number(self, intent: Message) -> str | None:
        """Return the number that an intent brings to a roll (rule D)."""
        return intent.number if isinstance(intent, RollDie) else None

    def draw(self, event: Message, chance: Chance) -> Draw | None:
        """Return the die that an event shows, rolled again."""
        if not isinstance(event, DieRolled):
            return None
        due = chance.die(event.index, event.seat, event.number)
        return Draw("die", event.index, event.seat, event.number, event.value, due)

    def view(self, state: State) -> LudoBoard:
        """Return the game as anybody may see it: nothing of Ludo is hidden."""
        turn = None if state.turn == OVER else state.turn
        chooses = turn is not None and state.roll > 0
        return LudoBoard(
            seats=state.seats,
            pawns=state.pawns,
            places=state.places,
            turn=turn,
            roll=state.roll,
            movable=legal_pawns(state.pawns[state.turn], state.roll) if chooses else (),
            sixes=state.sixes,
            rolls=state.rolls,
        )

    def places(self, state: State) -> tuple[tuple[int, int], ...]:
        """Return (seat, place) of the seats that have one so far, best place first."""
        placed = [(seat, state.places[seat]) for seat in state.seats if state.places[seat]]
        return tuple(sorted(placed, key=lambda pair: pair[1]))


LUDO_1: Final = Ludo("ludo/1", LudoOptions1)
LUDO: Final = Ludo("ludo/2", LudoOptions)
