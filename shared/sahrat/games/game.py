"""The protocol that every game implements. The match around it knows nothing else of a game.

A game is pure: its decisions come from its state, the intent and the chance that it is given.
It is only asked about seats: who sits there, and for how long they may think, is the match's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, Protocol

from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

STEP_SECONDS: Final = (15, 8, 10, 20, 30)  # rule K, default first
FILL_SECONDS: Final = (15, 5, 30, 60)  # rule B, default first


Preset = Mapping[str, str | int]
"""Options by name that make up a way to play; all others have their defaults."""


class TableOptions(Message):
    """The options that every game has. A game's own model adds to it; the first value listed of
    each option is its default.

    Attributes:
        presets: Ways to play that have a name of their own. A table's options are what counts; a
            preset is only a shorter way to say them.
    """

    presets: ClassVar[Mapping[str, Preset]] = MappingProxyType({})

    step_seconds: Literal[15, 8, 10, 20, 30] = 15
    fill_seconds: Literal[15, 5, 30, 60] = 15

    @property
    def misses(self) -> int:
        """So many steps in a row a player may miss before he counts as away; 0: any number."""
        return 0


class LimitedOptions(TableOptions):
    """The same, with a limit to the steps that a player may miss in a row (rule K.5). A game may
    offer fewer values.
    """

    missed_limit: Literal["none", 3, 5] = "none"

    @property
    def misses(self) -> int:
        """See `TableOptions`."""
        return 0 if self.missed_limit == "none" else self.missed_limit


class Chance(Protocol):
    """Where a game's dice come from: the match's secret, or a golden game's list."""

    def die(self, index: int, seat: int, number: str) -> int:
        """Return the face 1..6 of roll `index` of the match (0, 1, 2 ..), for a seat with the
        player's number for this roll (empty: none).
        """

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        """Return how many of `shells` (6 or 7) shells lie mouth up."""

    def lot(self, among: int) -> int:
        """Return one of 0 .. among - 1, which no player's roll has any part in (rule D.9): who
        starts. The same at every call.
        """


@dataclass(frozen=True, slots=True)
class Awaited:
    """Whom the game waits for, and for what (`roll`, `move`, ..): one step of the clock."""

    seat: int
    action: str


@dataclass(frozen=True, slots=True)
class Way:
    """Where a piece that the seat on turn may choose would come to.

    Attributes:
        item: The number of the throw by which; 0 where there is but one.
        lap: It goes round again by its owner's wish.
        progress: As the game counts a piece's way.
    """

    item: int
    piece: int
    lap: bool
    progress: int


@dataclass(frozen=True, slots=True)
class Draw:
    """One roll of a match as a record shows it, and as it must be.

    Attributes:
        kind: What was drawn: `die`, or `cowries`, of which the number that lie mouth up is shown.
        index: Rolls of the match are counted from 0.
        number: The player's number for this roll; empty for none.
        shown: What the record says.
        due: What the secret and the numbers give.

    """

    kind: str
    index: int
    seat: int
    number: str
    shown: int
    due: int


@dataclass(frozen=True, slots=True)
class Work:
    """What a judgement takes long to compute, as a value: it may be computed in another process.

    Attributes:
        run: Computes it. Pure, so that it is the same whoever does; picklable, as its result is.
        given: Returns the same game, which has such a result and need not compute it.
    """

    run: Callable[[], Any]
    given: Callable[[Any], Game]


class Heavy(Protocol):
    """What a game has that takes some milliseconds to compute what an intent makes happen, and more
    to choose a bot's: too long for a process that serves others meanwhile. Who serves nobody may
    judge and choose without it.

    Attributes:
        computes: What it is that takes long, in the plural, for people.
    """

    computes: str

    def engine(self) -> str:
        """Return what a process that is ready computes with, for logs."""

    def get_ready(self) -> None:
        """Make this process compute as fast as it can; may take half a minute."""

    def work(self, state: Any, intent: Message | None) -> Work | None:
        """Return what takes long in judging an intent of the seat on turn, or that its time is over
        (None); nothing where it is judged at once.
        """


class Game(Protocol):
    """One game in one rules version. States are frozen values of the game's own type."""

    name: str
    rules: str
    """Name and rules version, as every record names it: `ludo/1`."""
    options: type[TableOptions]
    intents: tuple[type[Message], ...]
    events: tuple[type[Message], ...]
    board: type[Message]
    """What `view` returns; told from other games' by its `type`."""

    @property
    def heavy(self) -> Heavy | None:
        """What takes long in this game; None where nothing does."""

    def seats(self, options: Any) -> tuple[int, ...]:
        """Return the seat numbers that are occupied under these options, ascending."""

    def refused(self, options: Any, entry_coins: int) -> str:
        """Return why no table can be opened with these options and this entry, in coins (0: a free
        table); empty if one can. What its own model refuses does not come here.
        """

    def initial(self, options: Any) -> Any:
        """Return the state before the game's first event."""

    def begin(self, state: Any, chance: Chance) -> tuple[Message, ...]:
        """Return what happens by itself when play starts; may be nothing."""

    def awaited(self, state: Any) -> Awaited | None:
        """Return whom the game waits for; None once it is over."""

    def decide(
        self, state: Any, seat: int, intent: Message, chance: Chance
    ) -> tuple[Message, ...] | Refused:
        """Return what an intent of the seat on turn makes happen, never empty; or why not."""

    def time_out(self, state: Any, chance: Chance) -> tuple[Message, ...]:
        """Return what is played for the seat on turn when its time is over; never empty."""

    def leave(self, state: Any, seat: int, chance: Chance) -> tuple[Message, ...]:
        """Return what happens when a seat leaves for good (rule S.3), with a place or without one.

        If too few are left to play on, nobody is awaited afterwards, and everybody has a place.
        """

    def bot(self, state: Any, seed: str) -> Message:
        """Return the intent that a bot on turn sends: a pure function of the state and of a seed,
        which is another for each match and step.
        """

    def evolve(self, state: Any, event: Message) -> Any:
        """Return the state after an event of this game."""

    def asked(self, event: Message) -> Message | None:
        """Return the intent of which an event is the first consequence; None where no player
        can have asked for it. Auditors judge it again.
        """

    def number(self, intent: Message) -> str | None:
        """Return the number that an intent brings to a roll, empty for none; None where it rolls
        nothing.
        """

    def draw(self, event: Message, chance: Chance) -> Draw | None:
        """Return the roll that an event shows, drawn again; None where it shows none."""

    def view(self, state: Any) -> Message:
        """Return the game as anybody may see it, with all that a client needs to draw it anew."""

    def ways(self, state: Any) -> tuple[Way, ...]:
        """Return where each piece comes to that the seat on turn may choose by itself, as it is
        told to whoever chooses; nothing where no piece is to be chosen.
        """

    def places(self, state: Any) -> tuple[tuple[int, int], ...]:
        """Return (seat, place) of the seats that have one so far, best place first.

        Partners share a place, and have it once their side is through. At the end of a match for
        coins every seat that wins something has one (rule M.6).
        """


def fold(game: Game, state: Any, events: Sequence[Message]) -> Any:
    """Return the state after the events, in order."""
    for event in events:
        state = game.evolve(state, event)
    return state
