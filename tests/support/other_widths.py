"""Terminals that disagree with us, and with each other, about the width of some characters."""

from __future__ import annotations

from collections.abc import Callable

import pyte
import pyte.screens
import pytest

from tui.text import width
from tui.text.drift import is_unsure

OPINIONS: dict[str, Callable[[str], int]] = {
    "ours": width,
    "none": lambda char: 0 if is_unsure(char) else width(char),
    "one": lambda char: 1 if is_unsure(char) else width(char),
    "two": lambda char: 2 if is_unsure(char) else width(char),
}
"""How wide a terminal draws a character: as we think, or all that is unsure in so many cells."""

CLASSES = {
    "tamil": "நிலைமாற்றம் சௌ",
    "devanagari": "क्षत्रिय ज्ञान कर्ता",
    "hangul": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "joined emoji": "\U0001f469\u200d\U0001f4bb\u200d\U0001f680 \u2764\ufe0f\u26a0\ufe0e",
    "flags": "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7",
    "skin": "\U0001f44b\U0001f3fd\U0001f44b",
    "new emoji": "\U0001fae8\U0001fae0\U0001f6dc",
    "ambiguous": "Δt≈½°±×÷αβγЖ①②",
    "accents": "e\u0301a\u0308o\u20dd",
    "zalgo": "z\u0301\u0302\u0303\u0304\u0305a\u0306\u0307l\u0308g\u0309o",
    "private": "\ue0a0\uf09b\U000f0001branch",
    "invisible": "a\u200bb\u2060c\u00add\ufeffe",
    "thai": "น้ำใจทำงาน",
    "half kana": "ｶﾞｷﾞｸﾞ",
    "keycaps": "1\ufe0f\u20e32\ufe0f\u20e3",
    "unassigned": "\U0003fffd\u0378x",
    "mark first": "\u0bbe\u0301abc",
    "wide": "核函数",
}
"""Names of every kind that terminals draw differently wide, and one of a kind that they don't."""


def drawn_as(monkeypatch: pytest.MonkeyPatch, opinion: str) -> None:
    """Make pyte's screens draw characters as wide as one of :data:`OPINIONS` says."""
    monkeypatch.setattr(pyte.screens, "wcwidth", OPINIONS[opinion])
    draw = pyte.Screen.draw

    def by_character(screen: pyte.Screen, data: str) -> None:
        for char in data:
            if OPINIONS[opinion](char):
                draw(screen, char)
            elif screen.cursor.x and not width(
                char
            ):  # pyte keeps few of those without a cell, and drops what follows others
                line, at = screen.buffer[screen.cursor.y], screen.cursor.x - 1
                at -= not line[at].data  # behind a wide one
                line[at] = line[at]._replace(data=line[at].data + char)

    monkeypatch.setattr(pyte.Screen, "draw", by_character)


def cell(screen: pyte.Screen, column: int, line: int) -> str:
    """The character in a cell; "" behind a wide one."""
    return str(screen.buffer[line][column].data)
