"""`sahrat play` at a real house: whole matches end, and phones, log and read models agree."""

import asyncio
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pytest

from services.house.local.postgres import running_dsn
from tests.integration.command import play, sahrat
from tests.integration.running import Running, folder, gone, running

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.usefixtures("own_postgres")]
EMBEDDED = ("--port", "0", "--bot-pause-ms", "0", "--rate", "1000")
SHORT = ("--options", "pawns_to_win=1", "--options", "pawns_out=1")  # a match of a few turns


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    with folder() as path:
        yield path
        assert gone(path) == []


@pytest.fixture(scope="module")
def house(data: Path) -> Iterator[Running]:
    with running(data, *EMBEDDED) as house:
        yield house
        assert house.stop()[0] == 0, house.said()


@pytest.fixture(scope="module")
def played(house: Running) -> dict[str, Any]:
    """Two matches of four, with two bots each."""
    code, found, err = play(
        house.url, "--matches", "2", "--players", "4", "--bots", "2", "--seed", "3"
    )
    assert code == 0, (found, err)
    return found


def test_matches_of_people_and_bots_end_and_fit(played: dict[str, Any]) -> None:
    assert played["fits"]
    assert played["total"]["phones"] == 4
    ids = [player_id for match in played["matches"] for player_id in match["player_ids"]]
    assert len({*ids}) == 4
    assert played["total"]["refusals"] == {}
    for match in played["matches"]:
        assert match["end"] == "match.ended"
        assert sorted(match["places"].values()) == [1, 2, 3, 4]
        assert match["records"] > 100
        assert match["rate"] == 1000
        assert match["timed_out"] == 0


def test_what_play_says_is_what_export_writes_and_verify_finds(
    house: Running, data: Path, played: dict[str, Any], tmp_path: Path
) -> None:
    match = played["matches"][0]
    match_id = match["match_id"]
    code, by_http, said = sahrat("export", match_id, "--url", house.url)
    assert code == 0
    assert said == f"{match['records']} records\n"
    assert sahrat("export", match_id, "--data", str(data))[1] == by_http
    path = tmp_path / "match.jsonl"
    path.write_bytes(by_http)
    code, report, _ = sahrat("verify", str(path), "--head", match["digest"], "--json")
    assert code == 0, report
    assert dict(orjson.loads(report)["places"]) == {
        int(seat): place for seat, place in match["places"].items()
    }
    code, told, _ = sahrat("replay", match_id, "--url", house.url)
    assert code == 0
    assert "the match is over: 1. " in told.decode().splitlines()[-1]
    assert sahrat("verify", "-", stdin=by_http[: len(by_http) // 2])[0] == 1


def test_S_phones_that_leave_or_lose_their_line_lose_no_record(house: Running) -> None:
    code, found, err = play(
        house.url,
        *("--matches", "3", "--players", "3", "--seed", "11", "--options", "pawns_to_win=1"),
        *("--leave", "0.3", "--drop", "0.9", "--drop-seconds", "2"),
    )
    assert code == 0, (found, err)
    assert 0 < found["total"]["left"] < 9
    assert found["total"]["dropped"] > 3
    assert all(match["end"] == "match.ended" for match in found["matches"])
    assert all(len(match["places"]) == 3 for match in found["matches"])


@pytest.mark.parametrize(
    ("players", "entry", "first", "second"), [(4, 100, 252, 108), (3, 33, 63, 27), (2, 15, 27, 0)]
)
def test_M6_matches_for_coins_end_and_every_purse_has_what_is_due(
    house: Running, players: int, entry: int, first: int, second: int
) -> None:
    code, found, err = play(
        house.url,
        *("--coin", "--entry", str(entry), "--players", str(players)),
        *("--matches", "3", "--seed", "5"),
        *SHORT,
    )
    assert code == 0, (found, err)
    assert found["entry_coins"] == entry
    for match in found["matches"]:
        assert match["end"] == "match.ended"
        best = sorted(match["places"], key=match["places"].__getitem__)
        due = {best[0]: first} | ({best[1]: second} if second else {})
        assert match["prizes_coins"] == due
        assert match["fee_coins"] == players * entry - first - second


def test_a_match_of_another_game_ends_and_fits(house: Running) -> None:
    short = ("--options", "grace_use=bonus", "--options", "pieces_per_throw=split")
    code, found, err = play(house.url, "--game", "pachisi", "--preset", "seven", "--coin", *short)
    assert code == 0, (found, err)
    (match,) = found["matches"]
    assert match["end"] == "match.ended"
    assert sorted(match["places"].items()) in ([("0", 1), ("2", 2)], [("0", 2), ("2", 1)])
    assert [*match["prizes_coins"].values()] == [180]


def test_K4_partners_and_bots_end_a_board_of_carrom(house: Running) -> None:
    """Its shots are computed by another process, and so are the bots'."""
    code, found, err = play(
        house.url,
        *("--game", "carrom", "--players", "4", "--bots", "2", "--seed", "5"),
        *("--options", "bot_level=easy"),
    )
    assert code == 0, (found, err)
    (match,) = found["matches"]
    assert match["end"] == "match.ended"
    assert sorted(match["places"].items()) in (
        [("0", 1), ("1", 2), ("2", 1), ("3", 2)],
        [("0", 2), ("1", 1), ("2", 2), ("3", 1)],
    )
    assert any('"computes apart"' in line for line in house.log)
    assert computing(house.process.pid) == 2, "one for the rules worker, one for the bots"


def computing(parent: int) -> int:
    """Return how many processes compute for another one."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it is gone meanwhile
            parents = re.findall(r"PPid:\t(\d+)", (process / "status").read_text())
            called = (process / "cmdline").read_bytes()
            found += parents == [str(parent)] and b"sahrat.runtime.apart" in called
    return found


def test_S3_leavers_lose_their_entry_and_lost_lines_do_not(house: Running) -> None:
    code, found, err = play(
        house.url,
        *("--coin", "--players", "4", "--matches", "6", "--seed", "8"),
        *("--options", "pawns_to_win=1"),
        *("--leave", "0.25", "--drop", "0.25", "--drop-seconds", "2"),
    )
    assert code == 0, (found, err)
    total = found["total"]
    assert total["left"] == total["forfeited"] > 0
    assert total["dropped"] > 0
    assert total["settled"] == 6
    assert total["pots_coins"] == 2_400
    assert total["fees_coins"] == 240
    assert "loses its entry of 100 coins" in err


def test_an_entry_that_no_new_player_has_is_told_and_nobody_plays(house: Running) -> None:
    code, found, err = play(house.url, "--coin", "--entry", "1001")
    assert (code, found) == (2, {})
    assert "phones are new players, and this house gives each 1,000" in err
    assert "begins" not in err


def test_a_match_that_is_not_over_in_time_is_an_exit_code_of_its_own(house: Running) -> None:
    code, found, _ = play(house.url, "--players", "4", "--bots", "2", "--timeout", "1")
    assert code == 1
    (match,) = found["matches"]
    assert match["problems"] == ["not over after 1 s"]
    assert match["end"] == ""


def test_people_see_a_table_and_each_wrong_thing_by_name(house: Running) -> None:
    code, out, err = sahrat("play", "--url", house.url, "--seed", "5")
    assert code == 0, err
    first, match, *_, last = out.decode().splitlines()
    assert first.split()[:3] == ["match", "end", "records"]
    assert " match.ended " in match
    assert last.startswith("everything fits")
    match_id = match.split()[0]
    begins, *_, over = err.splitlines()
    assert begins == f"{match_id} begins"
    assert over == f"1/1 {match_id} match.ended"
    code, out, _ = sahrat("play", "--url", house.url, "--players", "3", "--timeout", "1")
    assert code == 1
    assert out.decode().splitlines()[-2:][0] == "1 WRONG:"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--bots", "2"), "must be a phone"),
        (("--options", "step_seconds=9"), "step_seconds"),
        (("--options", "colour=red"), "colour"),
        (("--options", "fast"), "NAME=VALUE"),
        (("--options", "players=3"), "--players"),
        (("--leave", "2"), "no number from 0 to 1"),
        (("--coin", "--bots", "1"), "no bot ever sits at a coin table"),
        (("--coin", "--entry", "9"), "9 is no whole number from 10 to 1000000"),
        (("--coin", "--entry", "1.5"), "1.5"),
        (("--entry", "50"), "--coin"),
        (("--preset", "seven"), "ludo has none"),
        (("--game", "pachisi", "--preset", "nine"), "there are six, seven"),
    ],
)
def test_what_no_house_could_play_is_told_before_anybody_plays(
    house: Running, options: tuple[str, ...], told: str
) -> None:
    code, out, err = sahrat("play", "--url", house.url, *options)
    assert (code, out) == (2, b"")
    assert told in err
    assert err.count("\n") == 1


def test_where_no_house_answers_it_is_told_at_once() -> None:
    code, out, err = sahrat("play", "--url", "http://127.0.0.1:9")
    assert (code, out) == (2, b"")
    assert "sahrat run" in err
    assert err.count("\n") == 1


async def rows(data: Path, played: dict[str, Any]) -> list[Any]:
    """What the read models have of these matches, in the database of the folder's house."""
    dsn = await asyncio.to_thread(running_dsn, data / "postgres-embedded")
    assert dsn is not None
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        cursor = await connection.execute(
            "select match_id, seq, encode(value, 'escape') from live.records"
            " where match_id = any(%s) order by match_id, seq",
            [[match["match_id"] for match in played["matches"]]],
        )
        return await cursor.fetchall()


async def test_the_read_models_are_made_anew_while_the_house_runs(
    house: Running, data: Path, played: dict[str, Any]
) -> None:
    before = await rows(data, played)
    assert len(before) == played["total"]["records"]
    code, out, err = await asyncio.to_thread(sahrat, "rebuild", "--data", str(data))
    assert code == 0, err
    assert int(out.split()[3]) >= played["total"]["records"]
    assert "100 % of " in err
    assert await rows(data, played) == before
    match = played["matches"][0]
    code, _, _ = await asyncio.to_thread(
        sahrat, "verify", match["match_id"], "--url", house.url, "--head", match["digest"]
    )
    assert code == 0


async def test_analysts_read_what_is_over_and_write_nothing(
    house: Running, data: Path, played: dict[str, Any]
) -> None:
    """The house has made their role and views by itself, and says how to connect."""
    assert played["fits"]
    code, line, err = await asyncio.to_thread(sahrat, "analyst", "--data", str(data))
    assert code == 0, err
    program, dsn = shlex.split(line.decode())
    assert Path(program).name == "psql"
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as analyst:
        cursor = await analyst.execute("select match_id, records from ended_matches")
        found: dict[str, int] = dict(await cursor.fetchall())
        for match in played["matches"]:
            assert found[match["match_id"]] == match["records"]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await analyst.execute("select * from matches")
    code, answered, err = await asyncio.to_thread(
        sahrat, "ask", "options", "--csv", "--data", str(data)
    )
    assert code == 0, err
    assert b"ludo,pawns_to_win," in answered
