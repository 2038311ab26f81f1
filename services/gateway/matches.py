"""What this gateway knows of the matches: the live ones, their newest records, who sits where."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sahrat.games.game import TableOptions
from sahrat.log.follow import Follower
from sahrat.match.match import Match
from sahrat.match.state import Phase, State
from sahrat.messages.topics import partition_of

TAIL_RECORDS: Final = 64  # what a phone misses in a gap of half a minute; more comes as a snapshot
TAIL_BYTES: Final = 32 * 1024
SEATS: Final = 50  # tables at which a player may sit at once; and of those where he sat, so many
# of the newest are looked through for an intent that comes again


class Tail:
    """A match's newest records, as stored."""

    __slots__ = ("_size", "_values", "last")

    def __init__(self, last: int) -> None:
        """Start after record `last`, with none."""
        self._values: deque[bytes] = deque()
        self._size = 0
        self.last = last

    def add(self, seq: int, value: bytes) -> None:
        """Take the next record, and forget the oldest ones if it gets too much."""
        self.last = seq
        self._values.append(value)
        self._size += len(value)
        while len(self._values) > TAIL_RECORDS or self._size > TAIL_BYTES:
            self._size -= len(self._values.popleft())

    def after(self, seq: int) -> Sequence[bytes] | None:
        """Return the records above `seq`, or None if some of them are not here any more."""
        missing = self.last - seq
        if missing > len(self._values):
            return None
        return [*islice(self._values, len(self._values) - missing, None)]


@dataclass(slots=True)
class _Known:
    """What is noted of a match beside its state: its newest records, and what it was counted as."""

    tail: Tail
    phase: Phase | None = None
    players: tuple[str, ...] = ()
    seated: tuple[str, ...] = ()


class Matches:
    """All partitions' matches that are live or ended a short while ago.

    Args:
        followers: They hold the matches, and are read by somebody else, who tells `took`.

    Attributes:
        open_tables: Tables at which somebody may sit down, oldest first.
        playing: Matches that are being played.
    """

    def __init__(self, followers: Sequence[Follower]) -> None:
        self._followers = followers
        self._known: list[dict[str, _Known]] = [{} for _ in followers]
        self._of_player: dict[str, dict[str, None]] = {}  # wherever he ever sat
        self._seats: dict[str, dict[str, None]] = {}  # where he sits
        self.open_tables: dict[str, Match] = {}
        self.playing: dict[str, Match] = {}

    def __iter__(self) -> Iterator[Match]:
        """Yield all that is live, parked or ended a short while ago, by partition."""
        for follower in self._followers:
            yield from follower.live.matches.values()

    def get(self, match_id: str) -> Match | None:
        """Return a match that is live, parked or ended a short while ago."""
        return self._followers[partition_of(match_id)].live.get(match_id)

    def learn(self, partition: int) -> None:
        """Note all matches of a partition that has been replayed."""
        for match in self._followers[partition].live.matches.values():
            if match.state is not None:  # else it was parked at its first record
                self._note(partition, match, match.seq)

    def took(self, partition: int, match: Match, value: bytes) -> None:
        """Note the record that a match has just taken."""
        self._note(partition, match, match.seq - 1).tail.add(match.seq, value)

    def parked(self, match: Match) -> None:
        """Note that nothing can happen in a match any more."""
        self.open_tables.pop(match.match_id, None)
        self.playing.pop(match.match_id, None)

    def sweep(self, partition: int) -> list[str]:
        """Forget the matches of a partition that are not held any more, and return their ids."""
        held = self._followers[partition].live.matches
        known = self._known[partition]
        gone = [match_id for match_id in known if match_id not in held]
        for match_id in gone:
            forgotten = known.pop(match_id)
            for player_id in forgotten.players:
                _take_out(self._of_player, player_id, match_id)
            for player_id in forgotten.seated:
                _take_out(self._seats, player_id, match_id)
        return gone

    # ---- asking

    def after(self, match: Match, seq: int) -> Sequence[bytes] | None:
        """Return a match's records above `seq`, or None if some of them are not at hand."""
        if seq >= match.seq:
            return ()
        known = self._known[partition_of(match.match_id)].get(match.match_id)
        return None if known is None else known.tail.after(seq)

    def seats_of(self, player_id: str) -> list[str]:
        """Return the live matches in which a player has a seat, in the order of sitting down."""
        found = []
        for match_id in self._seats.get(player_id, ()):
            match = self.get(match_id)
            if match is not None and match.live and has_seat(match.known, player_id):
                found.append(match_id)
        return found

    def made_by(self, player_id: str, intent_id: str) -> tuple[str, int] | None:
        """Return (match, seq) of the record that a player's intent made where he sat down last."""
        newest = islice(reversed(self._of_player.get(player_id, {})), SEATS)
        for match_id in newest:
            match = self.get(match_id)
            seq = match.accepted.find(f"player:{player_id}", intent_id) if match else None
            if seq is not None:
                return match_id, seq
        return None

    def table_for(
        self,
        rules: str,
        options: TableOptions,
        player_id: str,
        *,
        taken: Mapping[str, int],
        but: Container[str] = (),
    ) -> str | None:
        """Return the oldest open free table of these rules and options that has room, where
        everybody is present and the player does not sit. `taken`: how many are about to sit down,
        by match; `but`: where he has been refused.
        """
        for match_id, match in self.open_tables.items():
            state = match.known
            if (
                match_id not in but
                and state.free
                and state.rules == rules
                and state.options == options
                and len(state.sitters) + taken.get(match_id, 0) < state.size
                and state.chair(player_id) is None
                and all(sitter.line is not None for sitter in state.sitters)
            ):
                return match_id
        return None

    # ---- noting

    def _note(self, partition: int, match: Match, last: int) -> _Known:
        """Note a match as it is. `last`: the record after which its tail begins if it is new."""
        match_id, state = match.match_id, match.known
        known = self._known[partition].get(match_id)
        if known is None:
            known = self._known[partition][match_id] = _Known(Tail(last))
        if known.phase is state.phase is Phase.PLAYING:
            return known  # nobody sits down or gets up any more
        known.phase = state.phase
        sitting = tuple(sitter.player_id for sitter in state.sitters if sitter.player_id)
        seated = sitting if match.live else ()
        for player_id in sitting:
            if player_id not in known.players:
                known.players += (player_id,)
                self._of_player.setdefault(player_id, {})[match_id] = None
        for player_id in seated:
            self._seats.setdefault(player_id, {})[match_id] = None
        for player_id in known.seated:
            if player_id not in seated:
                _take_out(self._seats, player_id, match_id)
        known.seated = seated
        for phase, listed in ((Phase.OPEN, self.open_tables), (Phase.PLAYING, self.playing)):
            if match.live and state.phase is phase:
                listed[match_id] = match
            else:
                listed.pop(match_id, None)
        return known


def has_seat(state: State, player_id: str) -> bool:
    """Return whether a line of this player may hold a seat: he sits there, and did not get up."""
    chair = state.chair(player_id)
    return chair is not None and not state.sitters[chair].left


def _take_out(of_player: dict[str, dict[str, None]], player_id: str, match_id: str) -> None:
    theirs = of_player.get(player_id, {})
    theirs.pop(match_id, None)
    if not theirs:
        of_player.pop(player_id, None)
