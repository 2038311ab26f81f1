"""`sahrat audit` as a person calls it: on a house's folder, on a broker, and beside PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, LiteralString

import orjson
import psycopg
import pytest

from sahrat.log.kafka import KafkaLog
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft
from sahrat.runtime.ids import new_id
from services.audit import heads, models
from services.audit.core.report import Report
from services.audit.core.tables import Shown
from services.audit.host import Audit
from services.house.folder import Folder
from services.projection.host import JournalProjection
from services.projection.journal_store import PostgresJournal
from services.wallet.host import Wallet
from tests.house.ledger import asked
from tests.integration.command import sahrat
from tests.integration.kept import keep
from tests.unit.audit.forge import tale
from tests.unit.audit.story import JOURNAL, Copy
from tests.unit.ledger.desk import granting
from tests.unit.match.desk import Desk, player

WAIT_S: Final = 60.0
LOOK_S: Final = 0.2


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SAHRAT_KAFKA", "SAHRAT_POSTGRES", "SAHRAT_DATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "house"


def audited(data: Path, *options: str) -> tuple[int, str, str]:
    code, out, err = sahrat("audit", "--data", str(data), *options)
    return code, out.decode(), err


def test_a_folder_whose_house_is_away_is_balanced(data: Path) -> None:
    keep(data, tale(topics.MATCH_PARTITIONS))
    code, out, err = audited(data)
    assert (code, err) == (0, "")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert lines["balanced"] == "3,305 coins granted, each of them accounted for"
    assert lines["coins"] == "3,255 in 4 players' hands, 20 held, 30 in fees"
    assert lines["granted"] == "3,000 as welcomes, 50 by operators, 255 earned"
    assert lines["grant"].endswith("by salim: prize")
    (stop,) = [line for line in out.splitlines() if line.startswith("stop ")]
    assert "UTC: match" in stop
    assert "20 coins back, by amal" in stop
    assert "refused   entry" in out
    code, late, _ = audited(data, "--since", "2200-01-01")
    assert (code, "\ngrant " in late, "\nstop " in late, "\nrefused " in late) == (0, *[False] * 3)
    assert lines["tables"] == (
        "not compared: no PostgreSQL runs here: --postgres starts the house's own for this, and "
        "compares"
    )
    code, out, _ = audited(data, "--json", "--no-postgres")
    said = orjson.loads(out)
    assert (code, said["balanced"]) == (0, True)
    assert (said["settled"], said["refunded"], said["rewarded"]) == (1, 1, 11)
    assert said["granted_coins"] == 3305


def test_a_coin_that_was_changed_is_named(data: Path) -> None:
    copy = tale(topics.MATCH_PARTITIONS)
    entry = copy.find(w.SettleEntries)
    first, *others = entry.postings
    more = first.model_copy(update={"coins": first.coins + 1})
    keep(data, copy.alter(entry.entry, postings=(more, *others)))
    assert isinstance(entry.command, w.SettleEntries)
    code, out, err = audited(data)
    assert (code, err) == (1, "")
    assert out.startswith(f"NOT BALANCED: W5 (entry {entry.entry}, match {entry.command.match_id}")
    code, out, _ = audited(data, "--json")
    said = orjson.loads(out)
    assert (code, said["balanced"], said["law"], said["entry"]) == (1, False, "W5", entry.entry)
    assert said["match_id"] == entry.command.match_id


def test_what_cant_be_read_is_said_in_one_line(data: Path) -> None:
    code, out, err = audited(data)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "no log in" in err
    folder = Folder(data).log
    folder.mkdir(parents=True)
    (folder / "log.sqlite3").write_bytes(b"no database" * 1000)
    code, out, err = audited(data)
    assert (code, out, err.count("\n")) == (2, "", 1)
    (folder / "log.sqlite3").unlink()
    copy = tale(topics.MATCH_PARTITIONS)
    last = copy.records[JOURNAL][-1]
    value = last.value.replace(b'"v":1', b'"v":2', 1)
    copy.records[JOURNAL][-1] = type(last)(*JOURNAL, last.offset, last.at_ms, last.key, value)
    folder.rmdir()
    keep(data, copy)
    code, out, err = audited(data)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{JOURNAL[0]}/0 at {last.offset}" in err


def test_a_broker_that_is_away(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAHRAT_KAFKA", "127.0.0.1:1")
    code, out, err = audited(data, "--log", "kafka")
    assert (code, out, err.count("\n")) == (2, "", 1)


# ---- PostgreSQL


def test_a_database_that_is_none(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(data, tale(topics.MATCH_PARTITIONS))
    monkeypatch.setenv("SAHRAT_POSTGRES", "not a dsn: secret")
    code, out, err = audited(data)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "secret" not in err
    monkeypatch.setenv("SAHRAT_POSTGRES", "host=127.0.0.1 port=1 user=nobody dbname=nothing")
    code, out, err = audited(data)
    assert code == 0
    assert "not compared: PostgreSQL: connection failed" in out


async def test_balances_in_postgresql_are_compared_where_they_stand(
    data: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tale(topics.MATCH_PARTITIONS)
    await asyncio.to_thread(keep, data, copy)
    monkeypatch.setenv("SAHRAT_POSTGRES", postgres)
    code, out, err = await asyncio.to_thread(audited, data)
    assert code == 0
    assert "not compared: PostgreSQL: relation" in out
    code, out, err = await asyncio.to_thread(audited, data, "--postgres")
    assert (code, out, err.count("\n")) == (2, "", 1)
    await _project(copy, postgres)
    code, out, err = await asyncio.to_thread(audited, data)
    assert (code, err) == (0, "")
    assert f"the same balances and histories at entry {len(copy.entries)}" in out
    changes: tuple[tuple[LiteralString, str], ...] = (
        ("update live.accounts set coins = coins + %s where account = %s", "fee"),
        (
            "update live.accounts set held_coins = held_coins + %s where account = %s",
            w.player_account(player(1)),
        ),
    )
    for change, account in changes:
        await _execute(postgres, change, 1, account)
        code, out, err = await asyncio.to_thread(audited, data)
        assert (code, err) == (1, "")
        assert out.startswith(f"NOT BALANCED: tables (entry {len(copy.entries)}): {account} has")
        await _execute(postgres, change, -1, account)
    histories: tuple[LiteralString, ...] = (
        "update live.wallet_changes set available_coins = available_coins + %s "
        "where entry = 8 and player_id <> %s",
        "update live.journal_entries set appended_at = appended_at + %s * interval '1 second' "
        "where entry = 8 and command_id <> %s",
    )
    for history in histories:
        await _execute(postgres, history, 7, "")
        code, out, err = await asyncio.to_thread(audited, data)
        assert (code, err) == (1, "")
        assert out.startswith("NOT BALANCED: tables (entry 8): the history that players read")
        assert "sahrat rebuild" in out
        await _execute(postgres, history, -7, "")
    code, out, err = await asyncio.to_thread(audited, data, "--player", player(1))
    assert (code, err) == (0, "")
    assert "+1,000 available, +0 held (1,000 and 0 then): a grant, by welcome" in out


async def _execute(dsn: str, statement: LiteralString, coins: int, account: str) -> None:
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        await connection.execute(statement, (coins, account))


async def _project(copy: Copy, dsn: str) -> None:
    log = await copy.open()
    stop = asyncio.Event()
    end = (await log.bounds(topics.WALLET_JOURNAL, 0)).end
    working = asyncio.create_task(JournalProjection(log, PostgresJournal(dsn)).run(stop))
    async with asyncio.timeout(WAIT_S):
        while not working.done():
            shown = await models.read(dsn)
            if isinstance(shown, Shown) and shown.offset == end:
                break
            await asyncio.sleep(LOOK_S)
    stop.set()
    await working
    await log.close()


# ---- a real broker, and a real wallet


def ended() -> list[Desk]:
    """Three matches in partitions of their own: two settled, one stopped."""
    desks: dict[int, Desk] = {}
    for n in itertools.count():
        desk = Desk(n=n, now_ms=time.time_ns() // 1_000_000)  # as the broker that stores it has it
        if desk.partition not in desks:
            desks[desk.partition] = desk
            desk.coin_table(*range(4), entry=100)
            desk.leave(0)
            if len(desks) == 3:
                desk.stop()
                return list(desks.values())
            for who in (1, 2):
                desk.leave(who)
    raise AssertionError


@pytest.mark.slow
async def test_on_a_broker_while_the_wallet_works(kafka: str) -> None:
    log = KafkaLog(kafka, prefix=f"t{uuid.uuid4().hex[:12]}.", flush=False)
    await log.start()
    stop = asyncio.Event()
    wallet = asyncio.create_task(Wallet(log, new_id, every=5).run(stop))
    drafts = [Draft(w.LEDGER.encode(), encode(granting(who, 1000))) for who in range(4)]
    await log.append(topics.WALLET_COMMANDS, 0, drafts)
    desks, began_ms = ended(), time.time_ns() // 1_000_000
    for desk in desks:
        values = [Draft(desk.match_id.encode(), value) for value in desk.values]
        await log.append(topics.INTENTS, desk.partition, asked(desk))
        await log.append(topics.EVENTS, desk.partition, values)
    said: list[Report] = []
    async with asyncio.timeout(WAIT_S):
        while not said or said[-1].settled + said[-1].refunded < 3:
            assert not wallet.done()
            said.append(await Audit(log, "").run())
    stop.set()
    await wallet
    report = await Audit(log, "").run()
    assert (report.settled, report.refunded, report.pending) == (2, 1, [])
    assert (report.fee_coins, report.held_coins, report.granted_coins) == (80, 0, 4000)
    assert report.entries == 4 + 2 * 3
    assert report.snapshots == 2
    assert said[0].entries + len(said[0].pending) + said[0].waiting_commands > 0
    log_ms = await heads.log_time(log)
    days = [datetime.fromtimestamp(at_ms / 1000, UTC).date() for at_ms in (began_ms, log_ms)]
    found = await heads.find(log, days)
    listed = {head.match_id for day in days for head in found.heads(day).heads}
    assert listed == {desk.match_id for desk in desks}
    assert (began_ms <= log_ms, heads.is_over(days[-1], log_ms)) == (True, False)
    await log.close()
