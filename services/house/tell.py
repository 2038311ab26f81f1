"""A match told in words, event by event, from its records alone.

Nothing here trusts them: what can't be read, or is of a newer version, is told as it stands.
Pawns are counted from 1, and a square is told by how far it is along the pawn's own path.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from sahrat import games
from sahrat.games.carrom import messages as carrom
from sahrat.games.game import TableOptions
from sahrat.games.ludo import messages as ludo
from sahrat.games.pachisi import messages as pachisi
from sahrat.games.wire import EVENT_TYPES, any_of
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import Codec, Poison
from services.house import tell_carrom, tell_ludo, tell_pachisi
from services.house.words import WORDS, Language, Said, Words

_EVENTS: Final[Codec[Message]] = Codec(any_of(EVENT_TYPES))
_GAMES: Final = (
    ("ludo", ludo.EVENTS, tell_ludo.said),
    ("pachisi", pachisi.EVENTS, tell_pachisi.said),
    ("carrom", carrom.EVENTS, tell_carrom.said),
)
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_DIRECTIONS: Final = ("L", "R", "AL")  # of letters; spaces and digits go with them
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"  # an editor's: a match can be told all the same
PAIR: Final = 2  # players with two colours each
SAID_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class Line:
    """One event in words.

    Attributes:
        seq: The record's number; 0 for a line that is no record.
        since_ms: Time since the match's first record.
        first: Whether it is the first event of its record.
        kind: The event's type; empty for what has no words.
    """

    seq: int
    since_ms: int
    first: bool
    text: str
    kind: str = ""


def tell(values: Sequence[bytes], language: Language = "en") -> Iterator[Line]:
    """Tell a match.

    Args:
        values: Its records as stored, in order.
        language: In which words.
    """
    story = _Story(WORDS[language])
    for value in values:
        try:
            record = orjson.loads(value.removeprefix(_BYTE_ORDER_MARK))
            seq, events = int(record["seq"]), _texts(record["events"])
            at_ms, cause_ms = int(record["at_ms"]), int(record["caused_by"]["at_ms"])
        except (ValueError, KeyError, TypeError):
            yield Line(0, 0, True, story.unknown(value.decode(errors="replace")))
            continue
        story.begin(at_ms, cause_ms)
        for number, event in enumerate(events):
            text = story.take(event)
            yield Line(seq, story.since_ms, number == 0, text, story.kind)


def seated(values: Sequence[bytes], language: Language = "en") -> list[str]:
    """Return who sits at the table at the end of some records, by name, colour and label."""
    story = _Story(WORDS[language])
    for value in values:
        try:
            events = _texts(orjson.loads(value.removeprefix(_BYTE_ORDER_MARK))["events"])
        except (ValueError, KeyError, TypeError):
            continue
        for event in events:
            story.take(event)
    return story.seated()


def _texts(events: Iterable[object]) -> list[bytes]:
    """Return events as they stand. Raises TypeError for what is no list, and where one is nested
    deeper than the library writes, though it has read it.
    """
    return [orjson.dumps(event) for event in events]


def clock(since_ms: int) -> str:
    """Return a time since the start as minutes, seconds and tenths."""
    tenths = since_ms // 100
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"


@dataclass(slots=True)
class _Sitter:
    player_id: str
    nickname: str
    bot: bool


@dataclass(slots=True)
class _Story:
    """Who sits where, as far as the match is told.

    Attributes:
        two_colours: Each of two players has two seats of the game, and is named by the lower one.
        freed: Why the last seat was given up before play began.
        kind: The type of the last event that had words.
        away: Players whose line is lost, by id.
    """

    words: Words
    game: str = ""
    two_colours: bool = False
    started_ms: int | None = None
    at_ms: int = 0
    cause_ms: int = 0
    entry_coins: int = 0
    freed: str = ""
    kind: str = ""
    away: dict[str, None] = field(default_factory=dict)
    sitters: list[_Sitter] = field(default_factory=list)
    seats: dict[int, _Sitter] = field(default_factory=dict)

    @property
    def since_ms(self) -> int:
        return max(0, self.at_ms - (self.started_ms or 0))

    def begin(self, at_ms: int, cause_ms: int) -> None:
        if self.started_ms is None:
            self.started_ms = at_ms
        self.at_ms, self.cause_ms = at_ms, cause_ms

    def take(self, event: bytes) -> str:
        """Return an event in words, and remember what it changes."""
        self.kind = ""
        try:
            found = _EVENTS.decode(event)
        except Poison:
            return self.unknown(event.decode())
        self.kind = str(getattr(found, "type", ""))
        key, parts = self._of_game(found) or self._match(found)
        text = self.words.sentences[key].format(**parts)
        self._follow(found)
        return text

    def _of_game(self, event: Message) -> Said | None:
        """Return an event of some game in words; None for one of the table's."""
        for game, events, said in _GAMES:
            if isinstance(event, events):
                self.game = game
                return said(event, self.words, self._who)
        return None

    def unknown(self, text: str) -> str:
        """Return what has no words, as it stands, without anything that moves a cursor."""
        plain = "".join(c if c.isprintable() else "?" for c in text[:SAID_CHARS])
        return self.words.sentences["unknown"].format(said=plain)

    # ---- who

    def _follow(self, event: Message) -> None:
        match event:
            case m.TableOpened():
                self.game, self.entry_coins = event.game, event.entry_coins
                self.two_colours = event.options.get("two_colours") == "on"
            case m.SeatTaken():
                self.sitters.append(_Sitter(event.player_id, event.nickname, event.bot))
            case m.SeatFreed():
                self.freed = event.why
                self.sitters = [s for s in self.sitters if s.player_id != event.player_id]
            case m.MatchStarted():
                self.seats = self._seated(event)
            case m.PlayerLeft():
                self._player(event.player_id).bot = event.bot
            case m.PlayerAway():
                self.away[event.player_id] = None
            case m.PlayerPresent():
                self._player(event.player_id).bot = False
                self.away.pop(event.player_id, None)
            case _:
                pass

    def _seated(self, event: m.MatchStarted) -> dict[int, _Sitter]:
        return {
            seat: self.sitters[sitter]
            for seat, sitter in zip(event.seats, event.dealt, strict=False)
            if sitter < len(self.sitters)
        }

    def seated(self) -> list[str]:
        """Return who sits there, in the order of the seats, or of sitting down before play."""
        if self.seats:
            return [self._who(seat) for seat in self.seats]
        return [self._name(sitter) for sitter in self.sitters]

    def _player(self, player_id: str) -> _Sitter:
        unknown = _Sitter(player_id, "", bot=False)
        return next((s for s in self.sitters if s.player_id == player_id), unknown)

    def _who(self, seat: int) -> str:
        """Return who sits there and in which colour; a bot is labelled, whoever's seat it plays."""
        colour = self.words.term(f"{self.game}.seat", seat)
        sitter = self.seats.get(seat % PAIR if self.two_colours else seat)
        if sitter is None:
            return colour
        bot = self.words.term("who", "bot")
        if not sitter.nickname:
            return f"{bot} ({colour})"
        labels = self.words.comma.join([colour, bot] if sitter.bot else [colour])
        return f"{self._name(sitter)} ({labels})"

    def _someone(self, player_id: str) -> str:
        for seat, sitter in self.seats.items():
            if sitter.player_id == player_id:
                return self._who(seat)
        return self._name(self._player(player_id))

    def _name(self, sitter: _Sitter) -> str:
        """Return a nickname, marked off where it is written in the other direction."""
        if sitter.bot and not sitter.nickname:
            return self.words.term("who", "bot")
        name = sitter.nickname or self.words.term("who", "somebody")
        directions = [d for d in map(unicodedata.bidirectional, name) if d in _DIRECTIONS]
        foreign = bool(directions) and (directions[0] == "L") is self.words.right_to_left
        return f"{_ISOLATE}{name}{_END_ISOLATE}" if foreign else name

    # ---- what

    def _match(self, event: Message) -> Said:
        match event:
            case m.TableOpened():
                return "table.opened", self._opened(event)
            case m.SeatTaken():
                sitter = _Sitter(event.player_id, event.nickname, event.bot)
                manner = "bot" if event.bot else "player"
                return f"seat.taken/{manner}", {"who": self._name(sitter)}
            case m.SeatFreed():
                return f"seat.freed/{event.why}", {"who": self._someone(event.player_id)}
            case m.MatchStarted():
                return "match.started", {"seating": self._seating(event)}
            case m.StepOpened() | m.StepTimedOut():
                return self._step(event)
            case m.PlayerPresent() | m.PlayerAway() | m.PlayerLeft():
                return self._presence(event)
            case m.MatchResumed():
                return "match.resumed", {}
            case m.FundingBegan() | m.FundingFailed() | m.EntriesRefunded():
                return self._entries(event)
            case m.EntriesSettled():
                parts = {"pot": event.pot_coins, "fee": event.fee_coins}
                return event.type, {**parts, "shares": self._shares(event.prizes)}
            case m.CoinsEarned():
                return event.type, {"shares": self._shares(event.rewards, "earns")}
            case m.MatchEnded() | m.MatchStopped() | m.TableClosed():
                return self._end(event)
            case _:
                said = event.model_dump_json()[:SAID_CHARS]
                return "unknown", {"said": said}

    def _opened(self, event: m.TableOpened) -> dict[str, object]:
        words = self.words
        stake = words.term("stake", "free")
        if event.entry_coins:
            stake = words.terms["stake/coins"].format(coins=event.entry_coins)
        options = words.comma.join(
            f"{words.term('option', name)} {value}" for name, value in _worth_saying(event)
        )
        return {
            "game": words.term("game", event.game),
            "stake": stake,
            "seats": event.seats,
            "options": options,
            "commitment": event.commitment,
        }

    def _seating(self, event: m.MatchStarted) -> str:
        has = self.words.terms["has"]
        return self.words.comma.join(
            has.format(who=self._name(sitter), seat=self.words.term(f"{self.game}.seat", seat))
            for seat, sitter in self._seated(event).items()
        )

    def _seconds(self, until_ms: int) -> str:
        return f"{max(0, until_ms - self.cause_ms) / 1000:g}"

    def _step(self, event: m.StepOpened | m.StepTimedOut) -> Said:
        parts: dict[str, object] = {"step": event.step, "who": self._who(event.seat)}
        if isinstance(event, m.StepTimedOut):
            return "step.timed_out", parts
        return "step.opened", parts | {"seconds": self._seconds(event.deadline_ms)}

    def _presence(self, event: m.PlayerPresent | m.PlayerAway | m.PlayerLeft) -> Said:
        parts: dict[str, object] = {"who": self._someone(event.player_id)}
        match event:
            case m.PlayerPresent():
                was_away = event.player_id in self.away
                manner = "again" if was_away else "other"
                return f"player.present/{'returned' if event.returned else manner}", parts
            case m.PlayerAway(until_ms=0):
                return "player.away/placed", parts
            case m.PlayerAway():
                return "player.away/kept", parts | {"seconds": self._seconds(event.until_ms)}
            case m.PlayerLeft():
                return f"player.left/{event.why}/{self._manner(event)}", parts

    def _manner(self, event: m.PlayerLeft) -> str:
        if event.bot:
            return "bot"
        if event.kept:
            return "placed"
        return "lost" if self.entry_coins else "nobody"

    def _entries(self, event: m.FundingBegan | m.FundingFailed | m.EntriesRefunded) -> Said:
        if isinstance(event, m.FundingFailed):
            return f"{event.type}/{'refused' if self.freed == 'refused' else 'left'}", {}
        names = self.words.comma.join(self._someone(player_id) for player_id in event.players)
        return event.type, {"coins": event.entry_coins, "names": names}

    def _shares(self, prizes: Sequence[m.Prize], term: str = "share") -> str:
        share = self.words.terms[term]
        return self.words.comma.join(
            share.format(who=self._who(prize.seat), coins=prize.coins) for prize in prizes
        )

    def _end(self, event: m.MatchEnded | m.MatchStopped | m.TableClosed) -> Said:
        parts: dict[str, object] = {"secret": event.secret}
        match event:
            case m.MatchEnded():
                places = self.words.comma.join(
                    self.words.terms["placed"].format(place=p.place, who=self._who(p.seat))
                    for p in event.places
                )
                return "match.ended", parts | {"places": places}
            case m.MatchStopped():
                parts |= {"operator": event.operator, "detail": event.detail}
                return f"match.stopped/{event.reason}", parts
            case m.TableClosed():
                return f"table.closed/{event.why}", parts


def _worth_saying(event: m.TableOpened) -> Iterator[tuple[str, object]]:
    """Yield a table's options by name: those that every game has, and what is not as usual."""
    game = games.current(event.game)
    usual = {} if game is None else game.options.model_fields
    for name, value in event.options.items():
        if name == "fill_seconds" and event.entry_coins:
            continue  # no bot ever sits down there
        if (
            name in ("players", *TableOptions.model_fields)
            or name not in usual
            or value != usual[name].default
        ):
            yield name, value
