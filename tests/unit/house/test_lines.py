import io
import json

from services.house.lines import Lines


def test_json_stays_json_whatever_a_worker_says() -> None:
    out = io.BytesIO()
    lines = Lines("json", out)
    lines.say("rules-1", b'{"event":"serving"}')
    lines.say("rules-1", b"Fatal Python error: \xff")
    first, second = [json.loads(line) for line in out.getvalue().splitlines()]
    assert first == {"event": "serving"}
    assert (second["service"], second["event"]) == ("rules-1", "Fatal Python error: \ufffd")


def test_for_people_each_line_names_its_worker() -> None:
    out = io.BytesIO()
    Lines("console", out).say("rules-1", b"serving")
    assert out.getvalue() == b"rules-1      serving\n"
