"""Names: what may be one, and that none passes for the label of a bot (threat T15)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.gateway.core import nickname


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("سالم", "سالم"),
        ("  Anna   Maria ", "Anna Maria"),
        ("e\u0301", "é"),
        ("مُحَمَّد", "مُحَمَّد"),
        ("علي", "علي"),
        ("Abbott", "Abbott"),
        ("Thabo T", "Thabo T"),
        ("7", "7"),
        ("李小龙", "李小龙"),
        ("🎲 Ali", "🎲 Ali"),
        ("<b>x</b>", "<b>x</b>"),
        ("x' or 1=1 --", "x' or 1=1 --"),
    ],
)
def test_names_that_may_be(text: str, kept: str) -> None:
    assert nickname.check(text) == (kept, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u00a0",
        "a\u00a0b",
        "س" * 21,
        "ab\x00c",
        "a\nb",
        "a\u202eb",
        "a\u2066b",
        "a\u200bb",
        "a\u200db",
        "\ufeffa",
        "\u061ca",
        "\u3164",
        "\u115f",
        "\u2800",
        "a\ufe0f",
        "\ue000",
        "...",
        "🎲",
        "\u0301",
        "a\u0300\u0301\u0302",
        "\ud800",
        "\u2028",
    ],
)
def test_names_that_may_not_be(text: str) -> None:
    name, why = nickname.check(text)
    assert name == ""
    assert why


@pytest.mark.parametrize(
    "text",
    [
        "لاعب آلي",
        "لاعب الي",
        "لاعب آلى",
        "لاعِبٌ آلِيّ",
        "لـاعـب آلـي",
        "لاعب  آلي",
        "لاعبآلي",
        "ل ا ع ب آ ل ي",
        "لاعب-آلي",
        "«لاعب آلي»",
        "لاعب آلي 2",
        "٢ لاعب آلي",
        "لاعب ٱلي",
        "ڵاعب آلي",
        "لاعب آلی",
        "bot",
        "Bot",
        "BOT",
        "b o t",
        "b.o.t",
        "b_o_t",
        "bot1",
        "bot ٢",
        "7 bot",
        "the bot",
        "b0t",
        "8ot",
        "bo7",
        "ｂｏｔ",
        "𝐛𝐨𝐭",
        "ⓑⓞⓣ",
        "вот",
        "bοt",
        "bоt",
        "bo\u0323t",
        "بوت",
        "بوت ٣",
        "ʙᴏᴛ",
        "ßot",
        "ẞOT",
        "Ƅot",
        "ƅot",
        "6ot",
        "b〇t",
        "b○t",
        "bo†",
        "🅱🅾🆃1",
        "🅱🅾🆃 Salem",
        "🄱🄾🅃",
        "🇧🇴🇹",
        "ᗷOT",
        "Ꮟot",
        "ხot",
        "ɓot",
        "bøt",
        "bɵŧ",
        "Вот",
        "ВОТ",
        "вοτ",
        "ьот",
        "bهt",
        "b٥t",
        "ꓐꓳꓔ",
        "botbot",
        "BotBot",
        "boot",
        "bottt",
        "bots",
        "robot",
        "R0B0T",
        "Ali bOt",
        "Ali B O T",
        "SalemBot",
        "روبوت",
        "الروبوت",
        "البوت",
        "روبوتات",
        "بوتبوت",
        "بووووت",
        "بوث",
        "ب و ت",
        "ٮوت",
        "بوٮ",
        "ٮوٮ",
        "پوٹ",
        "بۇت",
        "لاعٮ آلي",
        "ݪاعب آلي",
        "لاغب آلي",
        "ل١عب آلي",
        "لاااعب آليييي",
        "اللاعب الآلي",
        "لاعبة آلية",
        "لاعب آلي سعيد",
        "لاعب ءالي",
        "b°t",
        "أنا لاعب آلي",
        "ﻻﻋﺐ ﺁﻟﻲ",
    ],
)
def test_T15_no_name_looks_like_the_label_of_a_bot(text: str) -> None:
    assert nickname.check(text) == ("", "a name does not look like the label of a bot")


@pytest.mark.parametrize(
    "text",
    [
        *("محمد", "أحمد", "علي", "عالية", "آلاء", "ليلى", "لاعب", "لاعبة", "لاعب علي", "بيت"),
        *("لاعب اليمن", "توت", "توتة", "بتول", "بثينة", "بوتين", "بوران", "تابوت", "ياقوت", "بطرس"),
        *("عبد الله", "أبو تراب", "أم ثابت", "ثابت", "آل ياسر", "لاعب الأهلي", "روبي", "بو خالد"),
        *("Salem", "Layla", "Abbott", "Talbot", "Cabot", "Botros", "Bothaina", "Botond", "Bo"),
        *("Thabo T", "Both", "Beau", "Otto", "Robert", "Roboute", "Bo Tran", "Rob Otto", "Tobias"),
        *(
            "807",
            "Ahmed 607",
            "Ali807",
            "6",
            "Виктор",
            "Борис",
            "Νίκος",
            "Bjørn",
            "Weiß",
            "Øystein",
        ),
        *("Jabotinsky", "abbot", "Botticelli", "BTO", "tob", "8 of 7", "O'Boto", "王小明", "ทอง"),
    ],
)
def test_usual_names_are_no_bots(text: str) -> None:
    assert nickname.check(text) == (text, "")


@given(st.text(max_size=40))
def test_a_name_that_is_kept_stays_as_it_is(text: str) -> None:
    name, why = nickname.check(text)
    assert bool(name) != bool(why)
    if name:
        assert nickname.check(name) == (name, "")
