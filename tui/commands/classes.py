"""``nsystui classes``: kernel time by what kernels do."""

from __future__ import annotations

import argparse

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, UsageError

TOP = 20

EPILOG = """\
A kernel's class is told by its name alone, by one ordered table of patterns; the first that fits counts.
Parameters are never searched, template arguments only of wrappers. What fits none is `other`; the note says
how much of the time that is. Rules of the config file, table [classes], go first: a pattern that is searched
in the name without its arguments, and a class ("my_attn" = "attention"). They count everywhere: for what is
communication and compute, for comparisons, for colours. --names says which rule decided.
Time is the sum of durations in the window: kernels of several streams overlap. Per step counts the kernels
that whole steps of the window launched. Where GPU metrics were captured, SM active, tensor and DRAM (reading
and writing) are means of the samples in which that class runs and no other, and a hint says where to look:
`nsystui metrics --help` explains both.

examples:
  nsystui classes run.sqlite                    one row a class
  nsystui classes run.sqlite --names            which class each kernel has, and why
  nsystui classes run.sqlite --range step:3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui classes``."""
    options.add_report(parser)
    add = parser.add_argument_group("classes").add_argument
    add("--names", action="store_true", help="one row a kernel name, with its class and what decided it")
    add("--top", metavar="N", type=int, help=f"the first N rows (default: {TOP} in a table, else all)")
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print the classes, or the names."""
    from tui.analysis.class_table import classes_table, names_table
    from tui.analysis.metrics.hints import configured_thresholds

    if args.top is not None and args.top < 0:
        raise UsageError(f"--top {args.top} is negative")
    index, scope = opening.open_scope(args)
    limits = configured_thresholds()
    table = names_table(index, scope) if args.names else classes_table(index, scope, limits)
    if not len(table):
        raise NothingThere(f"{index.report.path.name}: no kernels in {scope.window.label}")
    return writing.write_rows(
        table, lambda rows: {"rows": rows, "notes": [table.note]}, index.report, scope, args, most=TOP
    )
