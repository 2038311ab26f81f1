"""What a gateway writes, by hand: its heartbeat, and intents for its players."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sahrat import games
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.base import Line, Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope, Pulse
from sahrat.messages.stored import Ack, Draft
from sahrat.messages.topics import partition_key, partition_of

if TYPE_CHECKING:
    from tests.house.house import House

_NEWEST = games.current("ludo")
assert _NEWEST is not None
RULES = _NEWEST.rules


@dataclass(repr=False)
class Gateway:
    """A gateway."""

    house: House
    id: str
    _lines: Any = field(default_factory=lambda: itertools.count(1))
    _beat: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Write the first heartbeat, and go on."""
        await self.pulse()
        self._beat = asyncio.create_task(self._beats())
        self.house.note()

    async def kill(self) -> None:
        """Be gone without a word."""
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)
            self._beat = None
            self.house.note()

    @property
    def beats(self) -> bool:
        """Whether it is alive."""
        return self._beat is not None

    async def pulse(self) -> None:
        draft = Draft(self.id.encode(), encode(Pulse(gateway=self.id)))
        await self.house.log.append(topics.PULSE, 0, (draft,))

    async def _beats(self) -> None:
        while True:
            await asyncio.sleep(1)
            await self.pulse()

    def envelope(self, match_id: str | None, intent: Message, **kw: Any) -> IntentEnvelope[Any]:
        values: dict[str, Any] = {
            "intent_id": self.house.new_id(),
            "match_id": match_id,
            "player_id": None,
            "system": None if "player_id" in kw else "gateway",
            "step": None,
            "not_after_ms": None,
            "sent_by": self.id,
        }
        return IntentEnvelope[Any](**(values | kw), intent=intent)

    async def send(self, match_id: str, intent: Message, **kw: Any) -> Ack:
        """Write an intent for a match."""
        return await self.put(self.envelope(match_id, intent, **kw))

    async def put(self, envelope: IntentEnvelope[Any]) -> Ack:
        """Write an envelope for a match."""
        match_id = str(envelope.match_id)
        draft = Draft(match_id.encode(), encode(envelope))
        acks = await self.house.log.append(topics.INTENTS, partition_of(match_id), (draft,))
        return acks[0]

    async def whole(self, partition: int, intent: Message) -> None:
        """Write an intent for a whole partition."""
        draft = Draft(partition_key(partition).encode(), encode(self.envelope(None, intent)))
        await self.house.log.append(topics.INTENTS, partition, (draft,))

    def line(self) -> Line:
        """A new line to a phone."""
        return Line(gateway=self.id, number=next(self._lines))

    async def open(
        self, player_id: str, *, match_id: str | None = None, entry: int = 0, **options: Any
    ) -> str:
        """Open a Ludo table for a player."""
        match_id = match_id or self.house.match_id()
        intent = m.OpenTable(
            rules=RULES,
            options=options,
            entry_coins=entry,
            nickname="",
            seat_number="1",
            line=self.line(),
        )
        await self.send(match_id, intent, player_id=player_id)
        await self.house.settle()
        return match_id

    async def join(self, match_id: str, player_id: str) -> Line:
        """Seat a player, or bring him back."""
        line = self.line()
        intent = m.JoinTable(nickname="", seat_number="2", line=line)
        await self.send(match_id, intent, player_id=player_id)
        return line

    async def table(
        self, *players: str, match_id: str | None = None, entry: int = 0, **options: Any
    ) -> str:
        """Open a table of these players, and wait until play has begun; at a coin table, if the
        wallet answers at once.
        """
        options["players"] = len(players)
        match_id = await self.open(players[0], match_id=match_id, entry=entry, **options)
        for player_id in players[1:]:
            await self.join(match_id, player_id)
        await self.house.settle()
        return match_id

    async def lose(self, match_id: str, player_id: str) -> None:
        """Say that the line which holds a player's seat is gone."""
        state = self.house.match(match_id).known
        chair = state.chair(player_id)
        assert chair is not None
        line = state.sitters[chair].line
        assert line is not None
        await self.send(match_id, m.LineDown(player_id=player_id, line=line))
        await self.house.settle()

    def move(self, match_id: str, player_id: str | None = None) -> IntentEnvelope[Any]:
        """Return what a bot would do now, as the wish of the player on turn (or of another)."""
        match = self.house.match(match_id)
        state = match.known
        sitter = state.sitters[state.chair_of_seat(state.step_seat)]
        intent = match.game.bot(state.board, "")
        if match.game.number(intent) == "":  # rule D: a player's roll has a number
            intent = intent.model_copy(update={"number": str(state.step)})
        player_id = player_id or sitter.player_id
        return self.envelope(match_id, intent, player_id=player_id, step=state.step)

    async def stop(self, match_id: str) -> None:
        """Stop a match, as an operator."""
        stop = m.StopMatch(reason="operator", operator="amal", detail="a test")
        await self.send(match_id, stop, system="operator")
        await self.house.settle()

    async def act(self, match_id: str) -> Ack:
        """Do it."""
        return await self.put(self.move(match_id))
