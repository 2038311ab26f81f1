"""Damage to what the log holds: bookmarks that are wrong or gone, and tails that are lost.

A part that can't go on rightly must refuse to run, and write nothing, until people have put back
what was there; whatever it may go on with changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from sahrat.log.follow import RULES, Horizon
from sahrat.log.journal import LEDGER, JournalPlace
from sahrat.log.port import LogFault
from sahrat.messages import topics
from sahrat.messages.topics import Topic
from services.house.simulation.faults import short
from services.house.simulation.world import World

LOOKED_S: Final = 4.0  # for a part to find what is wrong, and to try again
TAILS: Final = (topics.EVENTS, topics.INTENTS, topics.WALLET_COMMANDS, topics.WALLET_JOURNAL)
RUBBISH: Final = ("", "{}", "\x00", '{"horizon":-1,"high":0,"end":0}', "null")


@dataclass(frozen=True)
class Group:
    """A group that keeps bookmarks.

    Attributes:
        kind: The processes that are its members.
        refuses: Whether it refuses to run without one.
    """

    name: str
    topic: Topic
    kind: str
    refuses: bool


GROUPS: Final = (
    Group(RULES, topics.INTENTS, "rules", refuses=True),
    Group("wallet-router", topics.EVENTS, "wallet", refuses=False),
    Group(LEDGER, topics.WALLET_COMMANDS, "wallet", refuses=False),
    Group("wallet-answers", topics.WALLET_JOURNAL, "wallet", refuses=False),
)


async def rewind(world: World, chance: Random) -> tuple[str, ...]:
    """A bookmark is an older one: its last commits were lost."""
    group = chance.choice(GROUPS)
    await world.down((group.kind,))
    marks = world.broker.marks(group.name, group.topic)
    for partition, mark in marks.items():
        earlier = world.broker.earlier(group.name, group.topic, partition)
        marks[partition] = chance.choice([*earlier, mark])
    world.up((group.kind,))
    return (f"bookmark rewound: {group.name}",) if marks else ()


async def lose_bookmark(world: World, chance: Random) -> tuple[str, ...]:
    """F25, C44: a bookmark is gone, as after a retention that was too short."""
    return await _spoil(world, chance.choice(GROUPS), None)


async def damage_bookmark(world: World, chance: Random) -> tuple[str, ...]:
    """F23: a bookmark's metadata are not what was written there."""
    return await _spoil(world, chance.choice(GROUPS), chance.choice(RUBBISH))


async def _spoil(world: World, group: Group, metadata: str | None) -> tuple[str, ...]:
    """Take a group's bookmarks, see what it does, and put them back if it refused."""
    world.mend()  # so that it can look
    await world.down((group.kind,))
    marks = world.broker.marks(group.name, group.topic)
    kept = dict(marks)
    if metadata is None:
        marks.clear()
    else:
        marks.update({number: replace(mark, metadata=metadata) for number, mark in kept.items()})
    needs = [number for number in kept if metadata is not None or _needs(world, group, number)]
    written = [(topics.EVENTS, number) for number in needs] if group.refuses else []
    await _watch(world, group.kind, written, f"the bookmark of {group.name}" if needs else "")
    due = bool(needs)
    if due:
        await world.down((group.kind,))
        marks.update(kept)
        world.up((group.kind,))
    if not kept:
        return ()
    return (f"bookmark {'lost' if metadata is None else 'damaged'}: {group.name}",)


async def lose_tail(world: World, chance: Random) -> tuple[str, ...]:
    """A topic ends before where it had ended: whoever goes on from there refuses to run."""
    topic = chance.choice(TAILS)
    partition = chance.randrange(topic.partitions)
    world.mend()
    await world.down()
    kind, end = _recorded(world, topic, partition)
    if end < 1:
        world.up()
        return ()
    lost = world.broker.lose_tail(topic, partition, chance.randrange(end))
    written = (topics.EVENTS, partition) if kind == "rules" else (topics.WALLET_JOURNAL, 0)
    await _watch(world, kind, [written], f"the tail of {topic.name}")
    await world.down()
    world.broker.find_tail(lost)
    world.up()
    return (f"tail lost: {short(topic)}",)


def _recorded(world: World, topic: Topic, partition: int) -> tuple[str, int]:
    """Return who must notice, and the end below which a topic's partition can't have been."""
    if topic in (topics.EVENTS, topics.INTENTS):
        mark = world.broker.marks(RULES, topics.INTENTS).get(partition)
        if mark is None:
            return "rules", 0
        return "rules", Horizon.load(mark).end if topic is topics.EVENTS else mark.offset
    mark = world.broker.marks(LEDGER, topics.WALLET_COMMANDS).get(0)
    if mark is None:
        return "wallet", 0
    if topic is topics.WALLET_JOURNAL:
        return "wallet", JournalPlace.load(mark).end
    return "wallet", mark.offset


async def _watch(
    world: World, kind: str, written: Sequence[tuple[Topic, int]], missing: str
) -> None:
    """Start a part and see whether it refuses to run, which it must if something is missing; then
    what it writes must stay as it is.
    """
    before = [len(world.broker.records(*place)) for place in written]
    ends = {machine.name: len(machine.ends) for machine in world.of(kind)}
    world.up((kind,))
    await asyncio.sleep(LOOKED_S)
    if not missing:
        return
    said = [why for m in world.of(kind) for why in m.ends[ends[m.name] :]]
    if not said or not all(isinstance(why, LogFault) for why in said):
        world.problems.append(f"{kind} runs without {missing}: {said}")
    if before != [len(world.broker.records(*place)) for place in written]:
        world.problems.append(f"{kind} writes without {missing}")


def _needs(world: World, group: Group, partition: int) -> bool:
    """Return whether a group refuses to go on without a partition's bookmark."""
    return group.refuses and bool(world.broker.records(topics.EVENTS, partition))
