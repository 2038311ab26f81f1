"""Carrom, as the match around it sees it. Its rules in words are in `rules.md`."""

from __future__ import annotations

from functools import partial
from typing import Final

from sahrat.games.carrom import board, bot, physics, rules
from sahrat.games.carrom.evolve import evolve, layout
from sahrat.games.carrom.messages import EVENTS, INTENTS, CarromBoard, Shoot, StrikerShot
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.physics import Rest
from sahrat.games.carrom.rules import Simulate
from sahrat.games.carrom.state import NOBODY, OVER, State, before_shot, down, initial, points, side
from sahrat.games.game import Awaited, Chance, Draw, Heavy, TableOptions, Way, Work
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

SHOOT: Final = "shoot"


class Carrom:
    """The `Game` protocol for Carrom, and `Heavy`: in Python a shot takes some milliseconds, and a
    break up to 70.

    Args:
        simulate: Computes a shot.
    """

    name = "carrom"
    rules = "carrom/1"
    options: type[TableOptions] = CarromOptions
    intents: tuple[type[Message], ...] = INTENTS
    events: tuple[type[Message], ...] = EVENTS
    board: type[Message] = CarromBoard
    computes = "shots"

    def __init__(self, simulate: Simulate = physics.simulate) -> None:
        self._simulate = simulate

    @property
    def heavy(self) -> Heavy:
        """Return itself."""
        return self

    def engine(self) -> str:
        """Return what a process that is ready computes shots with."""
        return physics.found()

    def get_ready(self) -> None:
        """Compile the physics, where that can be done."""
        physics.best()

    def work(self, state: State, intent: Message | None) -> Work | None:
        """Return the shot that an intent or the clock (None) asks for; nothing where it is none."""
        shot = rules.shot_of(state, intent)
        if shot is None:
            return None

        def given(rest: Rest) -> Carrom:
            return Carrom(lambda asked: rest if asked == shot else self._simulate(asked))

        return Work(partial(physics.quick, shot), given)

    def seats(self, options: CarromOptions) -> tuple[int, ...]:
        """Return the seat numbers that are occupied under these options, ascending."""
        return board.SEATS_BY_PLAYERS[options.players]

    def refused(self, options: CarromOptions, entry_coins: int) -> str:
        """Return nothing: every table of these options can be opened."""
        del options, entry_coins
        return ""

    def initial(self, options: CarromOptions) -> State:
        """Return the state before the game's first event."""
        return initial(options)

    def begin(self, state: State, chance: Chance) -> tuple[Message, ...]:
        """Return how the board is laid; the first seat's shot is awaited (rule K4)."""
        del chance  # there is none in Carrom but who gets which seat
        return rules.begin(state)

    def awaited(self, state: State) -> Awaited | None:
        """Return whom the game waits for, to `shoot`; None once it is over."""
        return None if state.turn == OVER else Awaited(state.turn, SHOOT)

    def decide(
        self, state: State, seat: int, intent: Message, chance: Chance
    ) -> tuple[Message, ...] | Refused:
        """Return what an intent makes happen, never empty; or why it may not."""
        del chance
        return rules.decide(state, seat, intent, self._simulate)

    def time_out(self, state: State, chance: Chance) -> tuple[Message, ...]:
        """Return what is played for the seat on turn when its time is over; never empty."""
        del chance
        return rules.time_out(state, self._simulate)

    def leave(self, state: State, seat: int, chance: Chance) -> tuple[Message, ...]:
        """Return what happens when a seat leaves for good; nothing after the end."""
        del chance
        return rules.leave(state, seat)

    def bot(self, state: State, seed: str) -> Message:
        """Return the intent that a bot on turn sends; its errors are drawn from the seed."""
        return bot.choose(state, seed, self._simulate)

    def evolve(self, state: State, event: Message) -> State:
        """Return the state after an event of Carrom."""
        return evolve(state, event)

    def asked(self, event: Message) -> Message | None:
        """Return the intent of which an event is the first consequence, if a player's it was."""
        match event:
            case StrikerShot(x=x, dx=dx, dy=dy, speed=speed, why="chosen"):
                return Shoot(x=x, dx=dx, dy=dy, speed=speed)
            case _:
                return None

    def number(self, intent: Message) -> str | None:
        """Return None: nothing is rolled in Carrom."""
        del intent
        return None

    def draw(self, event: Message, chance: Chance) -> Draw | None:
        """Return None: nothing is rolled in Carrom."""
        del event, chance
        return None

    def view(self, state: State) -> CarromBoard:
        """Return the game as anybody may see it: nothing of Carrom is hidden."""
        over = state.turn == OVER
        return CarromBoard(
            board=state.board,
            seats=state.seats,
            white=side(state, board.WHITE),
            black=side(state, board.BLACK),
            places=layout(state.places),
            hash=physics.position_hash(state.places),
            turn=None if over else state.turn,
            before=None if over else before_shot(state),
            queen=state.queen,
            first=state.first,
            down=down(state),
            owed=state.owed,
            score=state.score,
            points=points(state),
            tries=state.tries,
            shots=state.shots,
            winner=None if state.winner == NOBODY else board.COLOUR_NAMES[state.winner],
        )

    def ways(self, state: State) -> tuple[Way, ...]:
        """Return nothing: no piece of Carrom is chosen."""
        del state
        return ()

    def places(self, state: State) -> tuple[tuple[int, int], ...]:
        """Return (seat, place): nothing before the end (rule K8)."""
        return state.ranks


CARROM: Final = Carrom(physics.quick)
