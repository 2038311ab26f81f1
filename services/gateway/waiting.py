"""Intents of phones that the log has not answered yet, and whom the answers go to."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from sahrat.games.game import TableOptions
from services.gateway.messages import Act, Join, Leave, Open, PlayNow
from services.gateway.session import Session

Wish = PlayNow | Open | Join | Leave | Act


@dataclass(frozen=True, slots=True)
class Table:
    """A free table that is about to be opened; `size`: its seats."""

    rules: str
    options: TableOptions
    size: int


@dataclass(slots=True, eq=False)
class Waiting:
    """One session's intent on its way.

    Attributes:
        match_id: Whose log it is in.
        opens: It opens the match.
        table: What it opens, where others may be seated at once.
        tried: Tables that refused it, and for which another was looked for.
    """

    session: Session
    player_id: str
    wish: Wish
    match_id: str
    opens: bool = False
    table: Table | None = None
    tried: dict[str, None] = field(default_factory=dict)

    @property
    def sits(self) -> bool:
        """Whether it takes a seat at a table that is open already."""
        return not self.opens and isinstance(self.wish, PlayNow | Join)


_Key = tuple[str, str, str]


class WaitingRoom:
    """All that wait. The same player's same intent may wait for several of his sessions.

    Attributes:
        sitting_down: How many are about to take a seat, by match.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._by_key: dict[_Key, dict[int, Waiting]] = {}
        self._by_session: dict[int, dict[_Key, None]] = {}
        self._places: dict[tuple[str, str], Waiting] = {}
        self._sitting_down: dict[str, int] = {}
        self._opening: dict[str, Waiting] = {}

    @property
    def sitting_down(self) -> Mapping[str, int]:
        """How many are about to take a seat, by match."""
        return self._sitting_down

    def add(self, waiting: Waiting) -> None:
        """Remember an intent that goes to the log now; once, however often it goes."""
        key = (waiting.player_id, waiting.match_id, waiting.wish.intent_id)
        number = waiting.session.number
        if number in self._by_key.get(key, {}):
            return
        self._by_key.setdefault(key, {})[number] = waiting
        self._by_session.setdefault(number, {})[key] = None
        if waiting.opens or waiting.sits:
            self._places[waiting.player_id, waiting.wish.intent_id] = waiting
        if waiting.table is not None:
            self._opening[waiting.match_id] = waiting
        if waiting.sits:
            count = self._sitting_down.get(waiting.match_id, 0)
            self._sitting_down[waiting.match_id] = count + 1

    def of(self, session: Session) -> int:
        """Return how many intents of a session wait."""
        return len(self._by_session.get(session.number, ()))

    def place(self, player_id: str, intent_id: str) -> Waiting | None:
        """Return what a player's intent for a seat is waiting for, in whatever match."""
        return self._places.get((player_id, intent_id))

    def table_for(
        self, rules: str, options: TableOptions, player_id: str, but: Container[str]
    ) -> str | None:
        """Return a table that is about to be opened, with room for a player: what he sends now
        comes after the opening. Else many who come at once would all open their own.
        """
        for match_id, waiting in self._opening.items():
            table = waiting.table
            if (
                table is not None
                and match_id not in but
                and waiting.player_id != player_id
                and (table.rules, table.options) == (rules, options)
                and 1 + self._sitting_down.get(match_id, 0) < table.size
            ):
                return match_id
        return None

    def settle(self, player_id: str, match_id: str, intent_id: str) -> list[Waiting]:
        """Return who waited for an intent's answer, and forget them."""
        key = (player_id, match_id, intent_id)
        settled = [*self._by_key.pop(key, {}).values()]
        for waiting in settled:
            self._forget(key, waiting)
        return settled

    def drop(self, session: Session) -> None:
        """Forget a session's intents; the log answers to nobody."""
        for key in self._by_session.pop(session.number, {}):
            others = self._by_key[key]
            waiting = others.pop(session.number)
            if not others:
                del self._by_key[key]
            self._forget(key, waiting)

    def _forget(self, key: _Key, waiting: Waiting) -> None:
        theirs = self._by_session.get(waiting.session.number, {})
        theirs.pop(key, None)
        if not theirs:
            self._by_session.pop(waiting.session.number, None)
        place = (waiting.player_id, waiting.wish.intent_id)
        if self._places.get(place) is waiting:
            del self._places[place]
        if self._opening.get(waiting.match_id) is waiting:
            del self._opening[waiting.match_id]
        if waiting.sits:
            self._sitting_down[waiting.match_id] -= 1
            if not self._sitting_down[waiting.match_id]:
                del self._sitting_down[waiting.match_id]
