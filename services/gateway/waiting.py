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


@dataclass(slots=True)
class _Sent:
    """An intent that this gateway has written, and who waits for its answer.

    Attributes:
        first: For whom it was written; he may be gone.
        by: Who waits, by session.
    """

    first: Waiting
    by: dict[int, Waiting]


class WaitingRoom:
    """All that wait. A player's intent is on its way once, whoever of his sessions wait for it, and
    stays noted until it is answered, though they be gone: who comes back and sends it again waits
    for the same answer. So no copy of it can be accepted where another one was refused.

    Attributes:
        sitting_down: How many are about to take a seat, by match.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._by_key: dict[_Key, _Sent] = {}
        self._by_session: dict[int, dict[_Key, None]] = {}
        self._places: dict[tuple[str, str], _Sent] = {}
        self._sitting_down: dict[str, int] = {}
        self._opening: dict[str, Waiting] = {}

    @property
    def sitting_down(self) -> Mapping[str, int]:
        """How many are about to take a seat, by match."""
        return self._sitting_down

    def follow(self, waiting: Waiting) -> bool:
        """Wait along if the same intent is on its way; return whether it is."""
        key = _key(waiting)
        sent = self._by_key.get(key)
        if sent is None:
            return False
        number = waiting.session.number
        if number not in sent.by:
            sent.by[number] = waiting
            self._by_session.setdefault(number, {})[key] = None
        return True

    def add(self, waiting: Waiting) -> None:
        """Remember an intent that goes to the log now; none that could be followed."""
        key, number = _key(waiting), waiting.session.number
        sent = self._by_key[key] = _Sent(waiting, {number: waiting})
        self._by_session.setdefault(number, {})[key] = None
        if waiting.opens or waiting.sits:
            self._places[waiting.player_id, waiting.wish.intent_id] = sent
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
        sent = self._places.get((player_id, intent_id))
        return None if sent is None else sent.first

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
        """Return who waited for an intent's answer, and forget it and them."""
        key = (player_id, match_id, intent_id)
        sent = self._by_key.pop(key, None)
        if sent is None:
            return []
        for number in sent.by:
            self._leave(number, key)
        first = sent.first
        if self._places.get((player_id, intent_id)) is sent:
            del self._places[player_id, intent_id]
        if self._opening.get(match_id) is first:
            del self._opening[match_id]
        if first.sits:
            self._sitting_down[match_id] -= 1
            if not self._sitting_down[match_id]:
                del self._sitting_down[match_id]
        return [*sent.by.values()]

    def settle_all(self, match_id: str) -> list[Waiting]:
        """Return who waited for any answer of a match, and forget them."""
        keys = [key for key in self._by_key if key[1] == match_id]
        return [waiting for key in keys for waiting in self.settle(*key)]

    def drop(self, session: Session) -> None:
        """Let a session wait no more. What is on its way stays so."""
        for key in [*self._by_session.get(session.number, ())]:
            sent = self._by_key[key]
            del sent.by[session.number]
            self._leave(session.number, key)
            if self._opening.get(sent.first.match_id) is sent.first and not sent.by:
                del self._opening[sent.first.match_id]  # nobody will be there

    def _leave(self, number: int, key: _Key) -> None:
        theirs = self._by_session[number]
        del theirs[key]
        if not theirs:
            del self._by_session[number]


def _key(waiting: Waiting) -> _Key:
    return waiting.player_id, waiting.match_id, waiting.wish.intent_id
