"""Who counts as one when connections, sockets and new accounts of an address are counted."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

PREFIX_BITS: Final = (
    64  # what one line is given of IPv6: it has as many addresses in it as it likes
)


@lru_cache(maxsize=4096)
def whence(remote: str | None) -> str:
    """Return an IPv4 address as it is, of an IPv6 address its network; anything else as it is."""
    try:
        address = ip_address((remote or "").partition("%")[0])
    except ValueError:
        return remote or ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    shift = address.max_prefixlen - PREFIX_BITS
    return f"{IPv6Address(int(address) >> shift << shift)}/{PREFIX_BITS}"
