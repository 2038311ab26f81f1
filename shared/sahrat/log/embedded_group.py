"""Who owns which partition, among the members of a group that live in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from sahrat.log.hold import Hold, failure_of
from sahrat.log.port import Claim, Serve


class _Held(Hold):
    def __init__(self, partition: int, member: Member) -> None:
        super().__init__(partition)
        self.member = member


class Member:
    """One `own` call: what it holds, and how it ends."""

    def __init__(self, serve: Serve) -> None:
        self.serve = serve
        self.holds: dict[asyncio.Task[None], Hold] = {}
        self.failure: BaseException | None = None
        self.ending = asyncio.Event()
        self.idle = asyncio.Event()
        self.idle.set()

    def notice(self) -> None:
        """Learn which partitions the group has taken: their readers are told to stop."""
        for hold in self.holds.values():
            if hold.lost:
                hold.release()

    def note(self, hold: Hold, task: asyncio.Task[None]) -> None:
        """Take how a `serve` ended; the first that ended wrongly ends the member."""
        failure = failure_of(hold, task)
        if failure is not None:
            self.failure = self.failure or failure
            self.ending.set()


class Group:
    """Members in the order in which they joined, and what each holds.

    Args:
        partitions: How many partitions the topic has.
        claim: Makes what a `serve` gets for a hold.
    """

    def __init__(self, partitions: int, claim: Callable[[Hold], Claim]) -> None:
        self._partitions = partitions
        self._claim = claim
        self._members: list[Member] = []
        self._holds: dict[int, _Held] = {}

    async def own(self, serve: Serve, stop: asyncio.Event) -> None:
        """Be a member until `stop` is set or a `serve` ends wrongly; see `Log.own`."""
        member = Member(serve)
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: member.ending.set())
        self._members.append(member)
        self._balance()
        try:
            await member.ending.wait()
            self._leave(member)
            await member.idle.wait()
        except asyncio.CancelledError:
            member.ending.set()  # it won't join again, though it was counted as dead before
            for task in list(member.holds):
                task.cancel()
            self._leave(member)
            await member.idle.wait()
            raise
        finally:
            stopping.cancel()
        if member.failure is not None:
            raise member.failure

    def expel(self, partition: int) -> Member | None:
        """Take all partitions from the owner of one, without telling it."""
        hold = self._holds.get(partition)
        if hold is None:
            return None
        member = hold.member
        if member in self._members:
            self._members.remove(member)
        for taken in member.holds.values():
            taken.lost = True
            self._holds.pop(taken.partition, None)
        self._balance()
        return member

    def _leave(self, member: Member) -> None:
        if member in self._members:
            self._members.remove(member)
        for hold in list(member.holds.values()):
            hold.release()
        self._balance()

    def _balance(self) -> None:
        """Release what should be another's, and begin what nobody has."""
        holds = [self._holds.get(partition) for partition in range(self._partitions)]
        owners = [None if hold is None else hold.member for hold in holds]
        for partition, member in enumerate(share(owners, self._members)):
            hold = holds[partition]
            if hold is not None:
                if hold.member is not member and not hold.released:
                    hold.release()
            elif member is not None:
                self._begin(partition, member)

    def _begin(self, partition: int, member: Member) -> None:
        hold = _Held(partition, member)
        self._holds[partition] = hold
        task = asyncio.create_task(_serve(member.serve, self._claim(hold)))
        member.holds[task] = hold
        member.idle.clear()
        task.add_done_callback(partial(self._ended, member))

    def _ended(self, member: Member, task: asyncio.Task[None]) -> None:
        hold = member.holds.pop(task)
        hold.end()
        if self._holds.get(hold.partition) is hold:
            del self._holds[hold.partition]
        member.note(hold, task)
        if not member.holds:
            member.idle.set()
        if member.ending.is_set():
            self._leave(member)
        elif hold.lost:
            member.notice()
            if not member.holds:
                self._members.append(member)  # it was expelled, and joins again
        self._balance()


def share(owners: Sequence[Member | None], members: Sequence[Member]) -> list[Member | None]:
    """Return who should own each partition: nearly equal shares, and as few moves as possible.

    Args:
        owners: Who has each partition now.
        members: All members, oldest first.
    """
    if not members:
        return [None] * len(owners)
    least, extra = divmod(len(owners), len(members))
    held = {member: sum(owner is member for owner in owners) for member in members}
    ranked = sorted(members, key=lambda member: -held[member])  # those with most keep one more
    room = {member: least + (rank < extra) for rank, member in enumerate(ranked)}
    shares: list[Member | None] = []
    for owner in owners:
        keeps = owner is not None and room.get(owner, 0) > 0
        if owner is not None and keeps:
            room[owner] -= 1
        shares.append(owner if keeps else None)
    vacant = [member for member in members for _ in range(room[member])]
    return [owner if owner is not None else vacant.pop(0) for owner in shares]


async def _serve(serve: Serve, claim: Claim) -> None:
    await serve(claim)
