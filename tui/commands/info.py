"""``nsystui info``: what an export holds, and which of its rows are doubtful."""

from __future__ import annotations

import argparse

from tui.commands.shared import opening, options, writing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui info``."""
    options.add_report(parser)
    parser.add_argument("--all", action="store_true", help="list empty tables and enums too")
    options.add_output(parser)
    options.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Print the facts as text, JSON or one CSV table after the other."""
    from tui.analysis.index import Index
    from tui.output.info_output import info_document, info_tables, write_info

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
