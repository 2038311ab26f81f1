"""Stops through a gateway: shown first, each done once, every entry back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson
import pytest

from sahrat.log.port import Draft
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.match import StopMatch
from sahrat.messages.topics import partition_of
from sahrat.runtime.ids import new_id
from sahrat.storage.reads import ReadsAway
from services.gateway import operating
from services.gateway.coins import WalletChange
from services.gateway.host import Gateway
from services.gateway.messages import PastMatch, PastSitting
from services.gateway.reads import Reads
from tests.integration.gateway_house import House, memory_house
from tests.integration.operator import Operator, errands
from tests.integration.phone import Phone
from tests.integration.test_gateway_coins import coin_table, entries, rich
from tests.unit.match.desk import Desk


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        house.wallet()
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


async def seated(house: House, gateway: Gateway, *, begun: bool) -> tuple[str, list[Phone]]:
    phones = [await rich(house, gateway, 100), await rich(house, gateway, 100, "هدى")]
    match_id = await coin_table(house, gateway, *phones[: 2 if begun else 1], entry=100)
    if begun:
        for phone in phones:
            await phone.record(match_id, event="match.started")
    return match_id, phones


async def test_what_a_stop_would_do_is_shown(house: House, gateway: Gateway) -> None:
    """Free tables and open ones too; nothing is done."""
    playing, phones = await seated(house, gateway, begun=True)
    waiting, (host, _) = await seated(house, gateway, begun=False)
    before = await errands(house)
    operator = Operator(gateway)
    status, stop = await operator.get(f"stops/{playing}")
    assert status == 200
    assert (stop["phase"], stop["entry_coins"], stop["refund_coins"]) == ("playing", 100, 200)
    assert {player["player_id"] for player in stop["players"]} == {p.player_id for p in phones}
    status, other = await operator.get(f"stops/{waiting}")
    assert (other["phase"], other["refund_coins"]) == ("open", 0)
    assert [player["player_id"] for player in other["players"]] == [host.player_id]
    status, listed = await operator.get("stops")
    assert (listed["matches"], listed["refund_coins"], listed["after"]) == (2, 200, None)
    assert listed["stops"] == sorted([stop, other], key=lambda one: str(one["match_id"]))
    assert (await operator.get(f"stops?after={listed['stops'][0]['match_id']}"))[1]["stops"] == [
        listed["stops"][1]
    ]
    assert await operator.get(f"stops/{new_id()}") == (404, {"reason": "not_found", "detail": ""})
    assert (await operator.get("stops?after=x"))[0] == 400
    assert await errands(house) == before


async def test_the_list_of_what_can_be_stopped_has_pages(
    house: House, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operating, "PAGE", 2)
    found = [(await seated(house, gateway, begun=False))[0] for _ in range(5)]
    shown, after = [], ""
    while True:
        _, page = await Operator(gateway).get(f"stops?after={after}" if after else "stops")
        assert page["matches"] == 5
        shown += [stop["match_id"] for stop in page["stops"]]
        after = page["after"]
        if after is None:
            break
    assert shown == sorted(found)


async def test_C24_a_stop_gives_every_entry_back_and_says_who_and_why(
    house: House, gateway: Gateway
) -> None:
    match_id, phones = await seated(house, gateway, begun=True)
    intent_id, operator = new_id(), Operator(gateway)
    status, stopped = await operator.stop(match_id, intent_id)
    assert (status, stopped["state"], stopped["refund_coins"]) == (200, "done", 200)
    taken = await entries(house)
    assert stopped["entry"] == taken[-1].entry
    assert (taken[-1].id, taken[-1].reason) == (f"settle:{match_id}", None)
    for phone in phones:
        record = await phone.record(match_id, event="match.stopped")
        assert record["seq"] == stopped["seq"]
        end = record["events"][-1]
        assert (end["reason"], end["operator"], end["detail"]) == ("operator", "amal", "a test")
        await phone.take("wallet", available_coins=100, held_coins=0, holds=[])
    # The same again, also through another gateway, is answered again; another stop is too late.
    assert await operator.stop(match_id, intent_id) == (status, stopped)
    elsewhere = await Operator(await house.gateway("later")).stop(match_id, intent_id)
    assert (elsewhere[0], elsewhere[1]["seq"]) == (200, stopped["seq"])
    late = await operator.stop(match_id)
    assert (late[0], late[1]["state"], late[1]["reason"]) == (409, "refused", "unknown_match")
    assert len(await entries(house)) == len(taken)
    stops = [one for one in await house.intents() if isinstance(one.intent, StopMatch)]
    assert len(stops) == 1


async def test_a_stop_of_an_open_table_moves_nothing(house: House, gateway: Gateway) -> None:
    match_id, (host, _) = await seated(house, gateway, begun=False)
    status, stopped = await Operator(gateway).stop(match_id)
    assert (status, stopped["state"], stopped["refund_coins"]) == (200, "done", 0)
    assert stopped["entry"] is None
    await host.record(match_id, event="match.stopped")


async def test_a_stop_whose_refund_is_not_in_the_journal_says_so(
    house: House, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, phones = await seated(house, gateway, begun=True)
    await house.stop("wallet")
    monkeypatch.setattr(operating, "WAIT_S", 0.2)
    intent_id, operator = new_id(), Operator(gateway)
    status, stopped = await operator.stop(match_id, intent_id)
    assert (status, stopped["state"], stopped["refund_coins"]) == (202, "refunding", 200)
    house.wallet()
    async with asyncio.timeout(60):
        while stopped["state"] != "done":
            _, stopped = await operator.stop(match_id, intent_id)
    assert stopped["refund_coins"] == 200
    await phones[0].take("wallet", available_coins=100, held_coins=0)


async def test_a_stop_that_rules_has_not_judged_waits(
    house: House, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, _ = await seated(house, gateway, begun=True)
    await house.stop("rules")
    monkeypatch.setattr(operating, "WAIT_S", 0.05)
    intent_id, operator = new_id(), Operator(gateway)
    for _ in range(3):
        status, stopped = await operator.stop(match_id, intent_id)
        assert (status, stopped["state"], stopped["seq"]) == (202, "waiting", None)
    house.rules()
    async with asyncio.timeout(60):
        while (await operator.stop(match_id, intent_id))[1]["state"] != "done":
            await asyncio.sleep(0.05)
    ended = [e for e in await entries(house) if e.id == f"settle:{match_id}"]
    assert len(ended) == 1


async def test_the_coins_of_a_damaged_match_come_back(house: House, gateway: Gateway) -> None:
    """What is in its log can't be relied on any more: the ledger is asked itself, once."""
    match_id, phones = await seated(house, gateway, begun=True)
    damage = Draft(match_id.encode(), b'{"v":1}')
    await house.log.append(topics.EVENTS, partition_of(match_id), [damage])
    await phones[0].take("unwatched", match_id=match_id, reason="parked")
    operator, intent_id = Operator(gateway), new_id()
    assert (await operator.get(f"stops/{match_id}"))[1]["phase"] == "parked"
    status, stopped = await operator.stop(match_id, intent_id)
    assert (status, stopped["state"], stopped["seq"]) == (200, "done", None)
    assert stopped["refund_coins"] == 200
    for phone in phones:
        await phone.take("wallet", available_coins=100, held_coins=0)
    assert await operator.stop(match_id, intent_id) == (status, stopped)
    refund = [e for e in await entries(house) if e.id == f"settle:{match_id}"]
    assert [(e.reason, e.cause) for e in refund] == [
        (None, w.OperatorCause(operator="amal", reason="a test"))
    ]
    assert (await operator.get("stops"))[1]["matches"] == 0


async def test_M8_a_winner_is_paid_whatever_comes_behind_the_end_of_his_match(
    house: House, gateway: Gateway
) -> None:
    """Its last record stands there again with other bytes, and the wallet is late."""
    match_id, (winner, leaver) = await seated(house, gateway, begun=True)
    await house.stop("wallet")
    await leaver.wish("leave", match_id=match_id)
    await winner.record(match_id, event="match.ended")
    last = (await house.records(match_id))[-1]
    other = Draft(match_id.encode(), last.replace(b'"at_ms":1', b'"at_ms":2', 1))
    await house.log.append(topics.EVENTS, partition_of(match_id), [other])
    operator = Operator(gateway)
    status, said = await operator.stop(match_id)
    assert (status, said["state"]) == (409, "refused"), said
    house.wallet()
    await winner.take("wallet", available_coins=180, held_coins=0)
    (settled,) = [e for e in await entries(house) if e.id == f"settle:{match_id}"]
    assert isinstance(settled.command, w.SettleEntries)


class Remembers(Reads):
    """Read models that know one match: a sound one, a damaged one, or that are away."""

    away = (ReadsAway,)

    def __init__(self) -> None:
        self.parked: str | None = "its log is damaged"
        self.gone = False
        self.stored: Sequence[bytes] = ()

    async def match(self, match_id: str) -> Message | None:
        if self.gone:
            raise ReadsAway(match_id)
        return PastMatch(
            match_id=match_id,
            game="ludo",
            rules="ludo/1",
            options={},
            size=2,
            entry_coins=60,
            key_id="k1",
            commitment="0" * 64,
            phase="playing",
            opened_ms=1,
            started_ms=1,
            ended_ms=None,
            end_reason=None,
            secret=None,
            seq=3,
            digest="0" * 64,
            parked=self.parked,
            seated=(),
        )

    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        for value in self.stored[after:]:
            yield value

    async def history(self, player_id: str) -> Sequence[PastSitting]:
        return ()

    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        return ()


async def held_of(house: House, reads: Reads, match_id: str) -> tuple[Gateway, Phone]:
    """A gateway that knows of a match what read models do, and a phone whose 60 coins it holds."""
    gateway = await house.gateway(reads=reads)
    phone = await rich(house, gateway, 60)
    held = w.HoldEntries(match_id=match_id, attempt=2, entry_coins=60, players=(phone.player_id,))
    cause = w.MatchCause(
        match_id=match_id, seq=2, at_ms=1, partition=partition_of(match_id), offset=0
    )
    command = w.WalletCommand(id=f"hold:{match_id}:2", cause=cause, command=held)
    draft = Draft(w.LEDGER.encode(), encode(command))
    await house.log.append(topics.WALLET_COMMANDS, 0, [draft])
    await phone.take("wallet", available_coins=0, held_coins=60)
    return gateway, phone


async def test_coins_of_a_match_that_only_the_read_models_remember(house: House) -> None:
    """They come back if its log is damaged; not if the wallet may just be late."""
    reads, match_id = Remembers(), new_id()
    gateway, phone = await held_of(house, reads, match_id)
    operator, before = Operator(gateway), await errands(house)
    reads.gone = True
    assert (await operator.stop(match_id))[0] == 503
    assert (await operator.get(f"stops/{match_id}"))[0] == 503
    reads.gone, reads.parked, reads.stored = False, None, [b'{"v":2}']
    assert (await operator.stop(match_id))[0] == 503, "a newer house must judge it"
    reads.stored = ()
    status, said = await operator.stop(match_id)
    assert (status, said["state"], said["reason"]) == (409, "refused", "unknown_match")
    assert (await operator.get(f"stops/{match_id}"))[0] == 404
    assert await errands(house) == before
    reads.parked = "its log is damaged"
    status, shown = await operator.get(f"stops/{match_id}")
    assert (status, shown["phase"], shown["refund_coins"]) == (200, "parked", 60)
    status, said = await operator.stop(match_id)
    assert (status, said["state"], said["refund_coins"]) == (200, "done", 60)
    await phone.take("wallet", available_coins=60, held_coins=0)


async def test_coins_come_back_of_a_match_that_its_records_park_and_the_read_models_do_not(
    house: House,
) -> None:
    """They fold no game, and take for sound what no worker does; rules has forgotten it."""
    desk = Desk().coin_table(0, 1, entry=60)
    away = orjson.loads(desk.values[-1]) | {"seq": len(desk.values) + 1, "prev": desk.match.digest}
    away["caused_by"]["offset"] += 1
    away["events"] = [{"type": "player.away", "player_id": new_id(), "until_ms": 1}]
    reads = Remembers()
    reads.parked, reads.stored = None, desk.values
    gateway, phone = await held_of(house, reads, desk.match_id)
    operator = Operator(gateway)
    assert (await operator.stop(desk.match_id))[0] == 409, "it is sound, and only forgotten"
    reads.stored = [*desk.values, orjson.dumps(away)]
    status, said = await operator.stop(desk.match_id)
    assert (status, said["state"], said["refund_coins"]) == (200, "done", 60)
    await phone.take("wallet", available_coins=60, held_coins=0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"match_id": "x"}, "out_of_bounds"),
        ({"reason": ""}, "out_of_bounds"),
        ({"reason": "ab\u0000c"}, "out_of_bounds"),
        ({"reason": 7}, "wrong_type"),
        ({"operator": "somebody"}, "unknown_field"),
    ],
    ids=str,
)
async def test_C35_what_is_no_stop_reaches_nothing(
    house: House, gateway: Gateway, change: dict[str, Any], reason: str
) -> None:
    match_id, _ = await seated(house, gateway, begun=False)
    await house.settled(match_id)
    before = await errands(house)
    stop = {"intent_id": new_id(), "match_id": match_id, "reason": "a test"}
    status, said = await Operator(gateway).post("stops", stop | change)
    assert (status, said["reason"]) == (422, reason)
    assert await errands(house) == before
