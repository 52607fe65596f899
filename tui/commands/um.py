"""``nsystui um``: what moved between host and GPUs by itself, and who waited for it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table

BY = ("cause", "kernel", "address")
EPILOG = """\
Migrations are the driver's own copies of unified memory, by direction and cause. Page faults of a processor
are unknown (?) unless they were traced. A fault belongs to no kernel in an export: --by kernel counts those
of the whole device that overlap a kernel, once a name. --by address lists blocks of 2 MiB, those first that
went both ways most often; three changes of direction or more are ping-pong. Rows of page faults are read as
NVIDIA documents them; none were at hand: unverified.

examples:
  nsystui um run.sqlite                      by direction and cause
  nsystui um run.sqlite --by kernel          which kernels page faults held up
  nsystui um run.sqlite --by address         which memory goes back and forth
"""
TOP = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui um``."""
    options.add_report(parser)
    parser.add_argument("--by", choices=BY, default="cause", help="one row each (default: cause)")
    parser.add_argument(
        "--top", type=int, metavar="N", help=f"the first N rows, 0: all (default: {TOP} as a table, else all)"
    )
    options.add_all(parser, default=options.EVERYTHING)


def run(args: argparse.Namespace) -> int:
    """Print one row a (direction, cause), a kernel, or a block of memory."""
    from tui.analysis.um.migrations import unified

    if args.top is not None and args.top < 0:
        raise UsageError(f"--top {args.top} is negative")
    index, scope = opening.open_everything(args)
    found = unified(index, scope)
    name = index.report.path.name
    if not found.anything:
        if found.traced:
            raise NothingThere(f"{name}: no unified memory moved and no page faulted in {scope.window.label}")
        raise NothingThere(
            f"{name}: no unified memory moved; page faults were not captured: nsys profile "
            "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true adds them"
        )
    return _write(index, scope, _table(index, scope, args.by), args)


def _table(index: Index, scope: Scope, by: str) -> Table:
    from tui.analysis.um.address_table import address_table
    from tui.analysis.um.cause_table import cause_table
    from tui.analysis.um.kernel_table import kernel_table

    table = {"cause": cause_table, "kernel": kernel_table, "address": address_table}[by](index, scope)
    if not len(table) and by != "cause":
        what = "page faults or migrations during kernels" if by == "kernel" else "addresses recorded"
        raise NothingThere(f"{index.report.path.name}: no {what}")
    return table


def _write(index: Index, scope: Scope, table: Table, args: argparse.Namespace) -> int:
    from tui.analysis.um.cause_table import coverage_document, notes

    def document(rows: list[dict[str, Any]]) -> dict[str, Any]:
        coverage = coverage_document(index, scope)
        return {"by": args.by, "coverage": coverage, "rows": rows, "notes": notes(index, scope)}

    return writing.write_rows(table, document, index.report, scope, args, most=TOP)
