"""What the lobby says of tables: those at which one may sit, and those at which one may look on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sahrat.messages.base import Coins, Count, Id, Message, Name, Nickname, Options, UnixMs

Size = Annotated[int, Field(ge=1, le=4)]


class OpenTable(Message):
    """A table that waits for players."""

    match_id: Id
    rules: Name
    options: Options
    size: Size
    entry_coins: Coins
    players: tuple[Nickname, ...]
    fill_ms: UnixMs


class RunningSeat(Message):
    """Who has a seat; `nickname` is empty for a bot that filled it. `bot`: one plays it now."""

    nickname: Nickname
    bot: bool


class RunningMatch(Message):
    """A match in play, which anybody may watch; `step`: so many it has come to."""

    match_id: Id
    rules: Name
    entry_coins: Coins
    seats: Annotated[tuple[RunningSeat, ...], Field(max_length=4)]
    step: Count


class Lobby(Message):
    """The open tables, oldest first, the first hundred of them; and the matches that were opened
    last of those that are played. `open` and `playing`: how many there are of each.
    """

    type: Literal["lobby"] = "lobby"
    tables: tuple[OpenTable, ...]
    running: tuple[RunningMatch, ...]
    open: Count
    playing: Count
