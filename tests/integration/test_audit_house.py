"""A house that plays for coins, audited while it plays, after it was killed, beside its tables."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import orjson
import pytest

from tests.integration.command import play, sahrat
from tests.integration.running import folder, gone, running

pytestmark = pytest.mark.slow

MATCHES: Final = 3
COINS: Final = ("--coin", "--entry", "100", "--players", "4", "--matches", str(MATCHES))


def test_a_house_is_balanced_while_it_plays_and_after_kill_9() -> None:
    with folder() as data:
        with running(data, "--port", "0", "--bot-pause-ms", "0") as house:
            with ThreadPoolExecutor(1) as pool:
                playing = pool.submit(play, house.url, *COINS, "--leave", "0.2", "--seed", "5")
                looks = [audited(data)]
                while not playing.done():
                    looks.append(audited(data))
                code, _, err = playing.result()
            assert code == 0, err
            house.kill()
        assert gone(data) == []
        report = audited(data)
        assert (report["settled"], report["holds"], report["pending"]) == (MATCHES, 0, [])
        assert report["coin_matches"] == MATCHES
        assert report["fee_coins"] == MATCHES * 40
        assert report["tables_entry"] is None
        assert all(look["granted_coins"] <= report["granted_coins"] for look in looks)
        code, out, err = sahrat("audit", "--data", str(data), "--json", "--postgres")
        assert (code, f"starting the PostgreSQL of {data} for this" in err) == (0, True), err
        compared = orjson.loads(out)
        assert 0 < compared["tables_entry"] <= compared["entries"] == report["entries"]
        assert gone(data) == []


def audited(data: Any, *options: str) -> dict[str, Any]:
    code, out, err = sahrat("audit", "--data", str(data), "--json", *options)
    said: dict[str, Any] = orjson.loads(out) if out else {}
    assert (code, said.get("balanced")) == (0, True), f"{said} {err}"
    return said
