import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from sahrat.runtime.settings import BadSetting, KeySource, Settings
from services.house import plan as plans
from services.house.folder import Folder
from services.house.plan import (
    Plan,
    keys_for,
    listen_port,
    url_of,
    why_other_port,
    with_welcome,
)
from services.house.workers import parse_workers

KEYS = SecretStr("made-by-the-test")


def test_a_port_that_was_asked_for_is_taken_or_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BadSetting, match=f"port {port} on 127.0.0.1 is taken"):
            listen_port("127.0.0.1", port)
    assert listen_port("127.0.0.1", port) == port


def test_the_usual_port_gives_way_to_a_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        usual = other.getsockname()[1]
        monkeypatch.setattr(plans, "PORT", usual)
        found = listen_port("127.0.0.1", None)
        assert found not in (0, usual)
        assert why_other_port(None, found).startswith(f"port {usual} is taken")
    assert why_other_port(None, usual) == ""
    assert why_other_port(found, found) == ""


def test_a_host_that_is_not_ours_is_refused_in_one_line() -> None:
    with pytest.raises(BadSetting, match=r"can't listen on 192\.0\.2\.1"):
        listen_port("192.0.2.1", 0)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        (".".join("0000"), "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("play.example", "http://play.example:8000"),
    ],
)
def test_the_address_is_one_that_a_browser_can_open(host: str, url: str) -> None:
    assert url_of(host, 8000) == url


def _keys(folder: Folder, named: KeySource | None = None) -> KeySource:
    source = named or KeySource("SAHRAT_MASTER_KEYS")
    return keys_for(Plan(folder, Settings()), source, folder.master_keys, lambda: KEYS)


def test_keys_are_made_once_at_the_first_start(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    source = _keys(folder)
    assert source.path == folder.master_keys
    assert source.read().get_secret_value() == KEYS.get_secret_value()
    folder.log.mkdir()
    (folder.log / "log.sqlite3").touch()
    assert _keys(folder) == source


def test_lost_keys_are_never_replaced_under_a_log_that_needs_them(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.log.mkdir()
    (folder.log / "log.sqlite3").touch()
    with pytest.raises(BadSetting, match="is missing, and what is in"):
        _keys(folder)


def test_keys_that_are_named_are_used_and_none_are_made(tmp_path: Path) -> None:
    named = KeySource("SAHRAT_MASTER_KEYS", text=SecretStr("given"))
    assert _keys(Folder(tmp_path), named) is named
    assert not list(tmp_path.iterdir())


def test_numbers_of_workers() -> None:
    assert parse_workers(("rules=2", "gateway=3"), "kafka") == {"rules": 2, "gateway": 3}
    assert parse_workers((), "embedded") == {}


@pytest.mark.parametrize("wish", ["rules", "rules=0", "rules=13", "rules=x", "wizard=1", "=1"])
def test_a_wish_that_makes_no_sense_is_told(wish: str) -> None:
    with pytest.raises(BadSetting, match="NAME=N"):
        parse_workers((wish,), "kafka")


def test_the_embedded_house_is_one_process() -> None:
    with pytest.raises(BadSetting, match="--log kafka"):
        parse_workers(("rules=2",), "embedded")


@pytest.mark.parametrize(
    ("settings", "welcome"),
    [
        pytest.param(Settings(), True, id="own-keys"),
        pytest.param(Settings(welcome=False), False, id="told-not-to"),
        pytest.param(Settings(gateway_keys=KeySource("k", text=KEYS)), None, id="gateway-keys"),
        pytest.param(Settings(master_keys=KeySource("k", Path("m"))), None, id="master-keys"),
    ],
)
def test_only_a_house_on_its_own_keys_welcomes_players(
    settings: Settings, welcome: bool | None, tmp_path: Path
) -> None:
    assert with_welcome(Plan(Folder(tmp_path), settings)).settings.welcome is welcome
