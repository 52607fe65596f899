"""Tables as CSV, TSV, JSON and text: exact, safe, aligned."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import numpy as np
import pytest

from tests.support.csv_text import in_csv
from tui.analysis.table import Column, Table, Unit
from tui.errors import UsageError
from tui.output import FORMATS, render
from tui.output.text_layout import TextLayout, TimeUnit
from tui.report.columns import NULL
from tui.text import width

HEAD = {"report": "x.sqlite", "window": {"start_ns": 0, "end_ns": 1_500_000, "label": "step 3"}}

SUMS = Table(
    "sums",
    "Some Sums",
    (
        Column("Time (%)", "time_pct", Unit.PCT, [97.8, 2.3]),
        Column("Total Time (ns)", "total_time_ns", Unit.NS, np.array([1_234_567, 9])),
        Column("Avg (ns)", "avg_ns", Unit.NS_1, [195.5, Decimal("123456789012345678.5")]),
        Column("Size (MB)", "size_mb", Unit.MB, [1.5, None]),
        Column("Pid", "pid", Unit.ID, np.array([12345, NULL])),
        Column("Name", "name", Unit.TEXT, ["k<float, 4>(int)", None]),
    ),
    note="a note",
)

NASTY = [
    "[bold red]x[/]",
    "[link=http://example.invalid]y[/link]",
    'a "quoted", name',
    "two\nlines",
    "\x1b[31mred\x1b[0m",
    "nul\x00byte",
    "\x9b31m",
    "\u202egnp.exe",
    "核心 kernel",
    "👨‍👩‍👧 family",
    "é" * 3,
    "x" * 10_000,
]

NAMES = Table(
    "names",
    "Names",
    (
        Column("N", "n", Unit.COUNT, list(range(len(NASTY)))),
        Column("Name", "name", Unit.TEXT, NASTY),
        Column("Last", "last", Unit.TEXT, ["end"] * len(NASTY)),
    ),
)


def text_of(table: Table, fmt: str, **layout: object) -> str:
    stream = io.StringIO(newline="")
    render([table], fmt, stream, head=HEAD, layout=TextLayout(**layout))  # type: ignore[arg-type]
    return stream.getvalue()


def test_csv_is_rfc_4180_and_exact() -> None:
    assert text_of(SUMS, "csv") == (
        "Time (%),Total Time (ns),Avg (ns),Size (MB),Pid,Name\r\n"
        '97.8,1234567,195.5,1.500,12345,"k<float, 4>(int)"\r\n'
        "2.3,9,123456789012345678.5,,,\r\n"
    )


def test_several_tables_are_parted_by_an_empty_line() -> None:
    stream = io.StringIO(newline="")
    render([SUMS, SUMS], "csv", stream, head=HEAD)
    first, second = stream.getvalue().split("\r\n\r\n")
    assert f"{first}\r\n" == second


def test_tsv_has_tabs_and_plain_line_ends() -> None:
    assert text_of(SUMS, "tsv").splitlines()[1] == "97.8\t1234567\t195.5\t1.500\t12345\tk<float, 4>(int)"


def test_json_keeps_integers_and_says_null() -> None:
    document = json.loads(text_of(SUMS, "json"), parse_float=Decimal)
    assert document["report"] == "x.sqlite"
    assert document["window"]["label"] == "step 3"
    (report,) = document["reports"]
    assert report["name"] == "sums"
    assert report["note"] == "a note"
    assert report["columns"] == [column.header for column in SUMS.columns]
    assert report["rows"][0] == [
        Decimal("97.8"),
        1234567,
        Decimal("195.5"),
        Decimal("1.5"),
        12345,
        "k<float, 4>(int)",
    ]
    assert report["rows"][1][3:] == [None, None, None]


@pytest.mark.parametrize(
    ("unit", "header", "total", "average"),
    [
        (TimeUnit.USEC, "(us)", "1234.567", "0.1955"),
        (TimeUnit.MSEC, "(ms)", "1.234567", "0.0001955"),
        (TimeUnit.SECONDS, "(s)", "0.001234567", "0.0000001955"),
    ],
)
def test_time_units_move_the_point_and_lose_nothing(
    unit: TimeUnit, header: str, total: str, average: str
) -> None:
    first, row, _ = csv.reader(io.StringIO(text_of(SUMS, "csv", timeunit=unit)))
    assert first[1:3] == [f"Total Time {header}", f"Avg {header}"]
    assert row[:3] == ["97.8", total, average]
    (report,) = json.loads(text_of(SUMS, "json", timeunit=unit), parse_float=Decimal)["reports"]
    assert report["rows"][0][1:3] == [Decimal(total), Decimal(average)]


def test_time_units_have_the_names_of_nsys() -> None:
    assert [TimeUnit.parse(word) for word in ("nsec", "microseconds", "MSEC", "s")] == list(TimeUnit)
    with pytest.raises(UsageError, match="use nsec, usec, msec or seconds"):
        TimeUnit.parse("fortnights")


def test_names_survive_csv_and_json_unchanged() -> None:
    rows = list(csv.reader(io.StringIO(text_of(NAMES, "csv"), newline="")))
    assert [row[1] for row in rows[1:]] == [in_csv(name) for name in NASTY]
    (report,) = json.loads(text_of(NAMES, "json"))["reports"]
    assert [row[1] for row in report["rows"]] == NASTY


@pytest.mark.parametrize("fmt", FORMATS)
def test_nothing_on_a_screen_acts_on_the_terminal(fmt: str) -> None:
    shown = text_of(NAMES, fmt, screen=True, width=100)
    allowed = "\r\n\t" if fmt != "table" else "\n"
    assert not [
        c for c in shown if (ord(c) < 32 and c not in allowed) or 127 <= ord(c) < 160 or c == "\u202e"
    ]


@pytest.mark.parametrize("cells", [None, 60, 80, 200])
def test_text_columns_are_aligned_by_display_width(cells: int | None) -> None:
    lines = text_of(NAMES, "table", width=cells).split("\n")
    rule = next(i for i, line in enumerate(lines) if line.startswith(" -"))
    rows = lines[rule + 1 : rule + 1 + len(NASTY)]
    assert [row.split()[0] for row in rows] == [str(n) for n in range(len(NASTY))]
    assert {width(row) for row in rows} == {width(rows[0])}
    assert all(row.endswith("  end") for row in rows)
    if cells is not None:
        assert all(width(line) <= cells for line in lines)


def test_a_narrow_screen_says_what_it_leaves_out() -> None:
    table = Table(
        "wide",
        "Wide",
        (
            Column("Total Time (ns)", "total_time_ns", Unit.NS, [10**12]),
            Column("StdDev (ns)", "stddev_ns", Unit.NS_1, [0.0], rank=4),
            Column("Max (ns)", "max_ns", Unit.NS, [10**12], rank=1),
            Column("Name", "name", Unit.TEXT, ["a_long_name_" * 5]),
        ),
    )
    narrow = text_of(table, "table", width=64)
    assert "columns left out: StdDev (ns); long names folded or cut, to fit 64 cells" in " ".join(
        narrow.split()
    )
    assert "1,000,000,000,000  1,000,000,000,000  a_long_name_a_long_name_" in narrow
    assert "(--wide shows everything)" in narrow
    whole = text_of(table, "table")
    assert "left out" not in whole
    assert "a_long_name_" * 5 in whole
    assert text_of(table, "table", width=64, ascii=True).isascii()


def test_a_table_for_people() -> None:
    assert (
        text_of(SUMS, "table")
        == """\
 ** Some Sums (sums)
    window: step 3, 1.500 ms

 Time (%)  Total Time (ns)                   Avg (ns)  Size (MB)    Pid  Name
 --------  ---------------  -------------------------  ---------  -----  ----------------
     97.8        1,234,567                      195.5      1.500  12345  k<float, 4>(int)
      2.3                9  123,456,789,012,345,678.5          ?      ?  ?

 note: a note
"""
    )


def test_an_empty_table_says_so() -> None:
    empty = Table("none", "None", (Column("N", "n", Unit.COUNT, []),))
    assert text_of(empty, "table").endswith(" (no rows)\n")
    assert text_of(empty, "csv") == "N\r\n"
    assert json.loads(text_of(empty, "json"))["reports"][0]["rows"] == []


def test_a_long_last_name_goes_on_below_its_column() -> None:
    table = Table(
        "long",
        "Long",
        (
            Column("N", "n", Unit.COUNT, [1, 2, 3]),
            Column("Name", "name", Unit.TEXT, ["0123456789" * 5, "核心" * 30, "short"]),
        ),
    )
    lines = text_of(table, "table", width=24).split("\n")
    assert lines[5:12] == [
        " 1  01234567890123456789",
        "    01234567890123456789",
        "    0123456789",
        " 2  核心核心核心核心核心",
        "    核心核心核心核心核心",
        "    核心核心核心核心核…",
        " 3  short",
    ]


def test_one_endless_name_does_not_make_every_row_as_long() -> None:
    names = Column("Name", "name", Unit.TEXT, ["a" * 100_000, "b"])
    counts = Column("Num", "num", Unit.COUNT, [1, 2])
    out = io.StringIO()
    render([Table("t", "T", (names, counts))], "table", out, head=HEAD)
    *_, first, second, _, remark = out.getvalue().splitlines()
    assert first == f" {'a' * 999}…    1"
    assert second == f" b{' ' * 999}    2"
    assert remark == " long names folded or cut (--wide shows everything)"
    out = io.StringIO()
    render([Table("t", "T", (names, counts))], "table", out, head=HEAD, layout=TextLayout(longest=None))
    assert f" {'a' * 100_000}    1\n" in out.getvalue()


def test_a_name_cut_on_a_wide_terminal_is_said_to_be_cut() -> None:
    out = io.StringIO()
    table = Table("t", "T", (Column("Name", "name", Unit.TEXT, ["n" * 5_000]),))
    render([table], "table", out, head=HEAD, layout=TextLayout(width=2_000))
    assert "long names folded or cut" in out.getvalue()
