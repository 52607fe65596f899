"""Text whose width terminals disagree on: which it is, and what follows it stays in its column."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.other_widths import CLASSES, OPINIONS, cell, drawn_as
from tui.app.keys import ACTIONS, Keymap
from tui.text import pad, safe, width
from tui.text.drift import Drift, drifts, is_sure, is_unsure, steadied
from tui.timeline.glyphs import UNICODE

EACH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize(
    ("kind", "characters"),
    [
        ("spacing marks", "\u0bbe\u0bbf\u0bcc\u0903\u093e\u0d3e\u1a57"),
        ("marks without space", "\u0300\u0bcd\u094d\u0e34\u05b0\ufe20"),
        ("marks around", "\u20dd\u20e3\u0488"),
        ("vowels and ends of Hangul syllables", "\u1161\u11a8\ud7b0"),
        ("letters that hold a mark", "\u0e33\u0eb3\uff9e\uff9f"),
        ("joiners and selectors", "\u200d\ufe0f\u200b\u2060\ufeff"),
        ("ambiguous", "é°±αЖ§①\ufffd"),
        ("symbols", "❤☀✈©\u2400⌚⭐"),
        ("narrow characters with an emoji form", "\u203c\u2049\u2139\u2194"),
        ("newer than some tables", "\U0001f680\U0001fae8\u2e3b\U0001e900\U0001f3fb"),
        ("flags' letters", "\U0001f1e6\U0001f1ff"),
        ("private use and unassigned", "\ue0a0\U000f0000\u0378"),
    ],
)
def test_terminals_disagree_on(kind: str, characters: str) -> None:
    assert [c for c in characters if not is_unsure(c)] == [], kind


def test_terminals_agree_on() -> None:
    assert not any(map(is_unsure, "".join(map(chr, range(0x20, 0x7F)))))
    assert not any(map(is_unsure, "ñÀč核函数한국ᄀアーｱＡ，।كא"))
    assert not any(map(is_unsure, "கதநअआขก"))  # the letters that the signs stand at


def test_frames_are_drawn_with_what_is_sure() -> None:
    fields = (value for value in vars(UNICODE).values() if isinstance(value, str))
    assert is_sure("".join(fields) + "".join(glyph for _, glyph in UNICODE.fills) + "│┌┐└┘├┤┬┴┼═║")
    keymap = Keymap()
    assert is_sure("".join(keymap.shown(action) for action in ACTIONS))


def test_every_kind_of_name_but_one_drifts() -> None:
    sure = {kind for kind, name in CLASSES.items() if is_sure(safe(name))}
    assert sure == {"wide", "flags", "invisible"}  # of flags the letters are shown, of the invisible nothing


def test_where_a_part_begins_and_ends() -> None:
    def parts(text: str) -> list[str]:
        return [text[p.start : p.end] + "|" + text[p.end : p.stop] for p in drifts(text)]

    assert list(drifts("plain │ text …")) == []
    assert list(drifts("ab நிலை  x")) == [Drift(3, 7, 9, 3, 4, 6)]
    assert parts("aக\u0bbfb c  12  é │ Ж") == ["க\u0bbfb c|  ", "é| ", "Ж|"]
    assert parts("e\u0301 x▏é▏") == ["e\u0301 x|", "é|"]
    assert parts("a  ❤   ") == ["❤|   "]


def test_what_is_sent() -> None:
    assert steadied("plain") == "plain"
    assert steadied("ab é  12", 10) == "ab    \x1b[14Gé\x1b[17G12"
    assert steadied("ab é", 10, 14) == "ab  \x1b[14G\x1b[?7lé\x1b[?7h\x1b[15G"
    assert steadied("ab é", 10, 15) == "ab  \x1b[14Gé\x1b[15G"
    assert steadied("\u0bbeab  c") == "    \x1b[1Gab\x1b[5Gc"  # a mark without a letter joins nothing
    assert steadied("\u0bbe") == ""
    assert steadied("é  12  é", 0, 7) == "   \x1b[1Gé\x1b[4G12  é"  # the line goes on below
    assert steadied("é  12", 0, 5, alone=True) == "   \x1b[1Gé\x1b[4G\x1b[K12"
    assert steadied("é  ", 2, 5, alone=True) == "   \x1b[3Gé\x1b[6G"  # erasing would take the last cell


@pytest.mark.parametrize("opinion", OPINIONS)
@pytest.mark.parametrize("kind", CLASSES)
def test_columns_stay(monkeypatch: pytest.MonkeyPatch, opinion: str, kind: str) -> None:
    drawn_as(monkeypatch, opinion)
    screen = pyte.Screen(40, 4)
    stream = pyte.Stream(screen)
    name = safe(CLASSES[kind])
    stream.feed("\x1b[1;1H" + "#" * 160 + "\x1b[1;1H")  # what was there before
    for room in (4, 9, 30):
        line = f"│ {pad(name, room)}│ 12.3  " + pad(name, 40 - 10 - room)
        assert width(line) == 40
        stream.feed(f"\x1b[2;1H{steadied(line, 0, 40)}")
        assert cell(screen, 0, 1) == "│"
        assert "".join(cell(screen, x, 1) for x in range(room + 2, room + 8)) == "│ 12.3"
        assert "#" not in [cell(screen, x, 1) for x in range(40)]
        assert screen.display[2] == "#" * 40


@EACH
@given(
    st.lists(st.text(st.sampled_from("ab  │1核க\u0bbf\u094dé❤\ue0a0\u1161\U0001f680")), max_size=6),
    st.sampled_from(sorted(OPINIONS)),
)
def test_bars_and_numbers_behind_any_names_stay(names: list[str], opinion: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        drawn_as(patch, opinion)
        screen = pyte.Screen(120, 2)
        line, expected, column = "", {}, 0
        for number, name in enumerate(names):
            cells = 3 + number * 5
            piece = pad(safe(name).replace("│", "x"), cells)
            line += f"{piece}  {number}│"
            column += cells + 4
            expected |= {column - 2: str(number), column - 1: "│"}
        pyte.Stream(screen).feed("#" * 120 + "\x1b[1;1H" + steadied(line, 0, 120))
        assert {x: cell(screen, x, 0)[:1] for x in expected} == expected
        assert "#" not in [cell(screen, x, 0) for x in range(column)]
