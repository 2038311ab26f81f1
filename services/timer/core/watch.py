"""The live matches of a partition, by the moment at which something is to be done for them.

One entry a match, so that ten thousand idle ones cost nothing: a record that moves a deadline back
leaves the entry where it is, and the entry moves when its time comes.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final, Literal

from sahrat.match import clock, limits
from sahrat.match.match import Match
from sahrat.match.state import Phase
from services.timer.core.ticks import Now

FAULTS: Final = 3  # rule T: a due refused so often with `fault`, and the match is stopped
PAUSE_MS: Final = 250  # after a refusal, doubling ..
SHORT_MS: Final = 1_000  # .. up to this where the next try may be free of it ..
LONG_MS: Final = 60_000  # .. and to this, where there is little hope
_MAY_STAND_STILL: Final = frozenset({Phase.FUNDING, Phase.PLAYING})
"""Rule T.1. An open table has a clock of its own for it."""

Want = Literal["due", "stood_still", "too_long", "fault"]


@dataclass(slots=True)
class Watch:
    """A live match.

    Attributes:
        due_ms: Its earliest deadline; 0 when no clock runs.
        moved_ms: When it moved on last, in the log's time.
        moved_mono_ms: The same in this process's; None while its start is not related to the log's.
        awaits: The due or stop that is on its way; empty for none.
        refused, faults: How often in a row it was refused, and how often with `fault`.
        gateways: Those that its seats name.

    """

    match: Match
    due_ms: int = 0
    moved_ms: int = 0
    moved_mono_ms: int | None = None
    awaits: str = ""
    pause_mono_ms: int = 0
    refused: int = 0
    faults: int = 0
    gateways: tuple[str, ...] = ()
    queued_ms: int | None = None
    ready: bool = False

    def next_ms(self) -> int | None:
        """Return the log's time at which something may be to do; None for never."""
        if self._at_once():
            return 0
        times = [self.due_ms] if self.due_ms else []
        if self.match.known.phase in _MAY_STAND_STILL:
            times.append(self.moved_ms + limits.STILL_MS + 1)
        return min(times, default=None)

    def want(self, log_ms: int, mono_ms: int) -> Want | None:
        """Return what is to be done at a moment."""
        if self.match.seq >= limits.RECORDS:
            return "too_long"
        if self.faults >= FAULTS:
            return "fault"
        if self._stood_still(log_ms, mono_ms):
            return "stood_still"
        return "due" if self.due_ms and self.due_ms <= log_ms else None

    def _at_once(self) -> bool:
        return self.match.seq >= limits.RECORDS or self.faults >= FAULTS

    def _stood_still(self, log_ms: int, mono_ms: int) -> bool:
        """Tell whether nothing moved for thirty minutes (rule T), in both times: a broker's clock
        that is set forward stops no match.
        """
        if self.match.known.phase not in _MAY_STAND_STILL:
            return False
        if log_ms - self.moved_ms <= limits.STILL_MS:
            return False
        return self.moved_mono_ms is None or mono_ms - self.moved_mono_ms > limits.STILL_MS


@dataclass(slots=True)
class Watches:
    """All live matches of a partition."""

    _all: dict[str, Watch] = field(default_factory=dict)
    _queue: list[tuple[int, str]] = field(default_factory=list)
    _pauses: list[tuple[int, str]] = field(default_factory=list)
    _ready: deque[str] = field(default_factory=deque)
    _began: tuple[int, int] | None = None

    def get(self, match_id: str) -> Watch | None:
        """Return a match that is watched."""
        return self._all.get(match_id)

    def look(self, match: Match, mono_ms: int | None) -> Watch:
        """Take a live match as it is now; `mono_ms` None: as it was before the start."""
        watch = self._all.get(match.match_id)
        if watch is None:
            watch = self._all[match.match_id] = Watch(match)
        if match.moved_ms != watch.moved_ms:
            watch.moved_ms, watch.moved_mono_ms = match.moved_ms, mono_ms
            watch.faults = 0
        watch.refused = 0
        deadline = clock.earliest(match.known)
        watch.due_ms = 0 if deadline is None else deadline.at_ms
        self._place(watch)
        return watch

    def drop(self, match_id: str) -> Watch | None:
        """Watch a match no more."""
        return self._all.pop(match_id, None)  # its places in the queues are passed over

    def settled(self, watch: Watch) -> None:
        """Take that what was on its way for a match has come to its end."""
        watch.awaits = ""
        self._place(watch)

    def refused(self, watch: Watch, mono_ms: int, *, hope: bool) -> None:
        """Take that it was refused, or lost: it is tried again after a pause."""
        watch.awaits = ""
        pause_ms = min(PAUSE_MS << min(watch.refused, 8), SHORT_MS if hope else LONG_MS)
        watch.refused += 1
        watch.pause_mono_ms = mono_ms + pause_ms
        heappush(self._pauses, (watch.pause_mono_ms, watch.match.match_id))

    def failed(self, watch: Watch, mono_ms: int) -> None:
        """Take that the game raised when a due of it was judged; the last time, it is stopped."""
        watch.faults += 1
        if watch.faults < FAULTS:
            self.refused(watch, mono_ms, hope=True)
        else:
            watch.refused = 0
            self.settled(watch)

    def ready(self, log_ms: int, mono_ms: int, room: int) -> list[tuple[Watch, Want]]:
        """Return up to `room` matches for which something is to be done now, the earliest first.
        They are not named again before `settled` or `refused`.
        """
        self._began = self._began or (log_ms, mono_ms)
        self._ripen(log_ms, mono_ms)
        found: list[tuple[Watch, Want]] = []
        while self._ready and len(found) < room:
            watch = self._all.get(self._ready.popleft())
            if watch is None:
                continue
            watch.ready = False
            if watch.awaits or watch.pause_mono_ms > mono_ms:
                continue  # it comes back by its answer, or from among the pauses
            want = watch.want(log_ms, mono_ms)
            if want is None:
                self._place(watch)
            else:
                found.append((watch, want))
        return found

    def wake_ms(self, now: Now) -> int | None:
        """Return the moment (`mono_ms`) of the next thing that is not waiting for an answer."""
        times = [self._pauses[0][0]] if self._pauses else []
        if self._queue and now.log_ms is not None:
            times.append(now.mono_ms + max(0, self._queue[0][0] - now.log_ms))
        return min(times, default=None)

    def _ripen(self, log_ms: int, mono_ms: int) -> None:
        while self._pauses and self._pauses[0][0] <= mono_ms:
            watch = self._all.get(heappop(self._pauses)[1])
            if watch is not None and not watch.awaits:
                self._place(watch)
        while self._queue and self._queue[0][0] <= log_ms:
            at_ms, match_id = heappop(self._queue)
            watch = self._all.get(match_id)
            if watch is None or watch.queued_ms != at_ms:
                continue
            watch.queued_ms = None
            self._relate(watch)
            again_ms = watch.next_ms()
            if again_ms is None:
                continue
            if again_ms > log_ms:
                self._place(watch)
            elif watch.want(log_ms, mono_ms) is not None:
                watch.ready = True
                self._ready.append(match_id)
            else:  # only the broker's clock says that it stood still
                quiet_ms = mono_ms - (watch.moved_mono_ms or 0)
                later = log_ms + max(1, limits.STILL_MS + 1 - quiet_ms)
                self._put(watch, min(later, watch.due_ms or later))

    def _relate(self, watch: Watch) -> None:
        """Put a move from before the start where it is in this process's time."""
        if watch.moved_mono_ms is None and self._began is not None:
            log_ms, mono_ms = self._began
            watch.moved_mono_ms = mono_ms - (log_ms - watch.moved_ms)

    def _place(self, watch: Watch) -> None:
        at_ms = watch.next_ms()
        if at_ms is not None and not watch.awaits and not watch.ready:
            self._put(watch, at_ms)

    def _put(self, watch: Watch, at_ms: int) -> None:
        if watch.queued_ms is None or at_ms < watch.queued_ms:
            watch.queued_ms = at_ms
            heappush(self._queue, (at_ms, watch.match.match_id))
