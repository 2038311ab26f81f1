"""How a phone reaches a house: who it is there, and the lines to it. The internet, or what a
simulation has instead.
"""

from __future__ import annotations

from random import Random
from typing import Final, Protocol

FIRST_PAUSE_S: Final = 0.5
LAST_PAUSE_S: Final = 2.0  # a gateway that was killed is there again after three seconds


class NoAccount(Exception):
    """The house gives no account, and asking again will not help."""


class Account(Protocol):
    """A guest's account at a house.

    Attributes:
        player_id, token: Empty before the first `renew`.
    """

    player_id: str
    token: str

    async def renew(self) -> None:
        """Become a guest, or get a new token for the one that this is.

        Raises:
            NoAccount: The house refuses.
            ClientError, OSError, TimeoutError: The house is away, or wants to be asked later.
        """


class Line(Protocol):
    """One connection; made closed."""

    @property
    def close_code(self) -> int | None:
        """Why the other side closed it, a WebSocket code; None while it did not."""

    async def open(self) -> None:
        """Connect. Raises as `Account.renew` while the house is away."""

    async def send(self, data: bytes) -> None:
        """Send a message. Raises ClientError or OSError when the line is lost."""

    async def receive(self) -> bytes | None:
        """Return the next message, empty for a mere sign of life; None when the line is lost."""

    async def close(self) -> None:
        """Say farewell and close."""

    async def cut(self) -> None:
        """Be gone without a word, as a phone in a tunnel."""


class Network(Protocol):
    """Where a house can be reached."""

    def account(self, nickname: str) -> Account:
        """Return a new guest's account, which `renew` makes."""

    def line(self) -> Line:
        """Return a connection that is not open yet."""


class Backoff:
    """Pauses between attempts: 0.5 s, doubling to 2 s, each a fifth more or less by chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._next_s = FIRST_PAUSE_S

    def take(self) -> float:
        """Return how many seconds to wait before the next attempt."""
        pause, self._next_s = self._next_s, min(2 * self._next_s, LAST_PAUSE_S)
        return pause * (0.8 + 0.4 * self._chance.random())

    def reset(self) -> None:
        """Begin at the shortest again."""
        self._next_s = FIRST_PAUSE_S
