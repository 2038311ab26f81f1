"""The master keys as the rules worker holds them: match secrets are derived once while in use."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import orjson
from pydantic import SecretStr

from sahrat import dice
from sahrat.dice import MasterKeys
from sahrat.match.play import SecretDealer
from sahrat.runtime.settings import BadSetting, KeySource

CACHED: Final = 20_000  # more than a worker has live matches; 1 KB each


@dataclass(frozen=True, slots=True)
class _Match:
    dealer: SecretDealer
    commitment: str


class MatchKeys:
    """`Keys` of `match.judge`, over master keys. Only the rules worker makes one."""

    def __init__(self, master: MasterKeys, cached: int = CACHED) -> None:
        """Take the keys, and how many matches' secrets to remember at most."""
        self._master = master
        self._cached = cached
        self._matches: OrderedDict[tuple[str, str], _Match] = OrderedDict()

    def newest(self, opened_ms: int) -> str:
        """Return the id of the key that a match opened at this append time uses.

        Raises:
            UnknownKey: All keys are for later.
        """
        return self._master.newest(opened_ms)

    def dealer(self, key_id: str, match_id: str) -> SecretDealer:
        """Return the dealer of a match under a key. Raises UnknownKey."""
        return self._match(key_id, match_id).dealer

    def commitment(self, key_id: str, match_id: str) -> str:
        """Return the commitment to a match's secret (rule D). Raises UnknownKey."""
        return self._match(key_id, match_id).commitment

    def __repr__(self) -> str:
        """Name the keys, not their values."""
        return f"MatchKeys({self._master!r})"

    def _match(self, key_id: str, match_id: str) -> _Match:
        name = (key_id, match_id)
        found = self._matches.get(name)
        if found is None:
            secret = self._master.secret(key_id, match_id)
            found = _Match(SecretDealer(match_id, secret), dice.commitment(secret, match_id))
            self._matches[name] = found
            if len(self._matches) > self._cached:
                self._matches.popitem(last=False)
        else:
            self._matches.move_to_end(name)
        return found


def match_keys(source: KeySource) -> MatchKeys:
    """Read the master keys.

    Raises:
        BadSetting: There are none, others may read their file, or they are not as they should be.
    """
    try:
        return MatchKeys(MasterKeys.parse(source.read().get_secret_value()))
    except ValueError as fault:
        raise BadSetting(f"{source.place}: {fault}") from None


def new_master_keys() -> SecretStr:
    """Return the text of a file with one new master key, for every match from now on.

    Its id is random too, so that a key which is lost and made anew never passes for the old one.
    """
    key = {"id": f"k-{secrets.token_hex(4)}", "from_ms": 0, "key": secrets.token_hex(32)}
    return SecretStr(orjson.dumps({"keys": [key]}).decode())
