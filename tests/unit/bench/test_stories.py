"""Stories are what a rules worker would have written."""

from __future__ import annotations

from sahrat.log.live import LivePartition, Verdict
from sahrat.match.state import Phase
from sahrat.messages import topics
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import MATCH_PARTITIONS, Topic
from services.rules import core
from tests.bench import stories
from tests.unit.match.desk import START_MS, FixedKeys


def _told(matches: int, acts: int, *, stop: bool) -> list[stories.Told]:
    told = stories.partitions(FixedKeys(), START_MS)
    stories.tell(told, matches, acts, stop=stop)
    return told


def _stored(topic: Topic, partition: int, offset: int, draft: Draft, at_ms: int) -> Stored:
    return Stored(topic.name, partition, offset, at_ms, draft.key, draft.value)


def test_matches_are_spread_and_as_long_as_asked_for() -> None:
    told = _told(26, 7, stop=True)
    assert [len(partition.events) for partition in told] == [30, 30] + [20] * 10
    assert all(len(partition.intents) == len(partition.events) for partition in told)
    assert not any(partition.live.live() for partition in told)


def test_what_is_not_stopped_goes_on() -> None:
    told = _told(MATCH_PARTITIONS, 7, stop=False)
    for partition in told:
        (match,) = partition.live.live()
        assert match.seq == 9
        assert match.known.phase is Phase.PLAYING


def test_every_record_folds() -> None:
    for partition in _told(24, 20, stop=False):
        live = LivePartition(partition.number)
        for offset, draft in enumerate(partition.events):
            stored = _stored(topics.EVENTS, partition.number, offset, draft, START_MS)
            assert live.take(stored).verdict is Verdict.TAKEN
        assert live.horizon() == partition.live.horizon()


def test_the_same_intents_are_accepted_again_at_another_time() -> None:
    for partition in _told(24, 60, stop=True):
        live, accepted = LivePartition(partition.number), 0
        for offset, draft in enumerate(partition.intents):
            stored = _stored(
                topics.INTENTS, partition.number, offset, draft, START_MS + 50 * offset
            )
            for output in core.step(live, stored, FixedKeys()):
                assert isinstance(output, core.Event)
                accepted += 1
        assert accepted == len(partition.intents)
