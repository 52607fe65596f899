"""``nsystui info``: what an export holds, and what in it can't be taken at its word."""

from __future__ import annotations

import argparse

from tui.commands.shared import opening, options, writing

NAME = "info"
SUMMARY = "versions, devices, processes, tables and doubtful rows of a report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui info``."""
    options.add_report(parser)
    parser.add_argument("--all", action="store_true", help="list empty tables and enums too")
    options.add_output(parser)
    options.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Print it as text, JSON or one CSV table after the other."""
    from tui.output.info_output import info_document

    report = opening.open_report(args)
    facts = info_document(report)
    fmt = writing.output_format(args)
    if fmt == "json":
        writing.write_document(facts, report, args)
        return 0
    from tui.output import render
    from tui.output.info_output import info_tables, write_info

    tables = info_tables(facts, every_table=args.all or fmt != "table")
    with writing.destination(args.output, fmt, report.path) as stream:
        layout = writing.layout(args, stream)
        if fmt == "table":
            write_info(facts, tables, stream, layout)
        else:
            render(tables, fmt, stream, head={}, layout=layout)
    return 0
