"""`sahrat play` and the commands that read, at a house on a real broker."""

import asyncio
from pathlib import Path

import pytest

from tests.integration.command import play, sahrat
from tests.integration.running import running

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.usefixtures("own_kafka", "own_postgres"),
]
OPTIONS = ("--log", "kafka", "--port", "0", "--bot-pause-ms", "0", "--rate", "1000")


async def test_matches_on_kafka_end_and_are_read_the_same_from_everywhere(data: Path) -> None:
    async def command(*arguments: str) -> tuple[int, bytes, str]:
        return await asyncio.to_thread(sahrat, *arguments)

    place = ("--data", str(data))
    with running(data, *OPTIONS) as house:
        code, found, err = await asyncio.to_thread(
            play,
            house.url,
            *("--matches", "2", "--players", "2", "--bots", "1", "--seed", "2"),
            *("--options", "pawns_to_win=2"),
            *("--drop", "0.7", "--drop-seconds", "1"),
        )
        assert code == 0, (found, err)
        assert [match["end"] for match in found["matches"]] == ["match.ended"] * 2
        assert found["total"]["dropped"] > 0
        match = found["matches"][0]
        match_id, head = match["match_id"], match["digest"]

        code, exported, err = await command("export", match_id, "--url", house.url)
        assert (code, err) == (0, f"{match['records']} records\n")
        assert (await command("export", match_id, *place))[1] == exported
        assert (await command("export", match_id, *place, "--log", "kafka"))[1] == exported

        code, out, err = await command("rebuild", *place)
        assert code == 0, err
        assert int(out.split()[3]) >= found["total"]["records"]
        assert (await command("export", match_id, "--url", house.url))[1] == exported
        assert house.stop()[0] == 0, house.said()

    code, out, err = await command("verify", match_id, "--head", head, *place)
    assert code == 0, err
    assert out.decode().splitlines()[-1].startswith("fits:")
