"""``nsystui export``: the events of a range as CSV."""

from __future__ import annotations

import argparse

from tui.commands.shared import opening, options, writing

EPILOG = """\
One line an event that overlaps the range (default: everything recorded), by start: kernels, copies,
memsets, graphs, NVTX ranges and marks, CUDA and OS calls, the time that threads spent on a CPU. Times are
not clipped. A device op carries the thread that launched it, and nvtx_path the ranges around its launch,
outermost first. The explorer's `e` writes the same bytes.

examples:
  nsystui export run.sqlite --range step:3 -o step3.csv
  nsystui export run.sqlite --range 1.5s/1.62s | grep ,kernel,
  nsystui export run.sqlite --range gap:1 -f json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui export``."""
    options.add_report(parser)
    options.add_all(parser, formats=("csv", "tsv", "json", "table"), default=options.EVERYTHING)


def run(args: argparse.Namespace) -> int:
    """Write the events in scope."""
    from tui.output.events_file import events_table

    index, scope = opening.open_everything(args)
    report = index.report
    writing.write_tables([events_table(report, scope, index)], report, scope, args)
    return 0
