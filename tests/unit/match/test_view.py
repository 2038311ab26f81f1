"""What anybody may see of a match: all that a client needs to draw it, and nothing else."""

from __future__ import annotations

import random
from typing import Any, Final

from sahrat.games import wire
from sahrat.games.ludo.messages import MovePawn, RollDie
from sahrat.match.match import digest_of
from sahrat.match.view import Snapshot, snapshot, view
from sahrat.messages import match as m
from sahrat.messages.codec import Codec, encode
from tests.unit.match.desk import Desk, FixedKeys, line, player

SNAPSHOTS: Final[Codec[Snapshot[Any]]] = Codec(
    Snapshot.__class_getitem__(wire.any_of(wire.BOARD_TYPES))
)


def seen(desk: Desk) -> Snapshot[Any]:
    """The snapshot as a phone decodes it."""
    return SNAPSHOTS.decode(encode(snapshot(desk.match)))


def board(desk: Desk) -> Any:
    found = seen(desk).state.board
    assert found is not None
    return found


def play(desk: Desk, seed: int, steps: int) -> None:
    rng = random.Random(seed)
    for _ in range(steps):
        if not desk.match.live:
            return
        shown = board(desk)
        who, step = desk.on_turn(), desk.state.step
        if shown.roll:
            desk.send(MovePawn(pawn=rng.choice(shown.movable)), who=who, step=step)
        else:
            desk.send(RollDie(number=str(rng.getrandbits(64))), who=who, step=step)


def test_an_open_table_has_sitters_and_no_board() -> None:
    desk = Desk()
    desk.open()
    found = seen(desk)
    assert (found.seq, found.digest) == (1, digest_of(desk.values[0]))
    assert found.state.phase == "open"
    assert [sitter.seat for sitter in found.state.sitters] == [None]
    assert found.state.fill_ms == desk.now_ms + 15_000
    assert found.state.board is None
    assert found.state.step_seat is None


def test_every_choice_of_a_match_can_be_made_from_its_snapshots() -> None:
    desk = Desk()
    desk.table_of(0, 1, 2, 3)
    play(desk, seed=7, steps=5000)
    found = seen(desk)
    assert found.state.phase == "ended"
    assert board(desk).turn is None
    assert [place.place for place in found.state.places] == [1, 2, 3, 4]
    assert not any(type(answer).__name__ == "IntentRefused" for answer in desk.answers)


def test_presence_and_bots_are_shown() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    desk.send(m.LineDown(player_id=player(0), line=line(0)), system="gateway")
    away = next(s for s in seen(desk).state.sitters if s.player_id == player(0))
    assert (away.present, away.bot, away.away_ms) == (False, False, desk.now_ms + 60_000)
    desk.wait(61).due()
    gone = next(s for s in seen(desk).state.sitters if s.player_id == player(0))
    assert (gone.present, gone.bot, gone.left) == (False, True, False)


def test_a_snapshot_holds_no_secret_and_no_number() -> None:
    """Case C25: neither the secret nor what players mixed into the dice."""
    desk = Desk()
    desk.table_of(0, 1)
    play(desk, seed=1, steps=20)
    text = view(desk.match.game, desk.state).model_dump_json()
    secret = FixedKeys().dealer("k1", desk.match_id).reveal()
    assert secret not in text
    assert not any(name in text for name in ("number", "key_id", "commitment", "line", "gateway"))
