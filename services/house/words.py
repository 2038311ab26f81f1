"""What `replay` says, in English and in Arabic: one sentence for each way an event can be.

A key is an event's type or, where its sentence depends on how it happened, type and manner. In both
languages a player keeps one form of the verb, whoever he or she is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from services.house import words_carrom, words_ludo, words_pachisi

Said = tuple[str, dict[str, object]]
"""The key of a sentence, and what is put into it."""
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
    "funding.failed/refused": "no entry is held; the table waits for players again",
    "funding.failed/left": (
        "the table is not full any more: what is held of the entries goes back, and it waits for "
        "players again"
    ),
    "entries.settled": "the pot of {pot} coins is shared out: {shares}; the fee is {fee}",
    "entries.refunded": "every entry of {coins} coins goes back: to {names}",
    "coins.earned": "coins are earned, as far as what a day may bring allows: {shares}",
    "match.started": "play begins: {seating}",
    "step.opened": "step {step}: {who} has {seconds} s",
    "step.timed_out": "the time of {who} is over, and the game plays step {step}",
    "player.present/again": "{who} has a line again",
    "player.present/other": "{who} goes on over another line",
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
    "player.left/missed/bot": "{who} has missed too many steps, and a bot plays on",
    "player.left/missed/nobody": "{who} has missed too many steps",
    "player.left/missed/lost": "{who} has missed too many steps, and the entry is lost",
    "player.left/missed/placed": "{who} has missed too many steps, and keeps place and prize",
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
_ENGLISH_TERMS: Final = {
    "stake/free": "free",
    "stake/coins": "{coins} coins",
    "option/step_seconds": "seconds for a step",
    "option/fill_seconds": "seconds until bots sit down",
    "option/missed_limit": "steps that may be missed in a row",
    "who/bot": "bot",
    "who/somebody": "somebody",
    "has": "{who} has {seat}",
    "placed": "{place}. {who}",
    "share": "{who} has {coins}",
    "earns": "{who} up to {coins}",
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
    "funding.failed/refused": "لم يُحجز رسم أحد، وتنتظر الطاولة لاعبين من جديد",
    "funding.failed/left": "لم تعد الطاولة مكتملة: يُعاد ما حُجز من الرسوم، وتنتظر لاعبين من جديد",
    "entries.settled": "تُقسم الحصيلة {pot} عملة: {shares}؛ ورسم الدار {fee}",
    "entries.refunded": "تُعاد رسوم الدخول كاملة، {coins} عملة لكل من {names}",
    "coins.earned": "عملات مكتسبة في حدود ما يسمح به اليوم: {shares}",
    "match.started": "يبدأ اللعب: {seating}",
    "step.opened": "الخطوة {step}: أمام {who} مهلة {seconds} ثانية",
    "step.timed_out": "انتهت مهلة {who}، واللعبة تلعب الخطوة {step} عنه",
    "player.present/again": "عاد اتصال {who}",
    "player.present/other": "يتابع {who} من اتصال آخر",
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
    "player.left/missed/bot": "فاتت {who} خطوات كثيرة، ويكمل لاعب آلي مكانه",
    "player.left/missed/nobody": "فاتت {who} خطوات كثيرة",
    "player.left/missed/lost": "فاتت {who} خطوات كثيرة فخسر رسم الدخول",
    "player.left/missed/placed": "فاتت {who} خطوات كثيرة ويبقى له مركزه وجائزته",
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
_ARABIC_TERMS: Final = {
    "stake/free": "مجانية",
    "stake/coins": "بدخول {coins} عملة",
    "option/step_seconds": "ثواني الخطوة",
    "option/fill_seconds": "ثواني انتظار اللاعبين الآليين",
    "option/missed_limit": "خطوات يجوز تفويتها على التوالي",
    "who/bot": "لاعب آلي",
    "who/somebody": "أحدهم",
    "has": "{who} له {seat}",
    "placed": "{place}. {who}",
    "share": "{who} له {coins}",
    "earns": "{who} حتى {coins}",
}

WORDS: Final[Mapping[Language, Words]] = {
    "en": Words(
        _ENGLISH_TABLE | words_ludo.ENGLISH | words_pachisi.ENGLISH | words_carrom.ENGLISH,
        _ENGLISH_TERMS
        | words_ludo.ENGLISH_TERMS
        | words_pachisi.ENGLISH_TERMS
        | words_carrom.ENGLISH_TERMS,
        ", ",
    ),
    "ar": Words(
        _ARABIC_TABLE | words_ludo.ARABIC | words_pachisi.ARABIC | words_carrom.ARABIC,
        _ARABIC_TERMS
        | words_ludo.ARABIC_TERMS
        | words_pachisi.ARABIC_TERMS
        | words_carrom.ARABIC_TERMS,
        "، ",
        right_to_left=True,
    ),
}
