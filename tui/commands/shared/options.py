"""The options that mean the same in every command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.output.text_layout import TimeUnit

FORMATS = ("table", "csv", "tsv", "json")
CACHE_FOLDER = "$NSYSTUI_CACHE_DIR, else $XDG_CACHE_HOME/nsystui"

REPORT_HELP = "an SQLite export of Nsight Systems, or a .nsys-rep where nsys is on the PATH"
RANGE_HELP = """\
time to look at: START/END with units (1.5s/1.62s, 200ms/, bare numbers are ns), / (all that was recorded),
step:3, step:3..5, step:3.. (to the last), nvtx:NAME, nvtx:NAME#2, gap:1; default: {}; of several reports
START/END is on their common axis, the rest each one's own
"""
WORK_WINDOW = "the work window, from the first to the last device op or step"
EVERYTHING = "everything recorded"
"""What counts where no ``--range`` is given: everything in the tables that equal nsys's."""


def add_report(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Add the report's path, ``args.report``; with ``nargs="?"`` it may be missing."""
    parser.add_argument("report", metavar="REPORT", nargs=nargs, help=REPORT_HELP)


def add_scope(parser: argparse.ArgumentParser, default: str = WORK_WINDOW) -> None:
    """Add ``--range --device --process --step``: which part of the report counts, ``default`` by default."""
    add = parser.add_argument_group("which part of the report").add_argument
    add("--range", metavar="R", help=RANGE_HELP.format(default))
    for option, metavar, what in (("--device", "N,...", "devices"), ("--process", "PID,...", "processes")):
        add(option, metavar=metavar, type=numbers, action="extend", help=f"only these {what} (default: all)")
    add(
        "--step",
        metavar="NAME",
        help="NVTX range (name or regex) that is a step, for step:K (default: by rule)",
    )
    add(
        "--comm",
        choices=("class", "nccl"),
        default="class",
        help="which kernels are communication: collectives of all libraries, or names that begin nccl only",
    )


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add ``--filter-time --filter-nvtx``: nsys's own ways to choose a window."""
    add = parser.add_argument_group("filters of nsys, instead of --range").add_argument
    add(
        "--filter-time",
        metavar="[S]/[E]",
        help="rows that end at or after S and start before E, launches too, as nsys counts (1s5ms, 1.5e9 ns)",
    )
    add(
        "--filter-nvtx",
        metavar="NAME[@DOMAIN][/N]",
        help="the same for the time and the process of an NVTX range, N counting from 0; it counts before "
        "--filter-time",
    )


def add_output(parser: argparse.ArgumentParser, *, formats: Sequence[str] = FORMATS) -> None:
    """Add ``--format -o --timeunit --wide --raw --ascii``: how results are written."""
    parser.set_defaults(formats=tuple(formats))
    add = parser.add_argument_group("output").add_argument
    add(
        "-f",
        "--format",
        choices=(*formats, "column"),
        metavar="|".join(formats),
        help=f"default: by the ending of -o FILE, else {formats[0]}",
    )
    add("-o", "--output", metavar="FILE", default="-", help="where to write; - is stdout, the default")
    add(
        "--timeunit",
        metavar="UNIT",
        type=time_unit,
        help="nsec, usec, msec or seconds for all times but those named _ns (default: nsec; in the tables of "
        "gaps and steps what suits each time)",
    )
    add("--wide", action="store_true", help="whole names and all columns, whatever the width")
    add(
        "--raw",
        action="store_true",
        help="CSV and TSV: leave cells alone that a spreadsheet would run as a formula",
    )
    add("--ascii", action="store_true", help="plain ASCII tables, whatever the locale says")


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--cache-dir --no-cache --no-nsys``: where what is made of a report is kept, and who makes it."""
    add = parser.add_argument_group("store").add_argument
    about = f"where opened reports are kept (default: {CACHE_FOLDER})"
    add("--cache-dir", metavar="DIR", type=Path, help=about)
    add("--no-cache", action="store_true", help="read the report itself and keep nothing")
    add("--no-nsys", action="store_true", help="never run nsys, not even to export a .nsys-rep")


def add_all(
    parser: argparse.ArgumentParser, *, formats: Sequence[str] = FORMATS, default: str = WORK_WINDOW
) -> None:
    """Add what most commands take: the scope, the output and the store."""
    add_scope(parser, default)
    add_output(parser, formats=formats)
    add_store(parser)


def add_debug(parser: argparse.ArgumentParser) -> None:
    """Add ``--debug``: show the traceback of an unexpected error."""
    parser.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")


def numbers(text: str) -> list[int]:
    """Read ``0,2`` as integers; argparse shows the error."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers such as 0 or 0,2") from None


def time_unit(text: str) -> TimeUnit:
    """Read a unit of time, before any work is done; raises UsageError."""
    from tui.output.text_layout import TimeUnit

    return TimeUnit.parse(text)
