"""The tests are tested: each fault that is planted here is found by the simulation.

Each is one that somebody might write, and all seeds hold without it (`test_simulate`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from sahrat.ledger import decide
from sahrat.log.live import LivePartition
from sahrat.log.port import Ack, AppendFailed, Bookmark, Claim, Draft
from sahrat.match import clock, coins, judge
from sahrat.messages import topics
from sahrat.messages.topics import Topic
from sahrat.runtime.ending import EndingLog
from services.house.simulation.loop import true_s
from services.house.simulation.run import simulate
from services.projection.core import matches
from services.rules import core, host
from services.wallet import router
from services.wallet.core import answering, routing

Patch = pytest.MonkeyPatch


def bookmark_before_the_append(patch: Patch) -> None:
    """Rules says that a batch is judged, and then stores what it caused."""
    serve, judged = host.Rules.serve, host.Rules._judge
    claims: dict[int, Claim] = {}

    async def remember(self: host.Rules, claim: Claim) -> None:
        claims[claim.partition] = claim
        await serve(self, claim)

    async def hasty(self: host.Rules, partition: LivePartition, batch: Sequence[Any]) -> None:
        place = Bookmark(batch[-1].offset + 1, host.mark(partition, 0).metadata)
        await claims[partition.partition].bookmark(place)
        await judged(self, partition, batch)

    patch.setattr(host.Rules, "serve", remember)
    patch.setattr(host.Rules, "_judge", hasty)


def a_swallowed_exception(patch: Patch) -> None:
    """A failed append is nobody's business."""

    async def careless(
        self: EndingLog, topic: Topic, partition: int, drafts: Sequence[Draft]
    ) -> Sequence[Ack]:
        try:
            return await self._log.append(topic, partition, drafts)
        except AppendFailed:
            end = (await self._log.bounds(topic, partition)).end
            return [Ack(end + number, 0) for number in range(len(drafts))]

    patch.setattr(EndingLog, "append", careless)


def a_random_hold_id(patch: Patch) -> None:
    """Each time that a hold is asked for it has a new id."""
    ask, chance = routing._ask, Random(1)

    def anew(match_id: str, event: Any) -> Any:
        command_id, command = ask(match_id, event)
        if command_id.startswith("hold:"):
            command_id = f"hold:{match_id}:{chance.randrange(10**6)}"
        return command_id, command

    patch.setattr(routing, "_ask", anew)


def a_clock_read_in_the_rules(patch: Patch) -> None:
    """Deadlines count from when rules looked at an intent."""
    stamp = judge.Stamp

    def looked(partition: int, offset: int, at_ms: int) -> judge.Stamp:
        return stamp(partition, offset, at_ms // 1000 * 1000 + int(true_s() * 1000) % 1000)

    patch.setattr(core, "Stamp", looked)


def a_set_walked_in_a_fold(patch: Patch) -> None:
    """Who gets his entry back stands in any order."""
    refunded, chance = coins.refunded, Random(1)

    def shuffled(state: Any) -> Any:
        return tuple(
            refund.model_copy(
                update={"players": tuple(chance.sample(refund.players, len(refund.players)))}
            )
            for refund in refunded(state)
        )

    patch.setattr(coins, "refunded", shuffled)


def a_refund_that_does_not_resume(patch: Patch) -> None:
    """After a start the wallet's router looks at new records only."""
    recover = router.Router._recover

    async def recent(self: router.Router, claim: Claim, follower: Any) -> tuple[int, int]:
        place, end = await recover(self, claim, follower)
        events = await self._log.bounds(topics.EVENTS, claim.partition)
        return max(place, events.end), end

    patch.setattr(router.Router, "_recover", recent)


def time_runs_while_the_house_stands_still(patch: Patch) -> None:
    """Whatever is due is due, however long nothing was alive."""
    patch.setattr(clock, "alive", lambda last_ms, at_ms: True)


def a_resume_that_gives_no_time_back(patch: Patch) -> None:
    """Clocks go on where they were."""
    resume = clock.resume

    def stingy(state: Any, last_ms: int, at_ms: int) -> Any:
        found = resume(state, last_ms, at_ms)
        if found is None or not state.step_ms:
            return found
        return found.model_copy(update={"step_ms": max(at_ms + 1, state.step_ms)})

    patch.setattr(clock, "resume", stingy)


def a_ledger_that_takes_every_copy(patch: Patch) -> None:
    """Each copy of a command counts."""

    def always(state: Any, command: Any, stamp: Any) -> Any:
        state.causes.clear()
        return decided(state, command, stamp)

    decided = decide.decide
    patch.setattr("services.wallet.core.folding.decide", always)


def an_answer_that_is_lost(patch: Patch) -> None:
    """Every second answer of the wallet is not sent."""
    answer, numbers = answering.answer_of, itertools.count(1)

    def seldom(*args: Any) -> Any:
        found = answer(*args)
        return None if found is not None and next(numbers) % 2 else found

    patch.setattr("services.wallet.answerer.answer_of", seldom)


def rows_written_twice(patch: Patch) -> None:
    """The projection takes a repeated record for a new one."""
    fold = matches.fold

    def blind(place: Any, reads: Any, known: Any) -> Any:
        return fold(replace(place, high=-1), reads, known)

    patch.setattr(matches, "fold", blind)


def no_dropping_of_repeats(patch: Patch) -> None:
    """A record that stands in the log twice is taken twice."""
    following = LivePartition._next

    def strict(self: LivePartition, match: Any, record: Any, stored: Any) -> Any:
        if match.parked:
            return following(self, match, record, stored)
        return self._take(match, record, stored)

    patch.setattr(LivePartition, "_next", strict)


PLANTED: Final[Mapping[Callable[[Patch], None], int]] = {
    bookmark_before_the_append: 38,
    a_swallowed_exception: 50,
    a_random_hold_id: 1,
    a_clock_read_in_the_rules: 0,
    a_set_walked_in_a_fold: 1,
    a_refund_that_does_not_resume: 85,
    time_runs_while_the_house_stands_still: 0,
    a_resume_that_gives_no_time_back: 0,
    a_ledger_that_takes_every_copy: 1,
    an_answer_that_is_lost: 32,
    rows_written_twice: 94,
    no_dropping_of_repeats: 0,
}
"""By fault, a seed of the push that finds it, or is near to one that does."""
TRIED: Final = 150  # seeds from there on: any change of the simulation moves them


@pytest.mark.parametrize(
    ("plant", "seed"), PLANTED.items(), ids=lambda it: getattr(it, "__name__", "")
)
def test_a_planted_fault_is_found(
    plant: Callable[[Patch], None], seed: int, monkeypatch: Patch
) -> None:
    plant(monkeypatch)
    assert any(simulate(number).problems for number in range(seed, seed + TRIED))
