"""`sahrat heads`, and `sahrat audit --heads`, as a person calls them on a house's folder."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from sahrat.messages import match as m
from sahrat.messages import topics
from tests.integration.command import sahrat
from tests.integration.kept import keep
from tests.unit.audit.forge import Forge, ended, settled, sit, stopped
from tests.unit.audit.story import Copy
from tests.unit.ledger.desk import player
from tests.unit.match.desk import START_MS

DAY: Final = date(1970, 1, 1) + timedelta(days=START_MS // topics.DAY_MS)
A, B = player(0), player(1)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SAHRAT_KAFKA", "SAHRAT_POSTGRES", "SAHRAT_DATA"):
        monkeypatch.delenv(name, raising=False)


def house(*, over: bool = True) -> tuple[Forge, list[str]]:
    """A log in which four matches ended, a fifth is on and a sixth damaged."""
    forge = Forge(copy=Copy({}, parts=topics.MATCH_PARTITIONS))
    forge.welcome(0, 1)
    ids = [forge.earn(1, A), forge.coin(2, A, B, entry=100), forge.open(3, A), forge.free(4, A, "")]
    forge.record(ids[1], settled(200, 20, (0, A, 180)), ended((0, 1), (1, 2)))
    forge.record(ids[2], m.TableClosed(why="idle", secret="5" * 64))
    forge.record(ids[3], stopped())
    forge.free(5, B, "")
    ids.append(forge.open(6, A))
    partition = topics.partition_of(ids[-1])
    forge.put((topics.EVENTS.name, partition), ids[-1].encode(), b"{}")
    if over:
        tick(forge.copy, DAY + timedelta(days=1))
    return forge, ids


def tick(copy: Copy, day: date) -> None:
    """Let the house be alive an hour into a day."""
    forge = Forge(copy=copy)
    forge.now_ms = (day - date(1970, 1, 1)).days * topics.DAY_MS + topics.HOUR_MS
    forge.put((topics.INTENTS.name, 3), b"@3", b"{}")


def heads(data: Path, day: object = DAY) -> tuple[int, bytes, str]:
    return sahrat("heads", str(day), "--data", str(data))


def held(data: Path, *files: Path) -> tuple[int, dict[str, Any], str]:
    """What an audit of lists says: in words, and the same as JSON."""
    code, words, err = sahrat("audit", "--data", str(data), "--heads", *map(str, files))
    assert err == ""
    again, out, err = sahrat("audit", "--data", str(data), "--json", "--heads", *map(str, files))
    said: dict[str, Any] = orjson.loads(out)
    assert (again, err, said["same"]) == (code, "", code == 0)
    return code, said, words.decode()


def publish(data: Path, forge: Forge, name: Path) -> Path:
    keep(data, forge.copy)
    code, out, _ = heads(data)
    assert code == 0
    name.write_bytes(out)
    return name


def test_a_day_is_listed_under_one_digest_and_found_again(tmp_path: Path) -> None:
    data, (forge, ids) = tmp_path / "house", house()
    keep(data, forge.copy)
    code, out, err = heads(data)
    assert code == 0
    first, *lines = out.decode().splitlines()
    rest = out.partition(b"\n")[2]
    assert first == f"digest {sha256(rest).hexdigest()}"
    assert lines[:3] == [f"day {DAY}", "matches 4", "damaged 1"]
    assert [line.split()[0] for line in lines[3:]] == sorted(ids)
    assert [line.split()[0] for line in lines if line.endswith(" damaged")] == [ids[-1]]
    assert f"4 matches ended on {DAY}; {first}" in err
    assert f"damaged: match {ids[-1]} after 1 record" in err
    for line in lines[3:7]:
        match_id, count, digest, *_ = line.split()
        code, exported, _ = sahrat("export", match_id, "--data", str(data))
        records = exported.splitlines()
        if match_id != ids[-1]:
            assert (len(records), sha256(records[-1]).hexdigest()) == (int(count), digest)
    name = tmp_path / "heads"
    name.write_bytes(out)
    code, said, words = held(data, name)
    assert code == 0
    assert words.splitlines() == [
        f"the same  {DAY}: 4 matches and 1 damaged as in {name}",
        f"digest    {first.split()[1]}: is this the one that was published?",
    ]
    (listed,) = said["lists"]
    assert (listed["matches"], listed["damaged"], listed["digest"]) == (4, 1, first.split()[1])


def test_whatever_is_not_as_listed_is_named(tmp_path: Path) -> None:
    data, (forge, ids) = tmp_path / "house", house(over=False)
    tick(forge.copy, DAY + timedelta(days=1))
    name = publish(data, forge, tmp_path / "heads")
    changed = forge.copy.rewrite(ids[0], lambda records: records[0].update(at_ms=START_MS + 1))
    place = (topics.EVENTS.name, topics.partition_of(ids[1]))
    kept = [one for one in changed.records[place] if one.key != ids[1].encode()]
    changed.records[place] = []
    forge.copy = changed
    for one in kept:
        forge.put(place, one.key, one.value)
    added = forge.open(9, B)
    forge.record(added, sit(A), m.TableClosed(why="idle", secret="5" * 64))
    shutil.rmtree(data)
    keep(data, changed)
    code, said, words = held(data, name)
    assert code == 1
    lines = words.splitlines()
    assert len(lines) == 3
    for match_id, what in ((ids[0], "rewritten"), (ids[1], "lost"), (added, "added")):
        (line,) = [line for line in lines if match_id in line]
        assert line.startswith(f"NOT THE SAME: {name} of {DAY}: match {match_id} was {what}: ")
    changes = {one["match_id"]: one["what"] for one in said["lists"][0]["changes"]}
    assert changes == {ids[0]: "rewritten", ids[1]: "lost", added: "added"}


def test_a_file_with_a_changed_line_is_named_and_so_is_its_match(tmp_path: Path) -> None:
    data, (forge, ids) = tmp_path / "house", house()
    name = publish(data, forge, tmp_path / "heads")
    sound = tmp_path / "sound"
    shutil.copy(name, sound)
    lines = name.read_text().splitlines(keepends=True)
    where = next(at for at, line in enumerate(lines) if line.startswith(ids[2]))
    lines[where] = lines[where].replace(f"{ids[2]} 2 ", f"{ids[2]} 3 ")
    name.write_text("".join(lines))
    code, said, words = held(data, name, sound)
    assert code == 1
    assert "it was changed: its lines come to the digest" in words.splitlines()[0]
    assert f"match {ids[2]} was rewritten: 3 records to " in words.splitlines()[1]
    assert [one["same"] for one in said["lists"]] == [False, True]


def test_an_empty_day_and_one_that_is_not_over(tmp_path: Path) -> None:
    data, (forge, _) = tmp_path / "house", house(over=False)
    keep(data, forge.copy)
    code, out, err = heads(data, DAY - timedelta(days=1))
    rest = f"day {DAY - timedelta(days=1)}\nmatches 0\ndamaged 0\n"
    assert (code, out.decode().partition("\n")[2]) == (0, rest)
    assert err.startswith("0 matches ended on ")
    name = tmp_path / "heads"
    name.write_bytes(out)
    assert held(data, name)[0] == 0
    for day in (DAY, DAY + timedelta(days=400)):
        code, out, err = heads(data, day)
        assert (code, out, err.count("\n")) == (2, b"", 1)
        assert f"{day} is not over by the log's time, which is {DAY} " in err
    future = f"day {DAY}\nmatches 0\ndamaged 0\n"
    name.write_text(f"digest {sha256(future.encode()).hexdigest()}\n{future}")
    code, _, words = held(data, name)
    assert code == 1
    assert f"{DAY} is not over by the log's time" in words


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("heads", "30.11.2026"), "does not match the format '%Y-%m-%d'. See: sahrat heads --help"),
        (("heads", "2026-02-30"), "does not match the format"),
        (("heads",), "Missing argument 'DAY'"),
        (("heads", "2026-11-30", "--url", "http://127.0.0.1:9"), "No such option: --url"),
        (("audit", "--heads"), "--heads and the files that `sahrat heads` wrote go together"),
        (("audit", "FILE"), "--heads and the files that `sahrat heads` wrote go together"),
        (("audit", "--heads", "FILE", "--since", "2026-11-30"), "--heads looks at no coin"),
        (("audit", "--heads", "FILE"), "FILE: No such file or directory"),
        (("audit", "--heads", "."), ".: Is a directory"),
    ],
)
def test_what_cant_be_done_is_said_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    data = tmp_path / "house"
    keep(data, Copy({}))
    code, out, err = sahrat(*arguments, "--data", str(data))
    assert (code, out, err.count("\n")) == (2, b"", 1)
    assert told in err


def test_a_file_that_is_no_list_and_a_house_that_is_none(tmp_path: Path) -> None:
    data, name = tmp_path / "house", tmp_path / "no list"
    code, out, err = heads(data)
    assert (code, out, err.count("\n")) == (2, b"", 1)
    assert "no log in" in err
    keep(data, Copy({}))
    code, out, err = heads(data)
    assert (code, out, err.count("\n")) == (2, b"", 1)
    assert "the log is empty" in err
    for content, line in ((b"", 1), (b"\x00" * 1000, 1), (b"digest " + b"0" * 64 + b"\nday x", 2)):
        name.write_bytes(content)
        code, out, err = sahrat("audit", "--data", str(data), "--heads", str(name))
        assert (code, out, err.count("\n")) == (2, b"", 1)
        assert f"{name}: no list of heads: line {line} is not " in err
