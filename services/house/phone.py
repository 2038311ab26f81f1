"""A phone that plays: what a person's phone does, many times over in one process.

It checks what it is sent as any phone can: every record continues the one before. It acts when it
is on turn, sends the same intent again when no answer comes, and comes back after a lost line with
the last record that it has. What did not go as it should is in `problems`, and never raised.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from random import Random
from typing import Any, Final

import orjson

from services.house.followed import FORGOTTEN, Followed
from services.house.line import AWAY
from services.house.network import Backoff, Network
from services.house.pace import Pace
from services.house.purse import Purse
from services.house.reach import Reach
from services.house.wishes import FOR_NOW, RACES, Counts, Doubt, Refused, Wish, uuid7

AGAIN_S: Final = 2.0  # without an answer for so long an intent is sent again
LOOK_S: Final = 0.5
LATER_S: Final = 0.5  # before a wish that was refused for the moment is made anew
TRIES: Final = 40  # of one wish, before that is a problem
NEVER: Final = 2**53  # no match has so many records
RATE: Final = 20  # where the house does not say what it allows
PATIENCE_S: Final = 30.0  # with a house that does not answer when the phone is switched on


class Phone:
    """One guest with one phone. Made while its loop runs.

    Args:
        network: Where the house is.
        nickname: The guest's.
        seed: Decides what he chooses, and how long he waits before he comes back.
        think_s: How long he thinks before he acts.
        on_answer: Told the seconds from each act until its record came.
        ids: Where the ids of its wishes come from; None: from anywhere.

    Attributes:
        plays: Whether he acts when he is on turn.
        rate: Messages a second that the house allows.
        purse: His coins.
        tables: The matches that he has seen, by id.
    """

    def __init__(
        self,
        network: Network,
        nickname: str,
        *,
        seed: str,
        think_s: float = 0.0,
        on_answer: Callable[[float], None] | None = None,
        ids: Random | None = None,
    ) -> None:
        self.account = network.account(nickname)
        self.plays = True
        self.rate = RATE
        self.counts = Counts()
        self.purse = Purse()
        self.tables: dict[str, Followed] = {}
        self._chance = Random(f"{seed}/choices")
        self._backoff = Backoff(Random(f"{seed}/pauses"))
        self._ids = ids or Random()
        self._think_s = think_s
        self._on_answer = on_answer
        self._pace = Pace(RATE)
        self._loop = asyncio.get_running_loop()
        self._reach = Reach(network, self.account, self._backoff, self._take)
        self._signed_in = asyncio.Event()
        self._house_ms = (0, 0.0)
        self._wishes: dict[str, Wish] = {}
        self._wished = asyncio.Event()
        self._refusals: dict[str, str] = {}  # of wishes, by id
        self._acted: dict[str, int] = {}
        self._doubts: list[Doubt] = []
        self._found: list[str] = []
        self._left: dict[str, None] = {}
        self._marks: dict[str, list[tuple[int, asyncio.Future[None]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # ---- what it is told to do

    async def start(self, patience_s: float = PATIENCE_S) -> None:
        """Become a guest and connect; return once the house knows the phone.

        Raises:
            NoAccount: The house refuses.
            ClientError, OSError, TimeoutError: It does not answer for longer than `patience_s`.
        """
        until_s = self._loop.time() + patience_s
        while not self.account.token:
            try:
                await self.account.renew()
            except AWAY:
                pause_s = self._backoff.take()
                if self._loop.time() + pause_s > until_s:
                    raise
                await asyncio.sleep(pause_s)
        self._spawn(self._reach.keep())
        self._spawn(self._reach.watch_silence())
        self._spawn(self._ask_again())
        await self._signed_in.wait()

    async def close(self) -> None:
        """Hang up for good."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def open(self, game: str, options: Mapping[str, Any], entry_coins: int = 0) -> str:
        """Open a table, sit down and return the match's id. Raises Refused."""
        table = {"game": game, "options": options, "entry_coins": entry_coins}
        return await self._sit({"type": "open", **table})

    async def play_now(self, game: str, options: Mapping[str, Any]) -> str:
        """Sit down at any table with these options and return the match's id. Raises Refused."""
        return await self._sit({"type": "play_now", "game": game, "options": options})

    async def join(self, match_id: str) -> None:
        """Sit down at a table, or take the own seat again. Raises Refused."""
        self._left.pop(match_id, None)
        await self._sit({"type": "join", "match_id": match_id})

    async def leave(self, match_id: str) -> None:
        """Get up, for good if `join` is not called, and at a coin table in play in any case, where
        the entry is lost; go on seeing the match. Raises Refused.
        """
        self._left[match_id] = None
        await self._ask({"type": "leave", "match_id": match_id}, self._new_id())

    async def watch(self, match_id: str) -> None:
        """See a match from the last record on that this phone has of it."""
        known = self._known(match_id)
        await self._say({"type": "watch", "match_id": match_id, "seq": known.seq})

    async def over(self, match_id: str) -> None:
        """Wait until this phone has seen the end of a match."""
        await self.reached(match_id, NEVER)

    async def reached(self, match_id: str, seq: int) -> None:
        """Wait until this phone has seen a match up to a record, or to its end."""
        known = self._known(match_id)
        if known.seq < seq and not known.end:
            mark = self._loop.create_future()
            self._marks.setdefault(match_id, []).append((seq, mark))
            await mark

    async def lose_line(self, away_s: float, *, silently: bool) -> None:
        """Have no line for a while; see `Reach.lose`."""
        self._signed_in.clear()
        await self._reach.lose(away_s, silently=silently)

    @property
    def problems(self) -> list[str]:
        """What was not as it should be, in words, as far as the records seen by now tell."""
        found = [*self._found, *self._reach.problems, *self.purse.problems]
        for known in self.tables.values():
            found += known.problems
        return found + [
            f"{doubt.match_id}: {f'step {doubt.step}' if doubt.step else 'it'} was refused as "
            f"{doubt.reason}, and nothing in it explains that"
            for doubt in self._doubts
            if not doubt.explained_by(self.tables[doubt.match_id])
        ]

    # ---- what it says

    def _new_id(self) -> str:
        """Return a UUIDv7 by the house's clock, which need not be this machine's."""
        at_ms, at_s = self._house_ms
        return uuid7(at_ms + int((self._loop.time() - at_s) * 1000), self._ids.getrandbits(74))

    async def _sit(self, message: Mapping[str, Any]) -> str:
        wish, intent_id = (
            {**message, "seat_number": str(self._chance.getrandbits(64))},
            self._new_id(),
        )
        for _ in range(TRIES):
            try:  # the same wish each time: an earlier copy of it may still come through
                return await self._ask(wish, intent_id)
            except Refused as refused:
                if refused.reason not in FOR_NOW:
                    raise
            await asyncio.sleep(LATER_S)
        raise Refused("house_busy", "tried for too long")

    async def _ask(self, message: Mapping[str, Any], intent_id: str) -> str:
        """Send a wish that somebody waits for, and return the match's id once it is done."""
        wish = Wish(
            intent_id,
            orjson.dumps({**message, "intent_id": intent_id}),
            match_id=message.get("match_id", ""),
            answer=self._loop.create_future(),
        )
        assert wish.answer is not None
        self._wishes[intent_id] = wish
        await self._send(wish)
        return await wish.answer

    async def _send(self, wish: Wish) -> None:
        """Send a wish, or leave it to `_ask_again` while there is no line."""
        self._wished.set()
        if not self._signed_in.is_set():
            return
        now_s = self._loop.time()
        self.counts.repeats += bool(wish.first_s)
        wish.first_s = wish.first_s or now_s
        wish.last_s = now_s
        await self._reach.send(wish.data)

    async def _ask_again(self) -> None:
        """Send again, as it is, what is not answered."""
        while True:
            await self._wished.wait()  # most of the time nothing waits, and many phones look
            await asyncio.sleep(LOOK_S)
            now_s = self._loop.time()
            if not self._wishes:
                self._wished.clear()
            for wish in [*self._wishes.values()]:
                if now_s - wish.last_s >= AGAIN_S:
                    await self._send(wish)

    async def _say(self, message: Mapping[str, Any]) -> None:
        self._pace.take(self._loop.time())
        await self._reach.send(orjson.dumps(message))

    async def _act_if_due(self, known: Followed) -> None:
        """Act on the open step if it is this player's, once."""
        step = known.step
        if not known.my_turn or not self.plays or self._acted.get(known.match_id) == step:
            return
        self._acted[known.match_id] = step
        wait_s = max(self._think_s, self._pace.take(self._loop.time()))
        if wait_s > 0:
            self._spawn(self._act_later(known, step, wait_s))
        else:
            await self._act(known)

    async def _act_later(self, known: Followed, step: int, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        if self._may_act(known, step):
            await self._act(known)

    async def _wish_again(self, wish: Wish) -> None:
        """Act as before under the same id: another copy of it may still come through, and then
        both count once.
        """
        await asyncio.sleep(LATER_S)
        if self._may_act(self.tables[wish.match_id], wish.step):
            wish.tries += 1
            self._wishes[wish.intent_id] = wish
            await self._send(wish)

    def _may_act(self, known: Followed, step: int) -> bool:
        return known.my_turn and known.step == step and known.match_id not in self._left

    async def _act(self, known: Followed) -> None:
        intent_id = self._new_id()
        message = {
            "type": "act",
            "intent_id": intent_id,
            "match_id": known.match_id,
            "step": known.step,
            "intent": known.choose(self._chance),
        }
        wish = Wish(intent_id, orjson.dumps(message), known.match_id, known.step)
        self._wishes[intent_id] = wish
        self.counts.acts += 1
        await self._send(wish)

    # ---- what it hears

    async def _take(self, data: bytes) -> None:
        message = orjson.loads(data)
        kind = message.get("type")
        if kind is None:
            await self._record(data, message)
        elif kind == "snapshot":
            self.counts.snapshots += 1
            known = self._known(message["match_id"])
            known.load(message)
            await self._go_on(known)
        elif kind == "accepted":
            self._done(message["intent_id"], message["match_id"])
        elif kind == "refused":
            self._refused(message)
        elif kind == "wallet":
            self.purse.take(message)
        elif kind == "watching":
            self._known(message["match_id"])
        elif kind == "signed_in":
            await self._greeted(message)
        elif kind in ("taken_over", "unwatched") and not self._known(message["match_id"]).end:
            self._found.append(f"{message['match_id']}: {kind} {message.get('reason', '')}")

    def _known(self, match_id: str) -> Followed:
        known = self.tables.get(match_id)
        if known is None:
            known = self.tables[match_id] = Followed(match_id, self.account.player_id)
        return known

    async def _greeted(self, message: Mapping[str, Any]) -> None:
        """Signed in, perhaps again: see what was missed, and ask again what was not answered."""
        self.rate = message.get("rate", RATE)
        self._pace = Pace(self.rate)
        self._house_ms = (message["time_ms"], self._loop.time())
        self._signed_in.set()
        for known in [*self.tables.values()]:
            if not known.end:
                await self.watch(known.match_id)
        for wish in [*self._wishes.values()]:
            await self._send(wish)

    async def _record(self, data: bytes, record: Mapping[str, Any]) -> None:
        known = self._known(record["match_id"])
        fresh = known.take(data, record)
        self.counts.records += 1
        self._done(record["caused_by"]["intent_id"], record["match_id"])
        if fresh:
            await self._go_on(known)

    async def _go_on(self, known: Followed) -> None:
        self._tell(known)
        if not known.end:
            await self._act_if_due(known)

    def _tell(self, known: Followed) -> None:
        """Tell whoever waits that a match has come so far."""
        for seq, mark in self._marks.get(known.match_id, ()):
            if (known.seq >= seq or known.end) and not mark.done():
                mark.set_result(None)

    def _done(self, intent_id: str, match_id: str) -> None:
        wish = self._wishes.pop(intent_id, None)
        if wish is None:
            return
        if wish.answer is not None and not wish.answer.done():
            wish.answer.set_result(match_id)
        if wish.step and self._on_answer is not None:
            self._on_answer(self._loop.time() - wish.first_s)

    def _refused(self, message: Mapping[str, Any]) -> None:
        reason, detail = message["reason"], message["detail"]
        self.counts.refusals[reason] += 1
        wish = self._wishes.pop(message["intent_id"], None)
        if wish is None:
            # A second copy of what was asked for again may be refused when the first is settled.
            copy = message["intent_id"] is not None and reason in FOR_NOW | RACES
            if not copy and self._refusals.get(message["intent_id"]) != reason:
                self._refused_unasked(message)
            return
        self._refusals[wish.intent_id] = reason
        if wish.answer is not None:
            if not wish.answer.done():
                wish.answer.set_exception(Refused(reason, detail))
        elif reason in RACES:
            doubt = Doubt(wish.match_id, wish.step, reason, wish.match_id in self._left)
            self._doubts.append(doubt)
        elif reason in FOR_NOW and wish.tries < TRIES:
            self._spawn(self._wish_again(wish))
        else:
            self._found.append(f"{wish.match_id}: step {wish.step} was refused: {reason} {detail}")

    def _refused_unasked(self, message: Mapping[str, Any]) -> None:
        """Something that was no wish was refused: a sign-in, or that a match is watched."""
        reason, match_id = message["reason"], message["match_id"]
        if reason == "not_signed_in":
            return  # the line is closed next, with a code that says so
        if match_id is not None and reason in FOR_NOW:
            self._spawn(self._watch_again(match_id))
        elif match_id is not None and reason in RACES:
            known = self._known(match_id)
            if reason == "unknown_match" and known.seq and not known.end:
                known.end = FORGOTTEN
                self._tell(known)
            self._doubts.append(Doubt(match_id, 0, reason, match_id in self._left))
        elif match_id is None or not self._known(match_id).end:
            self._found.append(f"{match_id or 'a message'}: refused: {reason} {message['detail']}")

    async def _watch_again(self, match_id: str) -> None:
        await asyncio.sleep(LATER_S)
        await self.watch(match_id)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._found.append(f"the phone itself failed: {type(fault).__name__}: {fault}")
