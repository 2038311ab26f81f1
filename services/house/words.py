"""What `replay` says, in English and in Arabic: one sentence for each way an event can be.

A key is an event's type or, where its sentence depends on how it happened, type and manner. In both
languages a player keeps one form of the verb, whoever he or she is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Language = Literal["en", "ar"]


@dataclass(frozen=True, slots=True)
class Words:
    """One language.

    Attributes:
        sentences: By key; the braces name what `tell` puts in.
        terms: Single words by the name that they have in the log, after what they are of.
        comma: Stands between things of a list.
        right_to_left: How it is written.
    """

    sentences: Mapping[str, str]
    terms: Mapping[str, str]
    comma: str
    right_to_left: bool = False

    def term(self, kind: str, name: object) -> str:
        """Return a word, or the name itself where this language has none for it."""
        return self.terms.get(f"{kind}/{name}", str(name))


_ENGLISH_TABLE: Final = {
    "table.opened": (
        "a {stake} table of {game} is opened for {seats}: {options}; "
        "the secret of the dice is committed to as {commitment}"
    ),
    "seat.taken/player": "{who} sits down",
    "seat.taken/bot": "a bot takes an empty seat",
    "seat.freed/left": "{who} gets up",
    "seat.freed/away": "{who} was away for too long, and the seat is free again",
    "seat.freed/refused": "{who} has not enough coins, and the seat is free again",
    "funding.began": "the table is full: {coins} coins are to be held for each of {names}",
    "funding.failed": "the entries are not held, or go back; the table waits for players again",
    "entries.settled": "the pot of {pot} coins is shared out: {shares}; the fee is {fee}",
    "entries.refunded": "every entry of {coins} coins goes back: to {names}",
    "coins.earned": "coins are earned: {shares}",
    "match.started": "play begins: {seating}",
    "step.opened": "step {step}: {who} has {seconds} s",
    "step.timed_out": "the time of {who} is over, and the game plays step {step}",
    "player.present/again": "{who} has a line again",
    "player.present/returned": "{who} is back and plays again instead of the bot",
    "player.away/kept": "{who} has lost the line; the seat is kept for {seconds} s",
    "player.away/placed": "{who} has lost the line, and has nothing to lose by it",
    "player.left/left/bot": "{who} leaves, and a bot plays on",
    "player.left/left/nobody": "{who} leaves",
    "player.left/left/lost": "{who} leaves for good, and the entry is lost",
    "player.left/left/placed": "{who} leaves, and keeps place and prize",
    "player.left/away/bot": "{who} was away for too long, and a bot plays on",
    "player.left/away/nobody": "{who} was away for too long",
    "player.left/away/lost": "{who} was away for too long, and the entry is lost",
    "player.left/away/placed": "{who} was away for too long, and keeps place and prize",
    "match.resumed": "the house had stood still and is back: every clock goes on",
    "match.ended": "the match is over: {places}; the secret of the dice is {secret}",
    "match.stopped/stood_still": (
        "the match is stopped, since it stood still for too long; nobody loses; "
        "the secret of the dice is {secret}"
    ),
    "match.stopped/too_long": (
        "the match is stopped, since it is too long; nobody loses; "
        "the secret of the dice is {secret}"
    ),
    "match.stopped/fault": (
        "the match is stopped by a fault of the house; nobody loses; "
        "the secret of the dice is {secret}"
    ),
    "match.stopped/operator": (
        "the match is stopped by {operator}: {detail}; nobody loses; "
        "the secret of the dice is {secret}"
    ),
    "table.closed/empty": (
        "the table is closed, since nobody sits there; the secret of the dice is {secret}"
    ),
    "table.closed/idle": (
        "the table is closed, since nothing happened there; the secret of the dice is {secret}"
    ),
    "unknown": "something that this program has no words for: {said}",
}
_ENGLISH_LUDO: Final = {
    "ludo.rolled/none": "{who} rolls {value}, and no pawn may move",
    "ludo.rolled/one": "{who} rolls {value}",
    "ludo.rolled/several": "{who} rolls {value}; pawns {movable} may move",
    "ludo.pawn_moved/chosen": "{who} moves pawn {pawn} from {start} to {progress}",
    "ludo.pawn_moved/only_move": (
        "pawn {pawn} of {who}, the only one that may, moves from {start} to {progress}"
    ),
    "ludo.pawn_moved/alike": (
        "pawn {pawn} of {who}, one of several alike, moves from {start} to {progress}"
    ),
    "ludo.pawn_moved/clock": (
        "pawn {pawn} of {who} is moved by the game from {start} to {progress}"
    ),
    "ludo.pawn_captured": "{captor} sends pawn {pawn} of {who} back from {start} to the base",
    "ludo.rolls_again": "{who} rolls again: {why}",
    "ludo.turn_passed/no_move": "nothing could be moved; next is {who}",
    "ludo.turn_passed/third_six": "the third six in a row is void; next is {who}",
    "ludo.turn_passed/moved": "next is {who}",
    "ludo.turn_passed/finished": "next is {who}, who still plays",
    "ludo.turn_passed/left": "next is {who}, who stays",
    "ludo.seat_finished": "{who} has all pawns home: place {place}",
    "ludo.seat_left": "{who} is off the board: place {place}",
    "ludo.seat_remained": "{who} is the last one left: place {place}",
}
_ENGLISH_TERMS: Final = {
    "game/ludo": "Ludo",
    "stake/free": "free",
    "stake/coins": "{coins} coins",
    "option/players": "players",
    "option/step_seconds": "seconds for a step",
    "option/fill_seconds": "seconds until bots sit down",
    "seat/0": "red",
    "seat/1": "green",
    "seat/2": "yellow",
    "seat/3": "blue",
    "who/bot": "bot",
    "who/somebody": "somebody",
    "has": "{who} has {seat}",
    "placed": "{place}. {who}",
    "share": "{who} has {coins}",
    "square/base": "the base",
    "square/start": "the start",
    "square/track": "square {number}",
    "square/column": "column {number}",
    "square/home": "home",
    "again/six": "a six",
    "again/capture": "a capture",
    "again/home": "a pawn came home",
}

_ARABIC_TABLE: Final = {
    "table.opened": (
        "فُتحت طاولة {game} {stake} لعدد {seats}: {options}؛ والتزام سرّ النرد {commitment}"
    ),
    "seat.taken/player": "{who} يجلس إلى الطاولة",
    "seat.taken/bot": "لاعب آلي يشغل مقعدًا خاليًا",
    "seat.freed/left": "{who} يقوم عن الطاولة",
    "seat.freed/away": "طال غياب {who} فصار المقعد خاليًا",
    "seat.freed/refused": "لا تكفي عملات {who} فصار المقعد خاليًا",
    "funding.began": "اكتملت الطاولة: تُحجز {coins} عملة عن كل من {names}",
    "funding.failed": "لم تُحجز الرسوم أو أُعيدت، وتنتظر الطاولة لاعبين من جديد",
    "entries.settled": "تُقسم الحصيلة {pot} عملة: {shares}؛ ورسم الدار {fee}",
    "entries.refunded": "تُعاد رسوم الدخول كاملة، {coins} عملة لكل من {names}",
    "coins.earned": "عملات مكتسبة: {shares}",
    "match.started": "يبدأ اللعب: {seating}",
    "step.opened": "الخطوة {step}: أمام {who} مهلة {seconds} ثانية",
    "step.timed_out": "انتهت مهلة {who}، واللعبة تلعب الخطوة {step} عنه",
    "player.present/again": "عاد اتصال {who}",
    "player.present/returned": "عاد {who} ليلعب مكان اللاعب الآلي",
    "player.away/kept": "انقطع اتصال {who}، ويُحفظ مقعده {seconds} ثانية",
    "player.away/placed": "انقطع اتصال {who} ولا يخسر بذلك شيئًا",
    "player.left/left/bot": "غادر {who}، ويكمل لاعب آلي مكانه",
    "player.left/left/nobody": "غادر {who}",
    "player.left/left/lost": "غادر {who} نهائيًا وخسر رسم الدخول",
    "player.left/left/placed": "غادر {who} ويبقى له مركزه وجائزته",
    "player.left/away/bot": "طال غياب {who}، ويكمل لاعب آلي مكانه",
    "player.left/away/nobody": "طال غياب {who}",
    "player.left/away/lost": "طال غياب {who} فخسر رسم الدخول",
    "player.left/away/placed": "طال غياب {who} ويبقى له مركزه وجائزته",
    "match.resumed": "كانت الخدمة متوقفة وعادت: تستأنف كل المهل",
    "match.ended": "انتهت المباراة: {places}؛ سرّ النرد {secret}",
    "match.stopped/stood_still": (
        "أُوقفت المباراة لأنها توقفت طويلًا، ولا يخسر أحد؛ سرّ النرد {secret}"
    ),
    "match.stopped/too_long": "أُوقفت المباراة لطولها، ولا يخسر أحد؛ سرّ النرد {secret}",
    "match.stopped/fault": "أُوقفت المباراة لخلل في الخدمة، ولا يخسر أحد؛ سرّ النرد {secret}",
    "match.stopped/operator": (
        "أوقف {operator} المباراة: {detail}؛ ولا يخسر أحد؛ سرّ النرد {secret}"
    ),
    "table.closed/empty": "أُغلقت الطاولة إذ لم يبق عليها أحد؛ سرّ النرد {secret}",
    "table.closed/idle": "أُغلقت الطاولة إذ لم يحدث عليها شيء؛ سرّ النرد {secret}",
    "unknown": "أمر لا يعرف هذا البرنامج كلمات له: {said}",
}
_ARABIC_LUDO: Final = {
    "ludo.rolled/none": "رمى {who} النرد: {value}، ولا يمكن تحريك أي حجر",
    "ludo.rolled/one": "رمى {who} النرد: {value}",
    "ludo.rolled/several": "رمى {who} النرد: {value}؛ ويمكن تحريك الأحجار {movable}",
    "ludo.pawn_moved/chosen": "نقل {who} الحجر {pawn} من {start} إلى {progress}",
    "ludo.pawn_moved/only_move": (
        "انتقل الحجر {pawn} لدى {who} من {start} إلى {progress}، وهو الوحيد الممكن"
    ),
    "ludo.pawn_moved/alike": (
        "انتقل الحجر {pawn} لدى {who} من {start} إلى {progress}، وهو واحد من أحجار متماثلة"
    ),
    "ludo.pawn_moved/clock": "نقلت اللعبة الحجر {pawn} لدى {who} من {start} إلى {progress}",
    "ludo.pawn_captured": "أعاد {captor} الحجر {pawn} لدى {who} من {start} إلى القاعدة",
    "ludo.rolls_again": "يرمي {who} مرة أخرى: {why}",
    "ludo.turn_passed/no_move": "لا حركة ممكنة: الدور إلى {who}",
    "ludo.turn_passed/third_six": "الستة الثالثة على التوالي لا تُحسب: الدور إلى {who}",
    "ludo.turn_passed/moved": "الدور إلى {who}",
    "ludo.turn_passed/finished": "الدور إلى {who} الذي ما زال يلعب",
    "ludo.turn_passed/left": "الدور إلى {who} الباقي في اللعب",
    "ludo.seat_finished": "أوصل {who} كل أحجاره: المركز {place}",
    "ludo.seat_left": "خرجت أحجار {who} من اللوحة: المركز {place}",
    "ludo.seat_remained": "{who} آخر من بقي: المركز {place}",
}
_ARABIC_TERMS: Final = {
    "game/ludo": "لودو",
    "stake/free": "مجانية",
    "stake/coins": "بدخول {coins} عملة",
    "option/players": "اللاعبون",
    "option/step_seconds": "ثواني الخطوة",
    "option/fill_seconds": "ثواني انتظار اللاعبين الآليين",
    "seat/0": "الأحمر",
    "seat/1": "الأخضر",
    "seat/2": "الأصفر",
    "seat/3": "الأزرق",
    "who/bot": "لاعب آلي",
    "who/somebody": "أحدهم",
    "has": "{who} له {seat}",
    "placed": "{place}. {who}",
    "share": "{who} له {coins}",
    "square/base": "القاعدة",
    "square/start": "البداية",
    "square/track": "المربع {number}",
    "square/column": "مربع الممر {number}",
    "square/home": "البيت",
    "again/six": "ستة",
    "again/capture": "أسر حجر",
    "again/home": "وصول حجر إلى البيت",
}

WORDS: Final[Mapping[Language, Words]] = {
    "en": Words({**_ENGLISH_TABLE, **_ENGLISH_LUDO}, _ENGLISH_TERMS, ", "),
    "ar": Words({**_ARABIC_TABLE, **_ARABIC_LUDO}, _ARABIC_TERMS, "، ", right_to_left=True),
}
