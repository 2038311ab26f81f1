"""`sahrat play` says at once which matches it plays, and then how far it is."""

from __future__ import annotations

import pytest

from services.house.play import Played
from services.house.progress import Progress

ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def test_elsewhere_than_on_a_terminal_there_is_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now_s = 100.0
    progress = Progress(1, lambda: now_s)
    progress.began(ID)
    for _ in range(60):
        now_s += 0.5
        progress.going(300, 1)
    progress.ended(Played(1, match_id=ID, problems=["x"]))
    progress.clear()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"{ID} begins",
        *["0 of 1 match over, 300 records, 1 act of phones"] * 3,
        f"1/1 {ID} is not over, 1 problem",
    ]


def test_a_match_without_a_table_is_said_to_have_none(capsys: pytest.CaptureFixture[str]) -> None:
    Progress(1).ended(Played(1, problems=["x"]))
    assert capsys.readouterr().err.splitlines() == ["1/1 no table was opened, 1 problem"]


def test_on_a_terminal_one_line_is_written_anew(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress(2, lambda: 0.0)
    progress.began(ID)
    progress.going(1, 0)
    progress.going(2, 1)
    progress.ended(Played(1, match_id=ID, end="match.ended"))
    progress.clear()
    out, err = capsys.readouterr()
    assert out == ""
    said = [line.rsplit("\r\x1b[K", 1)[-1] for line in err.split("\n")]
    assert said == [f"{ID} begins", f"1/2 {ID} match.ended", ""]
    assert "0 of 2 matches over, 2 records, 1 act" in err
