"""Write results where and how the options say."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tui.commands.shared import terminal
from tui.commands.shared.talk import tell

if TYPE_CHECKING:
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table
    from tui.output.text_layout import TextLayout
    from tui.report.model import Report

ENDINGS = {"table": ".txt", "csv": ".csv", "tsv": ".tsv", "json": ".json"}


def output_format(args: argparse.Namespace) -> str:
    """The format that ``args`` ask for: ``--format``, else the ending of ``-o``, else the first."""
    if args.format:
        return "table" if args.format == "column" else str(args.format)
    ending = Path(args.output).suffix.lstrip(".")
    return ending if ending in args.formats else str(args.formats[0])


def layout(args: argparse.Namespace, stream: TextIO) -> TextLayout:
    """How tables are laid out on ``stream``."""
    from tui.output.text_layout import LONGEST_NAME, TextLayout, TimeUnit

    return TextLayout(
        timeunit=args.timeunit or TimeUnit.NSEC,
        width=None if args.wide else terminal.line_width(stream),
        longest=None if args.wide else LONGEST_NAME,
        screen=terminal.is_terminal(stream),
        ascii=args.ascii or not speaks_unicode(stream),
        raw=args.raw,
        columns=terminal.columns(stream),
    )


def write_answer(
    report: Report,
    scope: Scope | None,
    args: argparse.Namespace,
    *,
    document: Callable[[], Mapping[str, Any]],
    text: Callable[[TextIO, TextLayout], None],
    tables: Callable[[], Iterable[Table]],
) -> None:
    """Write the form of an answer that ``args`` ask for: a JSON document, text, or tables as CSV or TSV."""
    fmt = output_format(args)
    if fmt == "json":
        write_document(document(), report, args)
    elif fmt == "table":
        with destination(args.output, fmt, report.path) as stream:
            text(stream, layout(args, stream))
    else:
        write_tables(tables(), report, scope, args)


def write_tables(
    tables: Iterable[Table],
    report: Report,
    scope: Scope | None,
    args: argparse.Namespace,
    output: str | None = None,
) -> None:
    """Write ``tables`` to ``output`` (default: ``-o``). For CSV and TSV the tables' notes go to stderr."""
    from tui.output import render

    fmt = output_format(args)
    about = {}
    if scope is not None and fmt not in ("csv", "tsv"):
        from tui.output.json_text import head

        about = head(report, scope)
    marked = (_marked(table, report) for table in tables)
    with destination(output or args.output, fmt, report.path) as stream:
        render(_announced(marked, fmt), fmt, stream, head=about, layout=layout(args, stream))


def write_rows(
    table: Table,
    document: Callable[[list[dict[str, Any]]], Mapping[str, Any]],
    report: Report,
    scope: Scope,
    args: argparse.Namespace,
    *,
    most: int = 0,
) -> int:
    """Write one table, or the JSON that ``document`` makes of its rows after the head; return the exit code.

    ``--top``, where the command has it, says how many rows. Else a table for people has ``most`` (0: all),
    with the units of each cell unless ``--timeunit`` says one; all other forms have every row.
    """
    from tui.output.json_text import head, records
    from tui.output.text_table import readable

    fmt, top = output_format(args), getattr(args, "top", None)
    if fmt == "json":
        rows = records(table.head(top or 0))
        write_document({**head(report, scope), **document(rows)}, report, args)
        return 0
    table = table.head(top if top is not None else most if fmt == "table" else 0, "--top 0")
    if fmt == "table" and args.timeunit is None:
        table = readable(table)
    write_tables([table], report, scope, args)
    return 0


def write_each(tables: Iterable[Table], report: Report, scope: Scope, args: argparse.Namespace) -> None:
    """Like :func:`write_tables`, but ``-o`` may also be a basename or a directory: one file a table.

    ``-o out`` writes ``out_NAME.csv``, ``-o DIR`` writes ``DIR/REPORT_NAME.csv``; ``-o out.csv`` is one file.
    """
    output = Path(args.output)
    special = args.output == "-" or (output.exists() and not output.is_file() and not output.is_dir())
    if special or (output.suffix in ENDINGS.values() and not output.is_dir()):
        write_tables(tables, report, scope, args)
        return
    base = output / report.path.stem if output.is_dir() else output
    ending = ENDINGS[output_format(args)]
    for table in tables:
        path = base.with_name(f"{base.name}_{table.name.replace(':', '_')}{ending}")
        write_tables([table], report, scope, args, str(path))
        tell(f"nsystui: wrote {path}")


def write_pooled(
    tables: Sequence[Table], head: Mapping[str, Any], args: argparse.Namespace, sources: Sequence[Path]
) -> None:
    """Write tables that are of no single report but of all ``sources``; JSON begins with ``head``."""
    from tui.output import render

    fmt = output_format(args)
    with destination(args.output, fmt, *sources) as stream:
        render(tables, fmt, stream, head=head, layout=layout(args, stream))


def _marked(table: Table, report: Report) -> Table:
    """The table; with a note where the profiler said that what it is made of is incomplete."""
    if not report.diagnostics:
        return table
    from tui.analysis.diagnostics import doubt_note

    doubt = doubt_note(report, table.name)
    return table if doubt is None else replace(table, note="; ".join(filter(None, (table.note, doubt))))


def _announced(tables: Iterable[Table], fmt: str) -> Iterable[Table]:
    """Yield the same tables; say each one's note on stderr where the format has no place for it."""
    for table in tables:
        if table.note and fmt in ("csv", "tsv"):
            tell(f"nsystui: {table.name}: {table.note}")
        yield table


def write_document(document: Mapping[str, Any], report: Report, args: argparse.Namespace) -> None:
    """Write ``document`` as JSON where ``args`` say; its notes have what the profiler says is incomplete."""
    from tui.output.json_text import write_document

    if report.diagnostics and "notes" in document:
        from tui.analysis.diagnostics import doubt_note

        doubt = doubt_note(report, args.command)
        document = {**document, "notes": [*document["notes"], *([doubt] if doubt else [])]}
    with destination(args.output, "json", report.path) as stream:
        write_document(document, stream)


def destination(output: str, fmt: str, *sources: Path) -> AbstractContextManager[TextIO]:
    """A context manager for the stream that ``-o output`` means; never one of the reports, ``sources``."""
    from tui.output.sink import file_sink, stdout_sink

    return stdout_sink(fmt) if output == "-" else file_sink(Path(output), *sources)


def speaks_unicode(stream: TextIO) -> bool:
    """Whether ``stream`` can show what is not ASCII."""
    try:
        "…█".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
