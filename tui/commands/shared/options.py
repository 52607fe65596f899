"""The options that mean one thing in every command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

FORMATS = ("table", "csv", "tsv", "json")

RANGE_HELP = """\
time to look at: START/END with units (1.5s/1.62s, 200ms/, bare numbers are ns), / (all that was recorded),
step:3, step:3..5, nvtx:NAME, nvtx:NAME#2, gap:1; default: first to last device op
"""


def add_report(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """The report's path: ``args.report``, or ``args.reports`` where ``many``."""
    if many:
        parser.add_argument("reports", metavar="REPORT", nargs="+", help="Nsight Systems SQLite exports")
    else:
        parser.add_argument("report", metavar="REPORT", help="an Nsight Systems SQLite export")


def add_scope(parser: argparse.ArgumentParser) -> None:
    """``--range --device --process --step``: which part of the report counts."""
    group = parser.add_argument_group("which part of the report")
    group.add_argument("--range", metavar="R", help=RANGE_HELP)
    group.add_argument(
        "--device", metavar="N,...", type=numbers, action="extend", help="only these devices (default: all)"
    )
    group.add_argument(
        "--process",
        metavar="PID,...",
        type=numbers,
        action="extend",
        help="only these processes (default: all)",
    )
    group.add_argument(
        "--step",
        metavar="NAME",
        help="NVTX range (name or regex) that is a step, for step:K (default: by rule)",
    )


def add_output(parser: argparse.ArgumentParser, *, formats: Sequence[str] = FORMATS) -> None:
    """``--format -o --timeunit --wide --raw --ascii``: how results are written."""
    parser.set_defaults(formats=tuple(formats))
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f",
        "--format",
        choices=(*formats, "column"),
        metavar="|".join(formats),
        help=f"default: by the ending of -o FILE, else {formats[0]}",
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="where to write; - is stdout, the default"
    )
    group.add_argument(
        "--timeunit",
        default="nsec",
        metavar="UNIT",
        help="nsec, usec, msec or seconds for all times but those named _ns (default: nsec; in the tables of "
        "gaps and steps what suits each time)",
    )
    group.add_argument("--wide", action="store_true", help="whole names and all columns, whatever the width")
    group.add_argument(
        "--raw",
        action="store_true",
        help="CSV and TSV: leave cells alone that a spreadsheet would run as a formula",
    )
    group.add_argument("--ascii", action="store_true", help="plain ASCII tables, whatever the locale says")


def add_store(parser: argparse.ArgumentParser) -> None:
    """``--cache-dir --no-cache``: where the columns of an opened report are kept."""
    group = parser.add_argument_group("store")
    group.add_argument(
        "--cache-dir",
        metavar="DIR",
        type=Path,
        help="where opened reports are kept (default: $NSYSTUI_CACHE_DIR, else $XDG_CACHE_HOME/nsystui)",
    )
    group.add_argument("--no-cache", action="store_true", help="read the report anew and keep nothing")


def add_all(parser: argparse.ArgumentParser, *, formats: Sequence[str] = FORMATS) -> None:
    """What most commands take: which part of the report, how to write it, where its columns are kept."""
    add_scope(parser)
    add_output(parser, formats=formats)
    add_store(parser)


def add_debug(parser: argparse.ArgumentParser) -> None:
    """``--debug``: show the traceback of an unexpected error."""
    parser.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")


def numbers(text: str) -> list[int]:
    """``0,2`` as integers; the error text is argparse's."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers such as 0 or 0,2") from None
