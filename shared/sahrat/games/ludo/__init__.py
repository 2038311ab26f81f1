"""Ludo, as the match around it sees it. Its rules in words are in `rules.md`."""

from __future__ import annotations

from typing import Final

from sahrat.games.game import Awaited, Chance, Draw, TableOptions, Way
from sahrat.games.ludo import board, bot, evolve, rules, start
from sahrat.games.ludo.messages import (
    EVENTS,
    INTENTS,
    DeclineRoll,
    DieRolled,
    LudoBoard,
    MovePawn,
    PawnMoved,
    RollDeclined,
    RollDie,
    StartRolled,
)
from sahrat.games.ludo.moves import Choice, choice, landing
from sahrat.games.ludo.options import LudoOptions, LudoOptions1, refused
from sahrat.games.ludo.state import OVER, State, initial
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

Options = LudoOptions1 | LudoOptions
ROLL: Final = "roll"
MOVE: Final = "move"


class Ludo:
    """The `Game` protocol for Ludo."""

    name = "ludo"
    intents: tuple[type[Message], ...] = INTENTS
    events: tuple[type[Message], ...] = EVENTS
    board: type[Message] = LudoBoard
    heavy = None

    def __init__(self, rules: str, options: type[Options]) -> None:
        """Take the rules version, and the options that its tables have. Nothing else differs."""
        self.rules = rules
        self.options: type[TableOptions] = options

    def seats(self, options: Options) -> tuple[int, ...]:
        """Return the seat numbers that are occupied under these options, ascending."""
        return board.SEATS_BY_PLAYERS[options.players]

    def refused(self, options: Options, entry_coins: int) -> str:
        """Return why there can be no such table; empty if there can."""
        return refused(options, entry_coins)

    def initial(self, options: Options) -> State:
        """Return the state before the game's first event."""
        return initial(LudoOptions.model_validate(options.model_dump()))

    def begin(self, state: State, chance: Chance) -> tuple[Message, ...]:
        """Return what decides who starts; nothing where it is the first seat."""
        return start.begin(state, chance)

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

    def bot(self, state: State, seed: str) -> Message:
        """Return the intent that a bot on turn sends."""
        del seed  # the board alone decides
        if state.roll:
            return MovePawn(pawn=bot.choose(state))
        return RollDie(number="")

    def evolve(self, state: State, event: Message) -> State:
        """Return the state after an event of Ludo."""
        return evolve.evolve(state, event)

    def asked(self, event: Message) -> Message | None:
        """Return the intent of which an event is the first consequence, if a player's it was."""
        match event:
            case DieRolled(number=number):
                return RollDie(number=number)
            case PawnMoved(pawn=pawn):
                return MovePawn(pawn=pawn)
            case RollDeclined():
                return DeclineRoll()
            case _:
                return None

    def number(self, intent: Message) -> str | None:
        """Return the number that an intent brings to a roll (rule D)."""
        return intent.number if isinstance(intent, RollDie) else None

    def draw(self, event: Message, chance: Chance) -> Draw | None:
        """Return the die that an event shows, rolled again."""
        if not isinstance(event, DieRolled | StartRolled):
            return None
        number = event.number if isinstance(event, DieRolled) else ""
        due = chance.die(event.index, event.seat, number)
        return Draw("die", event.index, event.seat, number, event.value, due)

    def view(self, state: State) -> LudoBoard:
        """Return the game as anybody may see it: nothing of Ludo is hidden."""
        left = choice(state, state.roll) if state.roll else Choice()
        return LudoBoard(
            seats=state.seats,
            pawns=state.pawns,
            places=state.places,
            turn=None if state.turn == OVER else state.turn,
            roll=state.roll,
            movable=left.pawns,
            sixes=state.sixes,
            rolls=state.rolls,
            may_decline=left.declinable,
            owed=state.owed,
            done=state.done,
            captors=state.captors,
        )

    def ways(self, state: State) -> tuple[Way, ...]:
        """Return where each pawn comes to that may be chosen now."""
        if state.turn == OVER or not state.roll:
            return ()
        found = []
        for pawn in choice(state, state.roll).pawns:
            end = landing(state, state.turn, state.pawns[state.turn][pawn], state.roll)
            if end is not None:
                found.append(Way(item=0, piece=pawn, lap=False, progress=end))
        return tuple(found)

    def places(self, state: State) -> tuple[tuple[int, int], ...]:
        """Return (seat, place) of the seats that have one so far, best place first."""
        placed = [(seat, state.places[seat]) for seat in state.seats if state.places[seat]]
        return tuple(sorted(placed, key=lambda pair: pair[1]))


LUDO_1: Final = Ludo("ludo/1", LudoOptions1)
LUDO: Final = Ludo("ludo/2", LudoOptions)
