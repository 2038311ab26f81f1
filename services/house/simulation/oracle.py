"""What must hold after any run, whatever happened. Reads the log, the read models and the phones'
memories, and shares nothing with the workers but the messages and the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from sahrat.games import wire
from sahrat.log.live import LivePartition
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.codec import Poison
from sahrat.messages.envelope import GENESIS, Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of
from sahrat.verify import NotRecords, verify
from services.audit.core.fault import Fault
from services.audit.host import Audit
from services.house.simulation.clocks import misfires
from services.house.simulation.database import Database, JournalTables, MatchTables, Tables
from services.house.simulation.people import STRANGER, Guest, Table
from services.house.simulation.world import World
from services.projection.follower import Follower
from services.projection.journal_follower import JournalTables as JournalFollower
from services.rules import core

BATCH: Final = 1_000


@dataclass
class Chain:
    """One match as the log has it: its records once each, in order."""

    values: list[bytes] = field(default_factory=list)
    records: list[Record[Any]] = field(default_factory=list)


@dataclass
class Findings:
    """What an oracle found wrong, in words, and what it counted on the way."""

    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    chains: dict[str, Chain] = field(default_factory=dict)


async def look(world: World, tables: Sequence[Table]) -> Findings:
    """Check everything."""
    found = Findings()
    for partition in range(topics.MATCH_PARTITIONS):
        _read(found, world.broker.records(topics.EVENTS, partition))
        _check_intents(found, world, partition)
    standstills, stored_s = world.attendance.standstills(), world.broker.store.true_s
    found.counts["standstills"] += len(standstills)
    for match_id, chain in found.chains.items():
        _check_match(found, match_id, chain)
        found.problems += misfires(
            chain.records,
            lambda cause: stored_s[topics.INTENTS.name, cause.partition, cause.offset],
            standstills,
        )
    for table in tables:
        for guest in table.guests:
            _check_guest(found, table, guest)
    await _check_coins(found, world)
    await _check_tables(found, world)
    return found


def _read(found: Findings, stored: Sequence[Stored]) -> None:
    """Sort a partition's records by match; a repeat must be what it repeats, byte for byte."""
    high = -1
    for one in stored:
        try:
            record = wire.RECORDS.decode(one.value)
        except Poison:
            found.counts["unreadable"] += 1
            continue
        chain = found.chains.setdefault(record.match_id, Chain())
        if record.seq <= len(chain.values):
            found.counts["repeated"] += 1
            if chain.values[record.seq - 1] != one.value:
                found.problems.append(f"{record.match_id} has two records {record.seq}")
            continue
        before = sha256(chain.values[-1]).hexdigest() if chain.values else GENESIS
        if record.seq != len(chain.values) + 1 or record.prev != before:
            found.problems.append(f"{record.match_id}: record {record.seq} does not follow")
        high = max(high, record.caused_by.offset)
        chain.values.append(one.value)
        chain.records.append(record)


def _check_intents(found: Findings, world: World, partition: int) -> None:
    """F01, F21: nothing that was stored is lost: whoever folds all intents from offset 0, at one go
    and without a fault, gets the very bytes that are there. And each record's cause is the intent
    that stands where it says.
    """
    live, again = LivePartition(partition), dict[str, list[bytes]]()
    for stored in world.broker.records(topics.INTENTS, partition):
        for output in core.step(live, stored, world.keys):
            if isinstance(output, core.Event):
                again.setdefault(output.draft.key.decode(), []).append(output.draft.value)
    for match_id, chain in found.chains.items():
        if partition_of(match_id) != partition:
            continue
        if chain.values != again.pop(match_id, []):
            found.problems.append(f"{match_id}: its intents make other records than there are")
        for record in chain.records:
            found.problems += _unlike(record, world)
    found.problems += [f"{match_id}: its intents are there, and no record" for match_id in again]


def _unlike(record: Record[Any], world: World) -> list[str]:
    """Return how a record's cause differs from what stands where it says."""
    cause = record.caused_by
    stored = world.broker.records(topics.INTENTS, cause.partition)[cause.offset]
    envelope = wire.INTENTS.decode(stored.value)
    said = (cause.at_ms, cause.intent_id, cause.sender)
    is_ = (stored.at_ms, envelope.intent_id, envelope.sender)
    where = f"{record.match_id} record {record.seq}"
    return [] if said == is_ else [f"{where} names the cause {said}, and it is {is_}"]


def _check_match(found: Findings, match_id: str, chain: Chain) -> None:
    """A match is over, and an auditor who has its records alone finds nothing."""
    if not isinstance(chain.records[-1].events[-1], m.FINAL_EVENTS):
        found.problems.append(f"{match_id} is not over after record {len(chain.records)}")
        return
    try:
        report = verify(chain.values)
    except NotRecords as fault:
        found.problems.append(f"{match_id}: {fault}")
        return
    found.counts[f"over: {report.end}"] += 1
    for record in chain.records:
        if record.caused_by.sender == STRANGER:
            found.problems.append(f"{match_id}: record {record.seq} is a stranger's doing")
    if report.problem:
        found.problems.append(f"{match_id}: {report.problem}")


def _check_guest(found: Findings, table: Table, guest: Guest) -> None:
    """Nothing that a phone saw is gone, and it saw nothing that does not fit."""
    for problem in guest.phone.problems:
        found.problems.append(f"a phone of table {table.number}: {problem}")
    for match_id, known in guest.phone.tables.items():
        chain = found.chains.get(match_id, Chain())
        for seq, digest in known.digests.items():
            if seq > len(chain.values):
                found.problems.append(f"{match_id}: record {seq} was seen and is not there")
            elif sha256(chain.values[seq - 1]).hexdigest() != digest:
                found.problems.append(f"{match_id}: another record {seq} was seen")
    if guest.joined and not _sat(found.chains.get(table.match_id, Chain()), guest):
        found.problems.append(f"{table.match_id}: a seat was promised and is not there")


def _sat(chain: Chain, guest: Guest) -> bool:
    who = guest.phone.account.player_id
    return any(
        isinstance(event, m.SeatTaken) and event.player_id == who
        for record in chain.records
        for event in record.events
    )


async def _check_coins(found: Findings, world: World) -> None:
    """W1 to W8, by the audit, which has none of the wallet's code; and no hold is left."""
    try:
        report = await Audit(world.broker, "compared with a rebuild").run()
    except Fault as fault:
        found.problems.append(f"the audit: {fault}")
        return
    found.counts["settled"] += report.settled
    found.counts["refunded"] += report.refunded
    found.counts["released"] += report.released
    found.counts["repeated commands"] += report.repeated_commands
    found.counts["repeated entries"] += report.repeated_entries
    found.counts["snapshots of the ledger"] += report.snapshots
    if report.holds:
        found.problems.append(f"{report.holds} holds are open")
    if report.pending:
        found.problems.append(f"the wallet owes {len(report.pending)} answers")


async def _check_tables(found: Findings, world: World) -> None:
    """The read models are what a rebuild makes of the log."""
    again = await rebuild(world)
    shown = world.database.tables
    for name in vars(again):
        kept, made = getattr(shown, name), getattr(again, name)
        if kept != made:
            keys = [key for key in {**kept, **made} if kept.get(key) != made.get(key)]
            found.problems.append(f"read models: {len(keys)} of {name} differ: {keys[:2]}")


async def rebuild(world: World) -> Tables:
    """Make the read models from the log, from its beginning."""
    database = Database()
    matches, journal = MatchTables(database), JournalTables(database)
    for partition in range(topics.MATCH_PARTITIONS):
        follower = Follower(matches, await matches.place(partition))
        for batch in _batches(world.broker.records(topics.EVENTS, partition)):
            await follower.take(batch)
    entries = JournalFollower(journal, await journal.place(0))
    for batch in _batches(world.broker.records(topics.WALLET_JOURNAL, 0)):
        await entries.take(batch)
    return database.tables


def _batches(stored: Sequence[Stored]) -> list[Sequence[Stored]]:
    return [stored[first : first + BATCH] for first in range(0, len(stored), BATCH)]
