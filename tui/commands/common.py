"""What the commands share: options that mean one thing everywhere, opening a report, writing results."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from tui.analysis.table import Table
    from tui.analysis.window import Scope
    from tui.output.text_layout import TextLayout
    from tui.report.model import Report

FORMATS = ("table", "csv", "tsv", "json")

ENDINGS = {"table": ".txt", "csv": ".csv", "tsv": ".tsv", "json": ".json"}

RANGE_HELP = """\
time to look at: START/END with units (1.5s/1.62s, 200ms/, bare numbers are ns), / (all that was recorded),
step:3, step:3..5, nvtx:NAME, nvtx:NAME#2, gap:1; default: first to last device op
"""


# --- options ---------------------------------------------------------------------------------


def add_report(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """The report's path: ``args.report``, or ``args.reports`` where ``many``."""
    if many:
        parser.add_argument("reports", metavar="REPORT", nargs="+", help="Nsight Systems SQLite exports")
    else:
        parser.add_argument("report", metavar="REPORT", help="an Nsight Systems SQLite export")


def add_scope(parser: argparse.ArgumentParser) -> None:
    """``--range --device --process --step``: which part of the report counts; see :func:`scope`."""
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
    """``--format -o --timeunit --wide --raw --ascii``: how results are written; see :func:`write_tables`."""
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


def add_debug(parser: argparse.ArgumentParser) -> None:
    """``--debug``: show the traceback of an unexpected error."""
    parser.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")


def numbers(text: str) -> list[int]:
    """``0,2`` as integers; the error text is argparse's."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers such as 0 or 0,2") from None


# --- input -----------------------------------------------------------------------------------


def open_report(args: argparse.Namespace, path: str | None = None) -> Report:
    """Open ``path`` (default: ``args.report``); a slow import shows its progress on a terminal."""
    from tui import report
    from tui.commands.exporting import offer_export
    from tui.commands.progress import ProgressLine

    check_output(args)
    source = Path(path if path is not None else args.report)
    offer_export(source, args.cache_dir)
    said: list[str] = []
    with ProgressLine(sys.stderr) as line:
        opened = report.open_report(
            source,
            cache_dir=args.cache_dir,
            use_store=not args.no_cache,
            progress=line.update,
            tell=said.append,
        )
    for text in said:
        tell(f"nsystui: {text}")
    return opened


def check_output(args: argparse.Namespace) -> None:
    """Raise UsageError for a ``--timeunit`` that there is not, before any work is done."""
    unit = getattr(args, "timeunit", None)
    if unit is not None:
        from tui.output.numbers import TimeUnit

        TimeUnit.parse(unit)


def scope(report: Report, args: argparse.Namespace, **gap: Any) -> Scope:
    """The devices, processes and window that ``args`` choose; says on stderr what was adjusted.

    What is in no figure at all is said here too: only now it is sure that there will be figures.
    ``gap``: the report's index, and what a gap is for ``gap:K``; see ``make_scope``.
    """
    from tui.analysis.window import make_scope

    chosen = make_scope(
        report, args.range, devices=args.device, processes=args.process, step=args.step, **gap
    )
    tell_doubtful(report)
    if chosen.window.note:
        tell(f"nsystui: {chosen.window.note}")
    return chosen


def tell_doubtful(report: Report) -> None:
    """Say how many rows of the report are in no figure because their times can't be true."""
    count = sum(found.count for found in report.doubtful if found.excluded)
    if count:
        tell(f"nsystui: {count:,} rows whose times can't be true are in no figure; `nsystui info` lists them")


def skipped(report: Report, scope: Scope, needs: str, name: str) -> str:
    """The line that says why the report or rule ``name`` is left out."""
    where = " in this selection" if scope.narrowed else ""
    return f"SKIPPED: {report.path} does not contain {needs} data{where} ({name})."


def lacking(report: Report, scope: Scope, what: str) -> str:
    """The line that says that none of the reports or rules (``what``) has data."""
    where = " in this selection" if scope.narrowed else ""
    return f"{report.path.name} holds none of the data that these {what} need{where}"


def everything(report: Report, scope: Scope) -> Scope:
    """``scope`` with the default window named as what a report without a range covers: all there is."""
    from dataclasses import replace

    from tui.analysis.scope import EVERYTHING

    if scope.window.chosen or report.span is None:
        return scope
    start, end = report.span
    return replace(scope, window=replace(scope.window, start=start, end=end, label=EVERYTHING))


def head(report: Report, scope: Scope) -> dict[str, Any]:
    """What every JSON document starts with: the report and the window of its figures."""
    window = scope.window
    return {
        "report": str(report.path),
        "window": {
            "start_ns": window.start,
            "end_ns": window.end,
            "label": window.label,
            "chosen": window.chosen,
            "note": window.note,
        },
    }


# --- output ----------------------------------------------------------------------------------


def output_format(args: argparse.Namespace) -> str:
    """The format that ``args`` ask for: ``--format``, else the ending of ``-o``, else the first."""
    if args.format:
        return "table" if args.format == "column" else str(args.format)
    ending = Path(args.output).suffix.lstrip(".")
    return ending if ending in args.formats else str(args.formats[0])


def layout(args: argparse.Namespace, stream: TextIO) -> TextLayout:
    """How tables are laid out on ``stream``."""
    import shutil

    from tui.output.numbers import TimeUnit
    from tui.output.text_layout import LONGEST_NAME, TextLayout

    screen = stream.isatty()
    fitted = (screen or "COLUMNS" in os.environ) and not args.wide
    return TextLayout(
        timeunit=TimeUnit.parse(args.timeunit),
        width=max(20, shutil.get_terminal_size().columns) if fitted else None,
        longest=None if args.wide else LONGEST_NAME,
        screen=screen,
        ascii=args.ascii or not speaks_unicode(stream),
        raw=args.raw,
    )


def write_tables(tables: Iterable[Table], report: Report, scope: Scope, args: argparse.Namespace) -> None:
    """Write ``tables`` as ``args`` ask. For CSV and TSV the tables' notes go to stderr."""
    from tui.output import render

    fmt = output_format(args)
    with destination(args.output, fmt, report.path) as stream:
        render(noted(tables, fmt), fmt, stream, head=head(report, scope), layout=layout(args, stream))


def write_each(tables: Iterable[Table], report: Report, scope: Scope, args: argparse.Namespace) -> None:
    """Like :func:`write_tables`, but ``-o`` may also be a basename or a directory: one file a table.

    ``-o out`` writes ``out_NAME.csv``, ``-o DIR`` writes ``DIR/REPORT_NAME.csv``; ``-o out.csv`` is one file.
    """
    if is_one_file(args.output):
        write_tables(tables, report, scope, args)
        return
    from tui.output import render

    fmt = output_format(args)
    base = Path(args.output)
    base = base / report.path.stem if base.is_dir() else base
    for table in tables:
        path = base.with_name(f"{base.name}_{table.name.replace(':', '_')}{ENDINGS[fmt]}")
        with destination(str(path), fmt, report.path) as stream:
            layout_ = layout(args, stream)
            render(noted([table], fmt), fmt, stream, head=head(report, scope), layout=layout_)
        tell(f"nsystui: wrote {path}")


def is_one_file(output: str) -> bool:
    """Whether ``-o output`` is stdout, a pipe or device, or has the ending of a format."""
    path = Path(output)
    if output == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
        return True
    return path.suffix in ENDINGS.values() and not path.is_dir()


def noted(tables: Iterable[Table], fmt: str) -> Iterable[Table]:
    """The same tables; tells each one's note where the format has no place for it."""
    for table in tables:
        if table.note and fmt in ("csv", "tsv"):
            tell(f"nsystui: {table.name}: {table.note}")
        yield table


def write_document(document: Mapping[str, Any], report: Report, args: argparse.Namespace) -> None:
    """Write ``document`` as JSON where ``args`` say."""
    from tui.output.json_text import write_document

    with destination(args.output, "json", report.path) as stream:
        write_document(document, stream)


def destination(output: str, fmt: str, source: Path) -> AbstractContextManager[TextIO]:
    """A context manager for the stream that ``-o output`` means; never the report itself."""
    from tui.output.sink import file_sink, stdout_sink

    return stdout_sink(fmt) if output == "-" else file_sink(Path(output), source)


def speaks_unicode(stream: TextIO) -> bool:
    """Whether ``stream`` can show what is not ASCII."""
    try:
        "…█".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def tell(text: str) -> None:
    """One line of talk on stderr, safe for a terminal."""
    from tui.text import safe

    if sys.stderr is None:
        return
    line = safe(text)
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    with contextlib.suppress(OSError):  # stderr is closed: nobody listens
        print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def flush() -> None:
    """Write out what stdout still holds, so that a full disk or a closed pipe is noticed here."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon_stdout() -> None:
    """Let nothing more go to stdout: its reader has left, and the interpreter flushes it at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
