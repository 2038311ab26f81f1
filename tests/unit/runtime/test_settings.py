from pathlib import Path

import pytest

from sahrat.runtime.database import named_database
from sahrat.runtime.settings import BadSetting, Settings

WORD = "hunter2-very-secret"


def test_nothing_set_gives_the_defaults() -> None:
    assert Settings.read({}) == Settings()


def test_an_empty_variable_counts_as_not_set() -> None:
    assert Settings.read({"SAHRAT_PORT": "", "SAHRAT_KAFKA": " "}) == Settings()


def test_everything_set(tmp_path: Path) -> None:
    read = Settings.read(
        {
            "SAHRAT_KAFKA": "broker:9092",
            "SAHRAT_POSTGRES": f"postgresql://u:{WORD}@db/sahrat",
            "SAHRAT_MASTER_KEYS": str(tmp_path / "master.json"),
            "SAHRAT_HOST": "192.0.2.7",
            "SAHRAT_PORT": "0",
            "SAHRAT_BOT_PAUSE_MS": "0",
            "SAHRAT_RATE": "1000",
            "SAHRAT_LOG_LEVEL": "WARNING",
            "SAHRAT_LOG_FORM": "json",
            "SAHRAT_WELCOME": "1",
            "SAHRAT_SUPERVISED": "1",
        }
    )
    assert read.need_kafka() == "broker:9092"
    assert named_database(read) == f"postgresql://u:{WORD}@db/sahrat"
    assert read.master_keys.path == tmp_path / "master.json"
    assert (read.host, read.port, read.bot_pause_ms, read.rate) == ("192.0.2.7", 0, 0, 1000)
    assert (read.log_level, read.log_form, read.supervised) == ("warning", "json", True)
    assert read.welcome is True
    assert Settings.read({"SAHRAT_WELCOME": "0"}).welcome is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SAHRAT_PORT", "65536"),
        ("SAHRAT_PORT", "-1"),
        ("SAHRAT_PORT", "8000.5"),
        ("SAHRAT_PORT", "٨٠٠٠"),
        ("SAHRAT_HEALTH_PORT", "x"),
        ("SAHRAT_BOT_PAUSE_MS", "15000"),
        ("SAHRAT_RATE", "0"),
        ("SAHRAT_WELCOME", "yes"),
        ("SAHRAT_LOG_LEVEL", "loud"),
        ("SAHRAT_LOG_FORM", "xml"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name: str, value: str) -> None:
    with pytest.raises(BadSetting) as told:
        Settings.read({name: value})
    assert name in str(told.value)
    assert "\n" not in str(told.value)


def test_a_database_that_is_none_is_told_without_its_password() -> None:
    """A house that was named one began, and failed to read for ever."""
    settings = Settings.read({"SAHRAT_POSTGRES": f"foo:{WORD}"})
    with pytest.raises(BadSetting, match=r"^SAHRAT_POSTGRES: ") as told:
        named_database(settings)
    assert WORD not in str(told.value)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(BadSetting, match="SAHRAT_KAFKA"):
        Settings().need_kafka()
    assert named_database(Settings()) is None
    with pytest.raises(BadSetting, match="set SAHRAT_MASTER_KEYS to their file"):
        Settings().master_keys.read()


def test_two_places_for_the_same_keys_are_refused() -> None:
    with pytest.raises(BadSetting, match="both set"):
        Settings.read({"SAHRAT_GATEWAY_KEYS": "x", "SAHRAT_GATEWAY_KEYS_JSON": "{}"})


def test_no_secret_shows() -> None:
    read = Settings.read(
        {"SAHRAT_POSTGRES": f"postgresql://u:{WORD}@db/s", "SAHRAT_MASTER_KEYS_JSON": WORD}
    )
    assert WORD not in repr(read)
    assert WORD not in str(read)
    assert read.master_keys.read().get_secret_value() == WORD
