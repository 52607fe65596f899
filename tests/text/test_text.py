"""Names on screen and in CSV: one line, one width for all, nothing that a terminal or spreadsheet acts on."""

from __future__ import annotations

import csv
import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.text import csv_cell, cut, pad, safe, width

MARKUP = (
    "void foo<int>[with T = bool]",
    "[CUDA memcpy HtoD]",
    "[bold red]x[/]",
    "[link=http://example.invalid]y[/link]",
    "k<float, 4>(int, float*)",
    'a "quoted", b',
)


@pytest.mark.parametrize("name", MARKUP)
def test_markup_is_text(name: str) -> None:
    assert safe(name) == name
    assert cut(safe(name), 100) == name


def test_controls_are_visible() -> None:
    assert safe("a\nb\tc\0d\x1b[31me\x7f\r") == "a␊b␉c␀d␛[31me␡␍"
    assert safe("\x9b31m \x85") == "\ufffd31m \ufffd"
    assert safe("a\u2028b\u2029c") == "a\u2424b\u2424c"


def test_direction_cannot_be_turned() -> None:
    assert safe("a\u202eb\u2066c\u200fd\u061c") == "a\ufffdb\ufffdc\ufffdd\ufffd"


def test_what_is_invisible_vanishes() -> None:
    assert safe("a\u200bb\u200dc\ufe0fd\u2060e\ufefff\u00adg\U000e0041h") == "abcdefgh"


def test_clusters_come_apart() -> None:
    assert safe("\U0001f468\u200d\U0001f469\u200d\U0001f467") == "\U0001f468\U0001f469\U0001f467"
    assert safe("\U0001f1e9\U0001f1ea") == "DE"
    assert safe("\U0001f44b\U0001f3fd") == "\U0001f44b"
    assert safe("x\ud800y") == "x\ufffdy"
    assert safe("x\U0003fffdy") == "x\ufffdy"


def test_widths() -> None:
    assert [width(t) for t in ("", "abc", "核函数", "e\u0301", "🚀x", "␛")] == [0, 3, 6, 1, 3, 1]


def test_cut_never_splits_a_wide_character() -> None:
    assert cut("核函数", 6) == "核函数"
    assert cut("核函数", 5) == "核函…"
    assert cut("核函数", 4) == "核…"
    assert cut("核函数", 1) == "…"
    assert cut("核函数", 0) == ""
    assert cut("核函数", -3) == ""
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcdef", 4, "...") == "a..."
    assert cut("abcdef", 2, "...") == "ab"
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdef", 3, "") == "abc"


def test_pad() -> None:
    assert pad("核", 5) == "核   "
    assert pad("核", 5, "right") == "   核"
    assert pad("ab", 5, "center") == " ab  "
    assert pad("核函数", 5) == "核函…"
    assert pad("核函数", 4) == "核… "
    assert pad("abc", 0) == ""


def test_a_template_name_of_ten_thousand_characters() -> None:
    name = "void gemm<" + "half, " * 2000 + ">(核)"
    assert cut(name, 14) == "void gemm<hal…"
    assert width(name) == 12_015
    assert cut(name, 12_014) == name[:-2] + "…"


@given(st.text())
def test_safe_text_is_stable_one_line_and_agreed_on(name: str) -> None:
    shown = safe(name)
    assert safe(shown) == shown
    assert len(shown.splitlines()) <= 1
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert width(shown) == cell_len(shown)


@given(st.text(), st.integers(-2, 30), st.sampled_from(["left", "right", "center"]))
def test_cut_fits_and_pad_fills(name: str, cells: int, align: str) -> None:
    shown = safe(name)
    short = cut(shown, cells)
    assert width(short) <= max(cells, 0)
    assert short == shown or width(shown) > cells
    assert width(pad(shown, cells, align)) == max(cells, 0)


def test_every_character_has_one_width() -> None:
    for code in range(0x110000):
        shown = safe(chr(code))
        assert width(shown) == cell_len(shown), hex(code)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=HYPERLINK(...)", "'=HYPERLINK(...)"),
        ("+1+cmd", "'+1+cmd"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-x", "'-x"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("  =1", "'  =1"),
        ("-5", "-5"),
        ("+1", "'+1"),
        ("-1.5e3", "-1.5e3"),
        ("a=b", "a=b"),
        ("[CUDA memset]", "[CUDA memset]"),
        ("", ""),
    ],
)
def test_formulas_are_neutralised(name: str, cell: str) -> None:
    assert csv_cell(name) == cell
    assert csv_cell(name, raw=True) == name


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_csv_round_trips(names: list[str]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerow([csv_cell(n, raw=True) for n in names])
    if sys.version_info < (3, 11):
        names = [n.replace("\0", "\u2400") for n in names]
    assert next(csv.reader(io.StringIO(out.getvalue(), newline=""))) == names
