"""The gateway without its sockets: sessions on one side, the log on the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

import structlog

from sahrat.games import wire
from sahrat.log.follow import Follower
from sahrat.log.journal import JournalFollower
from sahrat.log.live import Taken, Verdict
from sahrat.log.port import Log, Reader, Stored
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.envelope import IntentRefused, IntentRepeated, TickAnswered
from sahrat.messages.reasons import Reason, Refused
from sahrat.messages.topics import Topic, partition_of
from sahrat.runtime.beside import Beside
from services.gateway.accounts import Accounts
from services.gateway.desk import Desk
from services.gateway.entering import Entering
from services.gateway.lobby import LobbyBoard
from services.gateway.matches import Matches
from services.gateway.operating import SENDER, Operating
from services.gateway.outbox import Outbox
from services.gateway.parts import Parts
from services.gateway.presence import Presence
from services.gateway.session import Closing, Outlet, Session
from services.gateway.sessions import Limits, Sessions
from services.gateway.ticks import Ticks
from services.gateway.times import Times
from services.gateway.waiting import Waiting, WaitingRoom
from services.gateway.wallets import Wallets
from services.gateway.watching import Watchers

PULSE_S: Final = 1.0
TEND_S: Final = 0.25
STUCK_S: Final = 3.0  # without an acknowledgement for so long all sockets are closed
STOP_S: Final = 5.0  # by then the last intents are stored, or not by this gateway
PLAYER: Final = "player:"

_log = structlog.get_logger("gateway")


class Door(Protocol):
    """Where phones come in: a web server, or what a simulation has instead."""

    async def open(self) -> None:
        """Let phones in; called when the gateway is ready for them."""

    async def close(self) -> None:
        """Let nobody in any more, and wait until everybody is out."""


class Hub:
    """One gateway's sessions and its view of the log. Made while its loop runs.

    Args:
        log: Started by whoever made it.
        accounts: Tell who somebody is.
        limits: What phones may do.
        new_id: Makes UUIDs: this gateway's own, and those of its intents.

    Attributes:
        parts, operating: For whoever serves pages beside.
    """

    def __init__(
        self, log: Log, accounts: Accounts, limits: Limits, new_id: Callable[[], str]
    ) -> None:
        self._log = log
        self._now_s = asyncio.get_running_loop().time
        self._followers = [
            Follower(log, partition, self._opener(partition))
            for partition in range(topics.MATCH_PARTITIONS)
        ]
        gateway, times = new_id(), Times(self._now_s)
        matches, outbox = Matches(self._followers), Outbox(log, gateway, times, new_id)
        presence, sessions = Presence(gateway, outbox), Sessions(limits, self._now_s)
        self._journal = JournalFollower(log)
        wallets = Wallets(self._journal, sessions, outbox, limits.welcome_coins)
        self.operating = Operating(matches, outbox, wallets)
        self.parts = Parts(
            gateway=gateway,
            accounts=accounts,
            times=times,
            ticks=Ticks(limits.lag_s, self._now_s),
            outbox=outbox,
            matches=matches,
            presence=presence,
            watchers=Watchers(matches, presence),
            lobby=LobbyBoard(matches, self._now_s),
            sessions=sessions,
            wallets=wallets,
        )
        self._waiting = WaitingRoom()
        self._entering = Entering(self.parts, self._waiting)
        self._desk = Desk(self.parts, self._entering, self._waiting, self.drop)
        self._ready = False
        self._leaving = False
        self._was_stuck = False
        self._swept = 0

    # ---- phones

    def shut(self) -> str:
        """Return why no phone can come in now; empty when one may."""
        if not self._ready:
            return "the gateway is not ready"
        if self._leaving:
            return "the gateway stops"
        return "the log does not answer" if self.parts.outbox.stuck_s() > STUCK_S else ""

    def connect(self, outlet: Outlet, address: str) -> Session:
        """Begin a session with a phone."""
        return self.parts.sessions.add(outlet, address)

    def receive(self, session: Session, data: bytes) -> None:
        """Take a message of a phone."""
        self.heard(session)
        if session.open and not self._leaving:
            self._desk.receive(session, data)

    def heard(self, session: Session) -> None:
        """Note a sign of life of a phone."""
        session.heard_s = self._now_s()

    def drop(self, session: Session, code: Closing) -> None:
        """Close a session, and tell the phone why."""
        if session.open:
            session.outlet.close(code)
            self.disconnect(session)

    def disconnect(self, session: Session) -> None:
        """Note that a phone is gone. Once is enough, twice does no harm."""
        if not session.open:
            return
        session.open = False
        if not self._leaving:  # else all lines of this gateway are said to be lost, in one go
            for match_id in [*session.claims]:
                self.parts.presence.down(session, match_id)
        self._waiting.drop(session)
        self.parts.watchers.drop(session)
        self.parts.lobby.drop(session)
        self.parts.sessions.remove(session)

    def loop_ms(self) -> int:
        """Return the loop's time in whole ms, for whoever counts how fast somebody asks."""
        return int(self._now_s() * 1000)

    # ---- life

    async def run(self, stop: asyncio.Event, door: Door) -> None:
        """Serve until `stop`; then say that all lines are gone, and close.

        Raises:
            LogFault: The log is away or damaged; after `AppendFailed` the process ends at once.
            FromTheFuture: A record is newer than this code.
        """
        async with Beside() as beside:
            for sender in self.parts.outbox.senders():
                beside.start(sender)
            # Side by side: in a house of one process the other followers begin now, and share.
            began = map(self._begin, range(topics.MATCH_PARTITIONS))
            ends, *_ = await asyncio.gather(
                asyncio.gather(*began), self._journal.catch_up(), self.parts.outbox.pulse()
            )
            for partition, end in enumerate(ends):
                beside.start(self._read_answers(partition, end))
                beside.start(self._follow(partition))
            beside.start(self._follow_journal())
            beside.start(self._pulse())
            told = asyncio.create_task(stop.wait())
            told.add_done_callback(lambda _: beside.wake())
            self._ready = True
            _log.info("ready", gateway=self.parts.gateway)
            try:
                await door.open()
                while not stop.is_set():
                    self._tend()
                    await beside.rest(TEND_S)
                await self._leave(door)
                await beside.rest(0)
            finally:
                told.cancel()
                await asyncio.gather(told, return_exceptions=True)
                for follower in self._followers:
                    await follower.close()
                await self._journal.close()

    def health(self) -> str | None:
        """Return None while phones can play through this gateway; else what is wrong."""
        return self.shut() or self._log.healthy()

    async def _leave(self, door: Door) -> None:
        self._leaving = True
        seats = {match_id: None for session in self.parts.sessions for match_id in session.claims}
        for partition in sorted({partition_of(match_id): None for match_id in seats}):
            self.parts.outbox.lost(partition)
        self._close_all(Closing.GOING_AWAY)
        await door.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self.parts.outbox.drained()
        except TimeoutError:
            _log.warning(
                "stopping with intents that are not stored", stuck_s=self.parts.outbox.stuck_s()
            )

    def _tend(self) -> None:
        """Do what time alone brings about."""
        stuck = self.parts.outbox.stuck_s() > STUCK_S
        if stuck and not self._was_stuck:
            _log.error("alarm", problem="the log does not answer", sockets=len(self.parts.sessions))
            self._close_all(Closing.TRY_AGAIN)
        self._was_stuck = stuck
        for session, code in self.parts.sessions.tend(self.parts.times.now_ms()):
            self.drop(session, code)
        self.parts.lobby.tend()
        self._swept = (self._swept + 1) % (topics.MATCH_PARTITIONS * 4)
        if self._swept < topics.MATCH_PARTITIONS:
            for match_id in self.parts.matches.sweep(self._swept):
                self.parts.watchers.end(match_id, Reason.UNKNOWN_MATCH)

    def _close_all(self, code: Closing) -> None:
        for session in self.parts.sessions:
            self.drop(session, code)

    async def _pulse(self) -> None:
        while True:
            await self.parts.outbox.pulse()
            await asyncio.sleep(PULSE_S)

    # ---- the log

    def _opener(self, partition: int) -> Callable[[Topic, int], Reader]:
        return lambda topic, offset: self._log.reader(topic, partition, offset)

    async def _begin(self, partition: int) -> int:
        """Learn the partition's matches; return where its answers go on from now."""
        end = (await self._log.bounds(topics.REFUSALS, partition)).end
        await self._followers[partition].catch_up()
        self.parts.matches.learn(partition)
        return end

    async def _follow(self, partition: int) -> None:
        follower = self._followers[partition]
        while True:
            for stored in await follower.fetch():
                self.parts.times.saw(stored.at_ms, partition)
                self._took(partition, stored, follower.take(stored))

    async def _follow_journal(self) -> None:
        while True:
            self.parts.wallets.took(await self._journal.read())

    def _took(self, partition: int, stored: Stored, taken: Taken) -> None:
        match, record = taken.match, taken.record
        if match is None:
            return
        if taken.verdict is Verdict.PARKED:
            self.parts.matches.parked(match)
            self.parts.watchers.end(match.match_id, Reason.PARKED)
            for waiting in self._waiting.settle_all(match.match_id):
                self._refused(waiting, Refused(Reason.PARKED, "its log is damaged"))
        elif taken.verdict is Verdict.TAKEN and record is not None:
            self.parts.matches.took(partition, match, stored.value)
            cause = record.caused_by
            if cause.sender.startswith(PLAYER):
                player_id = cause.sender.removeprefix(PLAYER)
                for waiting in self._waiting.settle(player_id, match.match_id, cause.intent_id):
                    self._entering.accepted(waiting, match, record.seq)
            elif cause.sender == SENDER:
                self.operating.took(match.match_id, cause.intent_id, record.seq)
            else:
                self.parts.presence.answered(cause.intent_id, None)
            self.parts.watchers.took(match, record, stored.value)

    async def _read_answers(self, partition: int, offset: int) -> None:
        reader = self._log.reader(topics.REFUSALS, partition, offset)
        try:
            while True:
                for stored in await reader.read():
                    self.parts.times.saw(stored.at_ms, partition)
                    self._take_answer(partition, stored)
        finally:
            await reader.close()

    def _take_answer(self, partition: int, stored: Stored) -> None:
        try:
            answer = wire.ANSWERS.decode(stored.value)
        except FromTheFuture:
            raise
        except Poison as poison:  # the timer puts it with the dead letters
            where = f"{stored.topic}/{stored.partition}@{stored.offset}"
            _log.error("alarm", problem="an answer that can't be read", where=f"{where}: {poison}")
            return
        if isinstance(answer, TickAnswered):
            self.parts.ticks.answered(partition, answer, stored.at_ms)
        elif answer.sent_by == self.parts.gateway:
            self._answered(answer)

    def _answered(self, answer: IntentRefused | IntentRepeated) -> None:
        if answer.sender == SENDER:
            self.operating.answered(answer)
            return
        if not answer.sender.startswith(PLAYER):
            reason = answer.reason if isinstance(answer, IntentRefused) else None
            self.parts.presence.answered(answer.intent_id, reason)
            return
        player_id, match_id = answer.sender.removeprefix(PLAYER), answer.match_id or ""
        if isinstance(answer, IntentRepeated):
            match = self.parts.matches.get(match_id)
            if match is None or match.seq < answer.seq:
                return  # its record has yet to be read here, and is the answer
        for waiting in self._waiting.settle(player_id, match_id, answer.intent_id):
            if isinstance(answer, IntentRepeated):
                self._entering.repeated(waiting, answer.seq)
            else:
                self._refused(waiting, Refused(answer.reason, answer.detail))

    def _refused(self, waiting: Waiting, refused: Refused) -> None:
        if waiting.session.player is not None:
            self._entering.refused(waiting, waiting.session.player, refused)
