"""Ports of this machine for a broker of its own."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass
from typing import Final

from services.house.local.errors import LocalError

HOST: Final = "127.0.0.1"
# Below the range from which systems take the ports of outgoing connections (Linux 32768, others
# 49152): a client that keeps trying a dead broker's port in that range can end up connected to
# itself, and the broker can then not have its port back.
PORTS: Final = range(20_000, 30_000)
PORT_TRIES: Final = 50


@dataclass(frozen=True, slots=True)
class Detour:
    """A second door of a broker. Whoever comes in there is told to come by another port, where
    somebody forwards what is said, and can hold it up.

    Attributes:
        port: Where the broker listens, of `free_port`.
        told: The port that clients are told.
    """

    port: int
    told: int


def is_free(port: int) -> bool:
    """Return whether a broker could listen there at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the broker does: connections of its last run that linger do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def free_port(*but: int) -> int:
    """Return a port that a broker can have and nobody has at this moment, and none of these.

    Raises:
        LocalError: None was found.
    """
    for _ in range(PORT_TRIES):
        port = secrets.choice(PORTS)
        if port not in but and is_free(port):
            return port
    raise LocalError(f"no free port between {PORTS[0]} and {PORTS[-1]} on {HOST}")
