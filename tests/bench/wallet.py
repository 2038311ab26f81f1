"""The wallet: commands folded, and how soon a prize is in its player's balance."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final
from uuid import UUID

import uvloop

from sahrat.ledger.settlement import split
from sahrat.log.port import Log
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft
from sahrat.messages.topics import partition_of
from sahrat.runtime import settings as names
from tests.bench import floors, prepared
from tests.bench.ask import Ask
from tests.bench.places import LogKind, house, site
from tests.bench.processes import Failed, Helper
from tests.bench.report import Report, Row
from tests.bench.spread import Spread

WALLET: Final = "wallet"
LIMIT_S: Final = 600.0
AT_MS: Final = 1_800_000_000_000
PLAYERS: Final = 1_000
PURSE: Final = 10_000_000
ENTRY: Final = 100
APPEND: Final = 1_000
TABLES: Final = 10  # phones that check all they are told cost more than those of the other figures
PLAY_S: Final = 40.0  # at the least: a match takes some ten seconds, and has but one end


def wallet(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure the ledger alone, and then prizes in a whole house. Raises Failed."""
    _folded(ask, log, report)
    _prizes(ask, log, report)


def _folded(ask: Ask, log: LogKind, report: Report) -> None:
    with site(log, ask.folder) as here:
        drafts = list(itertools.islice(_commands(), ask.records))
        uvloop.run(_fill(prepared.open_log(**prepared.where(here)), drafts))
        floor = floors.drained(here, len(drafts))
        work = {"work": "ledger", "records": len(drafts), **prepared.where(here)}
        with Helper("worker", work, here.keys) as helper:
            said = helper.hear(LIMIT_S)
    seconds = said["end_s"] - said["begin_s"]
    note = f"{len(drafts):,} holds and settlements of {PLAYERS:,} players; the floor echoes records"
    report.add(
        Row(WALLET, log, "commands folded", len(drafts) / seconds, "/s", floor.echoed, note),
        Row(WALLET, log, "CPU a command", said["cpu_s"] * 1e6 / len(drafts), "us"),
    )


def _prizes(ask: Ask, log: LogKind, report: Report) -> None:
    tables = min(ask.tables[0], TABLES)
    with site(log, ask.folder) as here:
        here.keys = {**here.keys, names.WELCOME: "1"}  # coins to play for
        with house(here) as running:
            address = running.folder.address()
            if address is None:
                raise Failed("the house is gone")
            sizes = {"tables": tables, "warm_s": ask.warm_s}
            sizes["seconds"] = max(ask.seconds, PLAY_S)
            with Helper("coins", {"url": address.url, **sizes}) as phones:
                said = phones.hear(LIMIT_S)
    spread = Spread.of(said["times_us"])
    if spread is None:
        raise Failed("no match ended in time: more --seconds are needed")
    report.problems += [f"{WALLET} {log}: {what}" for what in said["problems"]]
    note = f"from the last act to the winner's phone; {said['matches']} matches, {tables} tables"
    report.add(
        Row(WALLET, log, "prize p50", spread.p50, "ms", None, note),
        Row(WALLET, log, "prize p99", spread.p99, "ms"),
    )


def _commands() -> Iterator[Draft]:
    """Yield what an operator and many matches of two ask for: first purses, then each match's hold
    and its settlement.
    """
    players = [_uuid(1, n) for n in range(PLAYERS)]
    for n, player_id in enumerate(players):
        yield _draft(
            w.WalletCommand(
                id=f"grant:{_uuid(2, n)}",
                cause=w.OperatorCause(operator="bench", reason="it is measured"),
                command=w.GrantCoins(player_id=player_id, coins=PURSE),
            )
        )
    offsets = [0] * topics.MATCH_PARTITIONS
    for n in itertools.count():
        first, second = players[n % PLAYERS], players[(n + 1) % PLAYERS]
        for command_id, seq, command in _match(_uuid(3, n), first, second):
            partition = partition_of(command.match_id)
            offsets[partition] += 1
            cause = w.MatchCause(
                match_id=command.match_id,
                seq=seq,
                at_ms=AT_MS,
                partition=partition,
                offset=offsets[partition],
            )
            yield _draft(w.WalletCommand(id=command_id, cause=cause, command=command))


def _match(
    match_id: str, first: str, second: str
) -> Iterator[tuple[str, int, w.HoldEntries | w.SettleEntries]]:
    """Yield what a match asks for, each with its id and the number of its record."""
    share = split(2 * ENTRY, ((0, 1), (1, 2)))
    hold = w.HoldEntries(match_id=match_id, attempt=3, entry_coins=ENTRY, players=(first, second))
    yield f"hold:{match_id}:3", 3, hold
    prize = w.PlayerCoins(player_id=first, coins=share.prizes[0][1])
    settle = w.SettleEntries(
        match_id=match_id, attempt=3, fee_coins=share.fee_coins, prizes=(prize,)
    )
    yield f"settle:{match_id}", 200, settle


def _draft(command: w.WalletCommand) -> Draft:
    return Draft(w.LEDGER.encode(), encode(command))


def _uuid(kind: int, n: int) -> str:
    return str(UUID(int=AT_MS << 80 | 7 << 76 | 2 << 62 | kind << 40 | n))


async def _fill(log: Log, drafts: list[Draft]) -> None:
    await log.start()
    ends = dict.fromkeys(range(topics.MATCH_PARTITIONS), 0)
    for draft in drafts:
        cause = w.COMMANDS.decode(draft.value).cause
        if isinstance(cause, w.MatchCause):
            ends[cause.partition] = max(ends[cause.partition], cause.offset + 1)
    for partition, end in ends.items():  # a command is only taken when its cause is stored
        if end:
            await log.append(topics.INTENTS, partition, [Draft(b"@", b"{}")] * end)
    for begin in range(0, len(drafts), APPEND):
        await log.append(topics.WALLET_COMMANDS, 0, drafts[begin : begin + APPEND])
    await log.close()
