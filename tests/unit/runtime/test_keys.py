"""Rule D: each match has the secret of the key that its first event names."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from sahrat import dice
from sahrat.dice import MasterKeys, Secret, UnknownKey
from sahrat.runtime.keys import MatchKeys, match_keys, new_master_keys
from sahrat.runtime.secret_files import make_secret
from sahrat.runtime.settings import BadSetting, KeySource

MATCHES = [f"00000000-0000-7000-8000-{number:012x}" for number in range(5)]
OLD, NEW = Secret(b"o" * 32), Secret(b"n" * 32)


@pytest.fixture
def master() -> MasterKeys:
    return MasterKeys([("old", 0, OLD), ("new", 1000, NEW)])


def test_a_match_takes_the_newest_key_of_its_opening(master: MasterKeys) -> None:
    keys = MatchKeys(master)
    assert [keys.newest(at_ms) for at_ms in (0, 999, 1000, 5000)] == ["old", "old", "new", "new"]


def test_dealer_and_commitment_are_of_the_named_key(master: MasterKeys) -> None:
    keys = MatchKeys(master, cached=2)
    for match_id in [*MATCHES, *MATCHES]:  # more than are remembered, twice
        for key_id, key in (("old", OLD), ("new", NEW)):
            secret = dice.match_secret(key, match_id)
            assert keys.dealer(key_id, match_id).reveal() == secret.reveal()
            assert keys.commitment(key_id, match_id) == dice.commitment(secret, match_id)


def test_no_more_matches_are_remembered_than_said(master: MasterKeys) -> None:
    keys = MatchKeys(master, cached=2)
    first = keys.dealer("old", MATCHES[0])
    keys.dealer("old", MATCHES[1])
    assert keys.dealer("old", MATCHES[0]) is first  # used again, so it is the younger one
    keys.dealer("old", MATCHES[2])
    assert keys.dealer("old", MATCHES[0]) is first
    keys.dealer("old", MATCHES[3])
    keys.dealer("old", MATCHES[4])
    assert keys.dealer("old", MATCHES[0]) is not first


def test_an_unknown_key_is_never_replaced_by_another(master: MasterKeys) -> None:
    with pytest.raises(UnknownKey):
        MatchKeys(master).dealer("lost", MATCHES[0])


def test_new_keys_are_random_in_id_and_value(tmp_path: Path) -> None:
    made = [new_master_keys() for _ in range(2)]
    ids = set()
    for number, text in enumerate(made):
        path = tmp_path / str(number)
        make_secret(path, text)
        keys = match_keys(KeySource("SAHRAT_MASTER_KEYS", path))
        ids.add(keys.newest(0))
        assert text.get_secret_value() not in repr(keys)
    assert len(ids) == 2
    assert made[0] != made[1]


def test_bad_keys_are_told_without_a_word_of_them() -> None:
    text = '{"keys":[{"id":"k","from_ms":0,"key":"abc123"}]}'
    with pytest.raises(BadSetting, match="SAHRAT_MASTER_KEYS_JSON: master keys") as told:
        match_keys(KeySource("SAHRAT_MASTER_KEYS", text=SecretStr(text)))
    assert "abc123" not in str(told.value)


def test_a_bad_file_is_told_by_its_own_name(tmp_path: Path) -> None:
    """Nobody set a variable where the house made the file itself."""
    torn = tmp_path / "master.json"
    make_secret(torn, SecretStr('{"keys":[{"id"'))
    with pytest.raises(BadSetting, match=f"^{torn}: master keys"):
        match_keys(KeySource("SAHRAT_MASTER_KEYS", torn))
