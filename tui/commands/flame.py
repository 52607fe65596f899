"""``nsystui flame``: NVTX ranges as a tree by path, by host or device time."""

from __future__ import annotations

import argparse
from typing import Any

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, UsageError

LEAST_PCT = 0.5

EPILOG = """\
Ranges of one label (numbers left out) below one path are one row, summed over the window, whichever thread
they are on; --process and --range choose. Host time is from begin to end, the part inside the window. GPU
time sums the device work that was launched in a range, in the window: it mostly runs after the range has
ended. Self is without the ranges inside. Idle is the part of the host time in which no device of the process
did anything. Start/end ranges stand at the root, without children.
--folded writes `outer;inner TIME` a line, the time in ns that is no child's: flamegraph.pl, speedscope and
others draw it.

examples:
  nsystui flame run.sqlite                        where the host's time goes
  nsystui flame run.sqlite --by gpu --range step:3
  nsystui flame run.sqlite --by gpu --folded | flamegraph.pl --countname ns > run.svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui flame``."""
    options.add_report(parser)
    add = parser.add_argument_group("flame").add_argument
    add("--by", choices=("host", "gpu"), default="host", help="what the order and the share are of")
    add("--depth", metavar="N", type=int, help="the outermost N levels")
    add(
        "--min",
        metavar="PCT",
        type=float,
        help=f"without paths below so many percent (default: {LEAST_PCT} in a table, else 0)",
    )
    add("--folded", action="store_true", help="one line a path, for flame graph tools")
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print the tree."""
    from tui.analysis.flame import has_ranges, range_tree
    from tui.analysis.flame_table import flame_table, notes, shown_nodes, whole_ns

    if args.depth is not None and args.depth < 1:
        raise UsageError(f"--depth {args.depth} shows nothing: 1 is the outermost level")
    if args.min is not None and not 0 <= args.min <= 100:
        raise UsageError(f"--min {args.min:g} is no share from 0 to 100")
    if args.folded and args.format:
        raise UsageError("--folded is a format of its own: it goes without --format")
    index, scope = opening.open_scope(args)
    name = index.report.path.name
    if not has_ranges(index.report):
        raise NothingThere(f"{name}: no NVTX ranges recorded (nsys profile --trace=nvtx)")
    tree = range_tree(index, scope)
    if not len(tree):
        raise NothingThere(f"{name}: no NVTX ranges in {scope.window.label}")
    if args.by == "gpu" and not whole_ns(tree, "gpu"):
        raise NothingThere(f"{name}: no range in {scope.window.label} launched recorded device work")
    fmt = writing.output_format(args)
    least = args.min if args.min is not None else LEAST_PCT if fmt == "table" and not args.folded else 0.0
    nodes = shown_nodes(tree, args.by, least, args.depth)
    if args.folded:
        from tui.output.folded_text import folded_ranges

        with writing.destination(args.output, "table", index.report.path) as stream:
            stream.writelines(folded_ranges(tree, args.by, nodes))
        return 0
    table = flame_table(tree, args.by, nodes, indented=fmt == "table")

    def document(rows: list[dict[str, Any]]) -> dict[str, Any]:
        coverage = {
            "ranges": len(tree.ranges),
            "total_ns": whole_ns(tree, args.by),
            "ops_outside": tree.outside_ops,
            "ops_outside_ns": tree.outside_gpu,
            "ops_without_launch": tree.unlaunched,
        }
        return {"by": args.by, "coverage": coverage, "rows": rows, "notes": notes(tree)}

    return writing.write_rows(table, document, index.report, scope, args)
