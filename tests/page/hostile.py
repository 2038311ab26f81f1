"""Thirty nicknames that would be something else than text wherever markup is made of them."""

from __future__ import annotations

from typing import Final

HOSTILE: Final = (
    "<script>alert(1)</sc",
    "<img src=x onerror=a",
    "<svg/onload=alert(1)",
    "<b>ليلى</b>",
    "<i>x</i>",
    "<a href=//evil>x</a>",
    "<iframe src=//x>1",
    '"><svg/onload=a(1)>',
    "'><img src=x>1",
    "javascript:alert(1)",
    "${alert(1)}",
    "{{constructor}}1",
    "{who} {count} {0}",
    "%3Cscript%3E1",
    "&lt;script&gt;1",
    "&#60;b&#62;1",
    "\\u003cb\\u003e1",
    "--><b>1",
    "<!-- 1",
    "]]><b>1",
    "</bdi><b>1</b>",
    "</li></ul><h1>1",
    "</script><b>1",
    "' OR '1'='1",
    "a; color:red",
    "#/table/../new 1",
    "مرحبا <b> hello",
    "שלום 123 عربي",
    'مًً `9` \\"',
    "ي" * 20,
)
