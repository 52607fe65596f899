"""``nsystui export``: the events of a range as CSV."""

from __future__ import annotations

import argparse

from tui.commands import common

NAME = "export"
SUMMARY = "the events of a range as CSV, for a script or a spreadsheet"

EPILOG = """\
One line an event that overlaps the range, by start: kernels, copies, memsets, graphs, NVTX ranges and
marks, CUDA and OS calls. Times are not clipped. A device op carries the thread that launched it, and
nvtx_path holds the ranges around its launch, outermost first. The explorer's `e` writes the same bytes.

examples:
  nsystui export run.sqlite --range step:3 -o step3.csv
  nsystui export run.sqlite --range 1.5s/1.62s | grep ,kernel,
  nsystui export run.sqlite --range gap:1 -f json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui export``."""
    parser.epilog = EPILOG
    common.add_report(parser)
    common.add_scope(parser)
    common.add_output(parser, formats=("csv", "tsv", "json", "table"))
    common.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Write the events in scope."""
    from tui.analysis.index import Index
    from tui.output.events_file import events_table

    report = common.open_report(args)
    index = Index(report)
    scope = common.everything(report, common.scope(report, args, index=index))
    table = events_table(report, scope, index)
    common.write_tables([table], report, scope, args)
    return 0
