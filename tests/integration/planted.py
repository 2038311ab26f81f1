"""Read models with matches that nobody played, made row by row: what is planted in them is known.

It shares no code with the projection or the games: a seed says who sits where, who captures whom
and who wins, and the rows say no more than that.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import psycopg
from psycopg.types.json import Jsonb

FIRST_DAY = datetime(2025, 3, 1, tzinfo=UTC)
DAY_MS = 86_400_000
OTHERS = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}


def player(n: int) -> str:
    return f"00000000-0000-7000-8000-{n:012d}"


@dataclass
class Planted:
    """Rows of read models, by table."""

    seed: int = 1
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    entries: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def put(self, table: str, *row: Any) -> None:
        self.rows.setdefault(table, []).append(row)

    def match(
        self,
        day: int,
        sitters: Sequence[int | None],
        places: Sequence[int],
        *,
        entry: int = 0,
        game: str = "ludo",
        options: Mapping[str, Any] | None = None,
        records: Sequence[tuple[str, Sequence[Mapping[str, Any]]]] = (),
        left: Sequence[int] = (),
        hour: int = 12,
    ) -> str:
        """Add a match that ended on a day (0: the first).

        Args:
            day: Number of the day.
            sitters: Players by seat in order; None: a bot.
            places: Their places.
            entry: Of each, in coins.
            game: Which.
            options: Of the table.
            records: Sender and events of each record between start and end.
            left: Sitters, by order, who left.
            hour: At which it began.
        """
        number = len(self.rows.get("matches", ()))
        match_id = f"00000000-0001-7000-8000-{number:012d}"
        began = FIRST_DAY + timedelta(days=day, hours=hour)
        ended = began + timedelta(minutes=10)
        seats = OTHERS[len(sitters)]
        self.put(
            "matches", match_id, 0, game, f"{game}/2", Jsonb(dict(options or {})), len(sitters),
            entry, "k1", "0" * 64, "ended", began, began, ended, "finished", None, None, "1" * 64,
            len(records) + 2, "2" * 64,
        )  # fmt: skip
        for order, (who, seat) in enumerate(zip(sitters, seats, strict=True)):
            bot = who is None
            name = None if who is None else player(who)
            self.put("match_seats", match_id, order, seat, name, "", bot, order in left, began)
            self.put("match_standings", match_id, seat, places[order])
            if name is not None:
                self.put(
                    "player_matches", name, match_id, seat, game, entry, began, ended, "finished",
                    places[order], False,
                )  # fmt: skip
        for seq, (sender, events) in enumerate(records, start=2):
            at_ms = round(began.timestamp() * 1000) + seq * 1000
            value = orjson.dumps(
                {"at_ms": at_ms, "caused_by": {"sender": sender}, "events": events}
            )
            self.put("records", match_id, seq, 0, number * 10_000 + seq, value)
        return match_id

    def moved(
        self, kind: str, match_id: str | None, at: datetime, changes: Mapping[int, int]
    ) -> None:
        """Add a journal entry that changes what these players may spend."""
        self.entries += 1
        entry = self.entries
        self.put(
            "journal_entries", entry, entry, at, entry, f"{kind}:{entry}", kind, match_id,
            Jsonb({}), Jsonb({}), None, [], "3" * 64,
        )  # fmt: skip
        for posting, (who, coins) in enumerate(changes.items()):
            account, other = f"player:{player(who)}", "grants" if kind == "reward" else "fee"
            pair = (other, account) if coins > 0 else (account, other)
            self.put("postings", entry, posting, *pair, abs(coins))
            self.put("wallet_changes", player(who), entry, coins, 0, 1_000_000, 0)

    def pay(self, match_id: str, day: int, kind: str, changes: Mapping[int, int]) -> None:
        """Add what a match brought these players."""
        self.moved(kind, match_id, FIRST_DAY + timedelta(days=day, hours=13), changes)

    def write(self, dsn: str) -> None:
        """Add all rows to the live tables."""
        with psycopg.connect(dsn, autocommit=False) as connection:
            for table, rows in self.rows.items():
                with connection.cursor().copy(f"copy live.{table} from stdin") as copy:
                    for row in rows:
                        copy.write_row(row)
            connection.commit()
            connection.execute("analyze")


def capture(captor: int, victim: int) -> dict[str, Any]:
    """An event, by seats."""
    return {
        "type": "ludo.pawn_captured", "seat": victim, "pawn": 0, "start": 20, "captor": captor,
    }  # fmt: skip


def roll(index: int, seat: int, value: int) -> dict[str, Any]:
    """An event."""
    return {
        "type": "ludo.rolled", "index": index, "seat": seat, "number": "7", "value": value,
        "movable": [],
    }  # fmt: skip
