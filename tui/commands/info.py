"""``nsystui info``: what an export holds, and what in it can't be taken at its word."""

from __future__ import annotations

import argparse

from tui.commands import common

NAME = "info"
SUMMARY = "versions, devices, processes, tables and doubtful rows of a report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui info``."""
    common.add_report(parser)
    parser.add_argument("--all", action="store_true", help="list empty tables and enums too")
    common.add_output(parser)
    common.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Print it as text, JSON or one CSV table after the other."""
    from tui.analysis.about import about, about_tables

    report = common.open_report(args)
    facts = about(report)
    fmt = common.output_format(args)
    if fmt == "json":
        common.write_document(facts, report, args)
        return 0
    tables = about_tables(facts, every_table=args.all or fmt != "table")
    with common.destination(args.output, fmt, report.path) as stream:
        layout = common.layout(args, stream)
        if fmt == "table":
            from tui.output.about_text import write_about

            write_about(facts, tables, stream, layout)
        else:
            from tui.output import render

            render(tables, fmt, stream, head={}, layout=layout)
    return 0
