"""``nsystui info``: what an export holds, and which of its rows are doubtful."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.commands.shared import many, opening, options, writing
from tui.commands.shared.each_rank import Answer, answer_each
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.table import Table

EPILOG = """\
Of several reports the tables come with a column Rank, after one that lists the reports, and the tables of the
exports are listed with --all only; JSON is {reports: [what one report says], notes, broken}.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui info``."""
    many.add_inputs(parser)
    parser.add_argument("--all", action="store_true", help="list empty tables and enums too")
    parser.add_argument(
        "--streams",
        action="store_true",
        help="what the program printed, where the capture has it: it may hold secrets",
    )
    options.add_output(parser)
    options.add_store(parser)
    many.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the facts as text, JSON or one CSV table after the other."""
    from tui.analysis.index import Index
    from tui.output.info_output import info_document, info_tables, write_info

    if args.streams:
        return _streams(args)
    if not many.is_one(args):
        return answer_each(args, answer, split=False, host=True)
    report = opening.open_report(args)
    facts = info_document(Index(report))
    writing.write_answer(
        report,
        None,
        args,
        document=lambda: facts,
        text=lambda stream, layout: write_info(
            facts, info_tables(facts, every_table=args.all), stream, layout
        ),
        tables=lambda: info_tables(facts, every_table=True),
    )
    return 0


def _streams(args: argparse.Namespace) -> int:
    """Print what programs wrote to stdout and stderr, and nothing else."""
    from tui.analysis.program_output import no_output, output_table

    if not many.is_one(args):
        raise UsageError("--streams takes one report")
    report = opening.open_report(args)
    table = output_table(report)
    if not len(table):
        raise NothingThere(no_output(report))
    if writing.output_format(args) == "json":
        from tui.output.json_text import records

        document = {"report": str(report.path), "streams": records(table), "notes": [table.note]}
        writing.write_document(document, report, args)
        return 0
    writing.write_tables([table], report, None, args)
    return 0


def answer(args: argparse.Namespace) -> Answer:
    """What a report of a set holds."""
    from tui.analysis.index import Index
    from tui.output.info_output import info_document, info_tables

    facts = info_document(Index(opening.open_report(args)))
    everything = args.all or writing.output_format(args) != "table"
    listed = info_tables(facts, every_table=True)
    kept = [table for table in listed if everything or table.name != "tables"]
    return Answer([_reports_table(facts), *kept], lambda: facts)


def _reports_table(facts: dict[str, Any]) -> Table:
    """One row: the report, what made it, and its time."""
    from tui.analysis.table import Column, Table, Unit

    window = facts["window"] or {"start_ns": None, "end_ns": None}
    columns = (
        Column("Report", "report", Unit.TEXT, [facts["report"]]),
        Column("nsys", "product_version", Unit.TEXT, [facts["product_version"]]),
        Column("Schema", "schema_version", Unit.TEXT, [facts["schema_version"]]),
        Column("Start (ns)", "start_ns", Unit.NS, [window["start_ns"]], rank=1),
        Column("End (ns)", "end_ns", Unit.NS, [window["end_ns"]], rank=1),
        Column("Doubtful kinds", "doubtful_kinds", Unit.COUNT, [len(facts["doubtful"])], rank=1),
    )
    return Table("reports", "Reports, and the window of their figures", columns)
