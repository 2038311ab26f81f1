"""What the bots do in one partition. Pure: it knows only the matches and times that it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from uuid import UUID, uuid5

from sahrat.match.match import Match
from sahrat.match.state import Phase
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.dead import plain
from sahrat.messages.envelope import IntentEnvelope
from sahrat.messages.stored import Draft


@dataclass(frozen=True, slots=True)
class Fault:
    """A game raised when it was asked for its bot's intent; the step's clock will play instead."""

    match_id: str
    step: int
    detail: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A step whose choice takes long, so that whoever serves others has it made elsewhere.

    Attributes:
        choose: Makes it; picklable, as what it returns is.
    """

    match_id: str
    step: int
    choose: Callable[[], Message]


@dataclass(slots=True)
class _Played:
    """What is planned and what was done for a match, by its step."""

    planned: int = 0
    acted: int = 0


class Partition:
    """The steps of one partition that a bot is to take.

    Args:
        sent_by: This worker's id, new at each start.
        pause_ms: How long a bot thinks.
    """

    def __init__(self, sent_by: str, pause_ms: int) -> None:
        self._sent_by = sent_by
        self._pause_ms = pause_ms
        self._played: dict[str, _Played] = {}
        self._queue: list[tuple[int, str, int, Match]] = []

    def look(self, match: Match, mono_ms: int) -> None:
        """Take a match as it is now: if a bot is awaited, it begins to think."""
        if not match.live:
            self._played.pop(match.match_id, None)
            return
        step = awaited(match)
        if step is None:
            return
        played = self._played.setdefault(match.match_id, _Played())
        if step in (played.planned, played.acted):
            return
        played.planned = step
        heappush(self._queue, (mono_ms + self._pause_ms, match.match_id, step, match))

    def act(self, mono_ms: int) -> list[Draft | Turn | Fault]:
        """Return what is to be appended now, as one batch, what is to be chosen first (`chosen`),
        and what went wrong. Each step is played once, whatever becomes of it; one that a bot is no
        longer awaited for is not.
        """
        found: list[Draft | Turn | Fault] = []
        while self._queue and self._queue[0][0] <= mono_ms:
            _, match_id, step, match = heappop(self._queue)
            played = self._played.get(match_id)
            if played is None or played.planned != step:
                continue
            played.planned = 0
            if not match.live or awaited(match) != step:
                continue
            played.acted = step
            found.append(self._play(match, step))
        return found

    def wake_ms(self) -> int | None:
        """Return when the next bot has thought."""
        return self._queue[0][0] if self._queue else None

    def chosen(self, turn: Turn, intent: Message) -> Draft:
        """Return what is to be appended for a turn."""
        envelope = IntentEnvelope[Message](
            intent_id=intent_id(turn.match_id, turn.step),
            match_id=turn.match_id,
            player_id=None,
            system="bots",
            step=turn.step,
            not_after_ms=None,
            sent_by=self._sent_by,
            intent=intent,
        )
        return Draft(turn.match_id.encode(), encode(envelope))

    def _play(self, match: Match, step: int) -> Draft | Turn | Fault:
        seed = f"{match.match_id}|{step}"
        turn = Turn(match.match_id, step, partial(match.game.bot, match.known.board, seed))
        if match.game.heavy is not None:
            return turn
        try:
            return self.chosen(turn, turn.choose())
        except MemoryError:
            raise
        except Exception as fault:  # one match's fault; the others play on
            return Fault(turn.match_id, turn.step, plain(f"{type(fault).__name__}: {fault}"))


def awaited(match: Match) -> int | None:
    """Return the step that a bot is to take in a match; None when no bot is on turn."""
    state = match.known
    if state.phase is not Phase.PLAYING:
        return None
    return state.step if state.sitters[state.chair_of_seat(state.step_seat)].bot else None


def intent_id(match_id: str, step: int) -> str:
    """Return the id of the intent for a step: always the same, so that two owners of a partition,
    or one that was started again, have one effect.

    Source: RFC 9562, UUID version 5, in the namespace of the match.
    """
    return str(uuid5(UUID(match_id), f"bot|{step}"))
