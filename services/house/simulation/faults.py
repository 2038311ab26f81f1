"""All that may befall the simulated house, by name; each takes the world and chance, and happens.

A fault returns the names under which it counts, or nothing where it found nothing to strike. What
it breaks it mends again by itself, sooner or later: `World.repairs` holds whatever has yet to be
mended, and ends it early when the storm is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Final

from sahrat.games import wire
from sahrat.log.follow import RULES
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.codec import Poison
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import Topic
from services.house.simulation.gateway import SimulatedGateway
from services.house.simulation.machine import Machine
from services.house.simulation.machine_log import Loss, Point
from services.house.simulation.world import KINDS, World

Fault = Callable[[World, Random], Awaitable[tuple[str, ...]]]

DOWN_S: Final = (0.0, 0.05, 0.3, 1.0, 2.5, 5.0, 9.0)
OUT_S: Final = (0.3, 1.5, 4.0, 8.0, 14.0)
SKEWS_MS: Final = (0, 15_000, -15_000, 3_600_000, -3_600_000)
LEAPS_S: Final = (0.4, 1.5, 4.0, 30.0)
NIGHT_S: Final = 45 * 60.0  # longer than a match may stand still and be played on
OLD_RECORDS: Final = 50
HAS: Final[Mapping[str, tuple[Point, ...]]] = {
    "rules": tuple(Point),
    "wallet": tuple(Point),
    "timer": (Point.READ, Point.FOLDED, Point.SENT),
    "bots": (Point.READ, Point.FOLDED, Point.SENT),
    "gateway": (Point.READ, Point.FOLDED, Point.SENT),
    "projection": (Point.READ,),
}
"""The points that each kind passes: who keeps no bookmark has none."""
OWNERS: Final = ("rules", "timer", "bots", "wallet", "projection")
"""The kinds that own partitions."""
REPEATED: Final = (topics.EVENTS, topics.WALLET_JOURNAL, topics.WALLET_COMMANDS)
WAIT_S: Final = 3.0  # for a process to come to the point where it is to die; then it dies anywhere


async def crash_at_a_point(world: World, chance: Random) -> tuple[str, ...]:
    """F01 to F05: a process dies at one named point of its work."""
    machine = _running(world, chance)
    if machine is None or machine.running is None:
        return ()
    running = machine.running
    point = chance.choice(HAS[machine.kind])
    running.dies_at = (point, chance.choice((1, 1, 2, 5)))
    running.down_s = chance.choice(DOWN_S)
    if await running.dies_within(WAIT_S):
        return (f"crash: {machine.kind} {point.value}",)
    await _crash(machine, running.down_s)
    return (f"crash: {machine.kind} anywhere",)


async def crash_anywhere(world: World, chance: Random) -> tuple[str, ...]:
    """The same at whatever it does."""
    machine = _running(world, chance)
    if machine is None:
        return ()
    await _crash(machine, chance.choice(DOWN_S))
    return (f"crash: {machine.kind} anywhere",)


async def one_part_down(world: World, chance: Random) -> tuple[str, ...]:
    """All processes of a kind are down while the others live."""
    kind = chance.choice(KINDS)
    down_s = chance.choice(OUT_S)
    for machine in world.of(kind):
        await _crash(machine, down_s)
    return (f"down: {kind}",)


async def all_down(world: World, chance: Random) -> tuple[str, ...]:
    """F06: everything dies at once."""
    for machine in world.machines:
        await _crash(machine, chance.choice(DOWN_S))
    return ("crash: everything",)


async def hand_over(world: World, chance: Random) -> tuple[str, ...]:
    """A process is told to stop, hands over and comes back."""
    machine = _running(world, chance)
    if machine is None:
        return ()
    await machine.halt()
    machine.start_in(chance.choice(DOWN_S))
    return ("hand-over",)


async def lose_an_answer(world: World, chance: Random) -> tuple[str, ...]:
    """F10, F29: an append is refused, or is stored and not acknowledged: the process ends."""
    machine = _running(world, chance, ("rules", "timer", "bots", "wallet", "gateway"))
    if machine is None or machine.running is None:
        return ()
    loss = chance.choice(list(Loss))
    running = machine.running
    running.loses = loss
    running.down_s = chance.choice(DOWN_S)
    if await running.dies_within(WAIT_S):
        return (loss.value,)
    running.loses = None
    return ()


async def zombie(world: World, chance: Random) -> tuple[str, ...]:
    """F14: an owner counts as dead and knows nothing of it: two own its partitions."""
    machine = _running(world, chance, OWNERS)
    if machine is None or machine.running is None:
        return ()
    running = machine.running
    running.expel()
    world.repair_in(chance.choice(OUT_S), running.unblock)
    return (f"two owners: {machine.kind}",)


async def freeze(world: World, chance: Random) -> tuple[str, ...]:
    """A process stands still, and wakes."""
    return _block(world, chance, frozen=True)


async def cut_off(world: World, chance: Random) -> tuple[str, ...]:
    """F09: one process does not reach the broker."""
    return _block(world, chance, frozen=False)


async def silence(world: World, chance: Random) -> tuple[str, ...]:
    """All gateways stand still at once."""
    out_s = chance.choice(OUT_S)
    for machine in world.of("gateway"):
        if machine.running is not None:
            machine.running.block(frozen=True)
            world.repair_in(out_s, machine.running.unblock)
    return ("all gateways silent",)


async def broker_away(world: World, chance: Random) -> tuple[str, ...]:
    """F07: nobody reaches the broker."""
    if not world.broker.here.is_set():
        return ()
    world.broker.here.clear()
    world.note()

    def back() -> None:
        world.broker.here.set()
        world.note()

    world.repair_in(chance.choice(OUT_S), back)
    return ("broker away",)


async def slow_log(world: World, chance: Random) -> tuple[str, ...]:
    """Every append takes long, a resume's too."""
    world.broker.pause_s = chance.choice((0.4, 1.5, 3.0))

    def quick() -> None:
        world.broker.pause_s = 0.0

    world.repair_in(chance.choice(OUT_S), quick)
    return ("slow log",)


async def database_away(world: World, chance: Random) -> tuple[str, ...]:
    """F08: the database does not answer."""
    if not world.database.here.is_set():
        return ()
    world.database.here.clear()
    world.repair_in(chance.choice(OUT_S), world.database.here.set)
    return ("database away",)


async def commit_unheard(world: World, chance: Random) -> tuple[str, ...]:
    """F04: a transaction is committed and its answer lost."""
    world.database.loses += chance.choice((1, 2))
    return ("commit unheard",)


async def own_clock(world: World, chance: Random) -> tuple[str, ...]:
    """F13: a process's own clock leaps."""
    machine = _running(world, chance)
    if machine is None:
        return ()
    machine.watch.ahead_s += chance.choice(LEAPS_S)
    return (f"clock of a {machine.kind}",)


async def broker_clock(world: World, chance: Random) -> tuple[str, ...]:
    """F13: the broker's clock is set forward or back."""
    before, after = world.broker.skew_ms, chance.choice(SKEWS_MS)
    world.broker.skew_ms = after
    if before == after:
        return ()
    return ("log's clock forward" if after > before else "log's clock back",)


async def repeat_intents(world: World, chance: Random) -> tuple[str, ...]:
    """F11, F12: what was sent comes again, at once or late."""
    partition = chance.randrange(topics.MATCH_PARTITIONS)
    stored = world.broker.records(topics.INTENTS, partition)
    if not stored:
        return ()
    recent = chance.random() < 0.5
    among = stored[-OLD_RECORDS:] if recent else stored
    drafts = [Draft(s.key, s.value) for s in chance.choices(among, k=chance.choice((1, 3, 10)))]
    await world.broker.append(topics.INTENTS, partition, drafts)
    return ("intents repeated" if recent else "intents late",)


async def repeat_records(world: World, chance: Random) -> tuple[str, ...]:
    """What a second owner writes: records that stand there already, byte for byte."""
    topic = chance.choice(REPEATED)
    partition = chance.randrange(topic.partitions)
    stored = world.broker.records(topic, partition)
    if not stored:
        return ()
    first = chance.randrange(len(stored))
    drafts = [Draft(s.key, s.value) for s in stored[first : first + chance.choice((1, 4))]]
    await world.broker.append(topic, partition, drafts)
    return (f"repeated in {short(topic)}",)


async def poison(world: World, chance: Random) -> tuple[str, ...]:
    """F15: a record that can't be read, in any topic."""
    topic = chance.choice(topics.ALL)
    partition = chance.randrange(topic.partitions)
    if topic is topics.EVENTS and partition not in world.broker.marks(RULES, topics.INTENTS):
        return ()  # rules would rightly not begin on events of which it knows nothing
    value = chance.choice((b"", b"\x00", b"{}", b"\xff\xfe", b'{"v":1}', b"[" * 1000, b"null"))
    key = chance.choice((b"", b"\xff", world.new_id().encode(), b"@0", b"main"))
    await world.broker.append(topic, partition, (Draft(key, value),))
    return (f"poison in {short(topic)}",)


async def stop_a_match(world: World, chance: Random) -> tuple[str, ...]:
    """F27, C24: an operator stops a match, at any time."""
    machine = _running(world, chance, ("gateway",))
    if machine is None or machine.running is None:
        return ()
    gateway, context = machine.running.worker, machine.running.context
    if not isinstance(gateway, SimulatedGateway) or not gateway.is_open:
        return ()
    parts = gateway.hub.parts
    live = [match.match_id for match in parts.matches if match.live]
    if not live:
        return ()
    stop = m.StopMatch(reason="operator", operator="amal", detail="a simulation")
    context.run(parts.outbox.stop, chance.choice(live), world.new_id(), stop)
    return ("operator's stop",)


async def open_again(world: World, chance: Random) -> tuple[str, ...]:
    """Rules is started again after a match has ended, and its opening comes once more."""
    over = _ended(world)
    if not over:
        return ()
    opening = chance.choice(over)
    await world.down(("rules",))
    await world.broker.append(
        topics.INTENTS, opening.partition, (Draft(opening.key, opening.value),)
    )
    world.up(("rules",))
    return ("an opening again",)


async def upgrade(world: World, chance: Random) -> tuple[str, ...]:
    """F17, F24: every process is replaced by one of a newer version, gateways last: in between old
    and new ones own partitions side by side.
    """
    if world.renewed.is_set():
        return ()
    for kind in KINDS:
        for machine in world.of(kind):
            await (machine.halt() if chance.random() < 0.5 else machine.kill())
            machine.old = False
            machine.start_in(chance.choice(DOWN_S[:4]))
            await asyncio.sleep(chance.choice((0.0, 0.3, 1.0)))
    world.renewed.set()
    return ("rolling upgrade",)


def _ended(world: World) -> list[Stored]:
    """Return the intents that opened matches which are over."""
    found: list[Stored] = []
    for partition in range(topics.MATCH_PARTITIONS):
        openings: dict[bytes, int] = {}
        for stored in world.broker.records(topics.EVENTS, partition):
            try:
                record = wire.RECORDS.decode(stored.value)
            except Poison:
                continue
            if record.seq == 1:
                openings.setdefault(stored.key, record.caused_by.offset)
            if isinstance(record.events[-1], m.FINAL_EVENTS) and stored.key in openings:
                place = openings.pop(stored.key)
                found.append(world.broker.records(topics.INTENTS, partition)[place])
    return found


async def night(world: World, chance: Random) -> tuple[str, ...]:
    """Everything is down for a night, and nobody comes by."""
    del chance
    world.day.clear()
    for machine in world.machines:
        await machine.kill()
        machine.start_in(NIGHT_S)
    await asyncio.sleep(NIGHT_S)
    world.day.set()
    return ("a night's stillness",)


def _running(world: World, chance: Random, kinds: tuple[str, ...] = KINDS) -> Machine | None:
    kind = chance.choice(kinds)
    up = [machine for machine in world.of(kind) if machine.running is not None]
    return chance.choice(up) if up else None


async def _crash(machine: Machine, down_s: float) -> None:
    await machine.kill()
    machine.start_in(down_s)


def _block(world: World, chance: Random, *, frozen: bool) -> tuple[str, ...]:
    machine = _running(world, chance)
    if machine is None or machine.running is None or not machine.running.open.is_set():
        return ()
    machine.running.block(frozen=frozen)
    world.repair_in(chance.choice(OUT_S), machine.running.unblock)
    return (f"{'frozen' if frozen else 'cut off'}: {machine.kind}",)


def short(topic: Topic) -> str:
    """Return a topic's name without what all have."""
    return topic.name.removeprefix("sahrat.").removesuffix(".v1")
