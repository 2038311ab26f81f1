"""The loop through the whole house: which gateways beat, which tick is out, which came back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sahrat.match import limits
from sahrat.messages import topics
from sahrat.messages.envelope import TickAnswered

TICK_MS: Final = 500  # between the answer to a tick and the next one
HEARD_MS: Final = 2_000  # no tick when no gateway was heard for so long (rule K)
WINDOW_MS: Final = 1_500  # dues go out so far from `last`: rules has to find them within 2 s
LOST_MS: Final = 6_000  # a gateway unheard for so long is lost (rule S)
FORGET_MS: Final = 60_000  # it is not remembered then
OVERTAKEN_MS: Final = 2_000  # an answer comes this soon after the records of later intents
LATE_MS: Final = 1_000  # so long an append may take for what is named to be chosen by its time
RESUMES_PER_MS: Final = 5  # what rules can resume at least, in matches of all partitions

assert WINDOW_MS < limits.ALIVE_MS
assert TICK_MS < WINDOW_MS


@dataclass(frozen=True, slots=True)
class Now:
    """A moment in both times; the log's is not known before the log was heard."""

    log_ms: int | None
    mono_ms: int


class Pulses:
    """Which gateways are alive; one for all partitions of a process.

    Args:
        mono_ms: When it began to listen.
    """

    def __init__(self, mono_ms: int) -> None:
        self.since_ms = mono_ms
        self._heard: dict[str, int] = {}
        self._newest: int | None = None

    def heard(self, gateway: str, mono_ms: int) -> None:
        """Take a heartbeat."""
        if gateway not in self._heard:  # they have a new id at each start: forget the old ones
            self._heard = {
                known: at for known, at in self._heard.items() if mono_ms - at <= FORGET_MS
            }
        self._heard[gateway] = mono_ms
        self._newest = mono_ms

    def alive(self, mono_ms: int) -> bool:
        """Return whether a gateway was heard lately."""
        return self._newest is not None and mono_ms - self._newest <= HEARD_MS

    def last(self, gateway: str) -> int | None:
        """Return when a gateway was heard last; None if it was not, or long ago."""
        return self._heard.get(gateway)


@dataclass(slots=True)
class _Tick:
    intent_id: str
    sent_mono_ms: int
    offset: int | None = None
    overtaken_mono_ms: int | None = None


class Ticks:
    """The partition's tick that is on its way, one at most, and the newest that was answered.

    While rules is down the one tick waits in the log: more of them would each be a resume of every
    match when rules is back. It is given up only where rules is known to have passed it: rules
    answers after it wrote the records, and may die in between.

    Attributes:
        last_ms: What dues name, and ticks for the most part; 0 when no answered tick was found.

    """

    def __init__(self) -> None:
        self.last_ms = 0
        self._last_offset = -1
        self._out: _Tick | None = None
        self._answered_mono_ms: int | None = None
        self._next_mono_ms = 0
        self._stood_still = False

    # ---- what is heard

    def found(self, answer: TickAnswered, at_ms: int) -> None:
        """Take an answer that was in the log before the start; `at_ms`: where the answer stands."""
        if answer.offset > self._last_offset:
            self._last_offset = answer.offset
            self.last_ms = last_of(answer, at_ms)
            self._stood_still = abs(at_ms - self.last_ms) > limits.ALIVE_MS

    def adopt(self, intent_id: str, offset: int, mono_ms: int) -> None:
        """Wait for a tick that another timer wrote, or this one before it was started again."""
        self._out = _Tick(intent_id, mono_ms, offset)

    def answered(self, answer: TickAnswered, at_ms: int, mono_ms: int) -> bool:
        """Take an answer just read; return whether it was the awaited one's."""
        if answer.offset > self._last_offset:  # else rules was started again and repeats itself
            self.found(answer, at_ms)
            self._answered_mono_ms = mono_ms
        if self._out is None or answer.intent_id != self._out.intent_id:
            return False
        self._out = None
        self._next_mono_ms = mono_ms + TICK_MS
        return True

    def judged(self, offset: int, mono_ms: int, *, answers: bool) -> None:
        """Learn that rules has judged the intent at an offset, from a record that it caused or
        from an answer. Answers come in order, so one to a later intent means: there will be none.
        """
        if self._out is None or self._out.offset is None or offset <= self._out.offset:
            return
        if answers:
            self._out = None
        elif self._out.overtaken_mono_ms is None:
            self._out.overtaken_mono_ms = mono_ms

    # ---- what follows

    def alive(self, now: Now) -> bool:
        """Return whether a due that is stored now will find that all was alive."""
        return (
            now.log_ms is not None
            and abs(now.log_ms - self.last_ms) <= WINDOW_MS
            and self._answered_mono_ms is not None
            and now.mono_ms - self._answered_mono_ms <= WINDOW_MS
        )

    def look(self, now: Now) -> None:
        """Note whether the house has stood still since the newest answer: by this process's time,
        or by the log's, which may be set back meanwhile and then deny it.
        """
        if now.log_ms is not None and abs(now.log_ms - self.last_ms) > limits.ALIVE_MS:
            self._stood_still = True
        answered = self._answered_mono_ms
        if answered is not None and now.mono_ms - answered > limits.ALIVE_MS:
            self._stood_still = True

    def named(self, now: Now) -> int:
        """Return what a tick names that is stored now: where the house stood still, and the log's
        clock was set back by so much, or may have been, that the tick would not tell, no answered
        tick at all.
        """
        if not self._stood_still:
            return self.last_ms
        since_ms = 0 if now.log_ms is None else now.log_ms - self.last_ms
        hidden = -limits.ALIVE_MS - LATE_MS <= since_ms <= limits.ALIVE_MS
        return 0 if hidden else self.last_ms

    def may_send(self, pulses: Pulses, mono_ms: int) -> bool:
        """Return whether it is time for a tick."""
        if self._out is not None:
            overtaken = self._out.overtaken_mono_ms
            if overtaken is None or mono_ms - overtaken < OVERTAKEN_MS:
                return False
            self._out = None
        return mono_ms >= self._next_mono_ms and pulses.alive(mono_ms)

    def sent(self, intent_id: str, mono_ms: int) -> None:
        """Take that a tick is on its way."""
        self._out = _Tick(intent_id, mono_ms)

    def stored(self, intent_id: str, offset: int) -> None:
        """Take where a tick stands in the log."""
        if self._out is not None and self._out.intent_id == intent_id:
            self._out.offset = offset

    def wake_ms(self, pulses: Pulses, mono_ms: int) -> int | None:
        """Return when `may_send` may become true by time alone."""
        if self._out is None:
            return self._next_mono_ms if pulses.alive(mono_ms) else None
        overtaken = self._out.overtaken_mono_ms
        return None if overtaken is None else overtaken + OVERTAKEN_MS

    def waiting_ms(self, mono_ms: int) -> int:
        """Return for how long a tick has been without its answer."""
        return 0 if self._out is None else mono_ms - self._out.sent_mono_ms


def last_of(answer: TickAnswered, at_ms: int) -> int:
    """Return what an answered tick makes of `last`.

    A resume of many matches takes its time, which must not call for the next resume: behind it,
    everything was alive up to its answer. But for no longer than it can have taken. Where rules
    was down between such a tick and its answer, the clocks that the resume set had run meanwhile:
    `last` is then the tick's own time, so that the next one resumes again, with full times.
    """
    if not answer.resumed:
        return answer.tick_ms
    most_ms = limits.ALIVE_MS + answer.live * topics.MATCH_PARTITIONS // RESUMES_PER_MS
    return at_ms if 0 <= at_ms - answer.tick_ms <= most_ms else answer.tick_ms
