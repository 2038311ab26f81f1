"""Who may send what, by the log alone: whatever a gateway lets through, nobody acts for another
(threats T02, T23; case C29).
"""

from __future__ import annotations

from typing import Any, Final, get_args

import pytest

from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.envelope import IntentRefused, SystemName
from sahrat.messages.reasons import Reason
from tests.unit.match.desk import Desk, gateway, line, player

SEATED: Final = (0, 1, 2, 3)
STRANGER: Final = 9
ALLOWED: Final = {
    "line.up": {"gateway"},
    "line.down": {"gateway"},
    "gateway.lost": {"gateway", "timer"},
    "clock.tick": {"timer"},
    "clock.due": {"timer"},
    "match.stop": {"timer", "operator"},
    "entries.held": {"wallet"},
    "entries.refused": {"wallet"},
}
"""Written down here once more, from the rules of each part."""


def of_the_house(desk: Desk, victim: int) -> list[Message]:
    """Everything that only parts of the house may say, against one player."""
    sitter = desk.state.sitters[desk.state.chair(player(victim))]
    return [
        m.LineUp(player_id=player(victim), line=line(99)),
        m.LineDown(player_id=player(victim), line=sitter.line),
        m.GatewayLost(gateway=gateway()),
        m.Tick(last_ms=0),
        m.Due(last_ms=desk.now_ms),
        m.StopMatch(reason="operator", operator="amal", detail="a lost match"),
        m.EntriesHeld(attempt=desk.state.attempt),
        m.EntriesRefused(attempt=desk.state.attempt, players=(player(victim),)),
    ]


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.table_of(*SEATED)
    desk.wait(20)
    return desk


def refused(answers: list[Any]) -> Reason:
    (answer,) = answers
    assert isinstance(answer, IntentRefused)
    return answer.reason


def test_T02_no_player_speaks_for_the_house_against_another(desk: Desk) -> None:
    records, tried = len(desk.records), 0
    for actor in (*SEATED, STRANGER):
        for victim in SEATED:
            for intent in of_the_house(desk, victim):
                answers = desk.put(desk.envelope(intent, who=actor))
                assert refused(answers) is Reason.WRONG_SENDER
                tried += 1
    assert (tried, len(desk.records)) == (160, records)


def test_T02_no_player_plays_on_the_step_of_another(desk: Desk) -> None:
    records, victim = len(desk.records), desk.on_turn()
    game = desk.match.game
    moves = [kind for kind in game.intents if "move" in str(kind.model_fields["type"].default)]
    intents: list[Message] = [game.bot(desk.state.board, "").model_copy(update={"number": "7"})]
    intents += [kind.model_validate({"pawn": pawn}) for kind in moves for pawn in range(4)]
    for actor in (*SEATED, STRANGER):
        if actor == victim:
            continue
        for intent in intents:
            envelope = desk.envelope(intent, who=actor, step=desk.state.step)
            due = Reason.NOT_SEATED if actor == STRANGER else Reason.NOT_YOUR_TURN
            assert refused(desk.put(envelope)) is due
    assert len(desk.records) == records


def test_T02_a_leave_is_the_senders_own(desk: Desk) -> None:
    assert desk.leave(STRANGER).reason is Reason.NOT_SEATED
    record = desk.leave(2)
    assert {getattr(event, "player_id", player(2)) for event in record.events} == {player(2)}


@pytest.mark.parametrize("name", get_args(SystemName))
def test_T23_each_part_of_the_house_says_only_what_is_its_to_say(desk: Desk, name: str) -> None:
    """Whoever has a worker's place in the log has no other's."""
    for intent in of_the_house(desk, 1):
        kind = str(getattr(intent, "type", ""))
        if name in ALLOWED[kind]:
            continue
        records = len(desk.records)
        assert refused(desk.put(desk.envelope(intent, system=name))) is Reason.WRONG_SENDER
        assert len(desk.records) == records
