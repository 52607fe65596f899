"""Open the sides of a comparison: sets of reports, judged, and their runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import judging, many, options
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.ranks.rank_set import RankSet
    from tui.ranks.sides import Side


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what all commands take that are about sides, but for the reports."""
    add = parser.add_argument_group("what is measured").add_argument
    add(
        "--over",
        choices=("max", "median"),
        help="what one step takes, of what it takes on each rank (default: max)",
    )
    add(
        "--metric",
        metavar="NAME",
        action="append",
        default=[],
        help="measure this, too: kernel.NAME_ns, by the kernel's name or its base name; busbw.AllReduce_gbps",
    )
    add(
        "--run-per",
        choices=("folder", "file"),
        help="what one run is where the launcher's id doesn't tell: the reports of each folder given "
        "(default where several are), or each report (default: all reports are one run)",
    )
    many.add_options(parser)
    many.add_alignment(parser)
    many.add_part(parser, "which part of the reports")


def open_side(
    args: argparse.Namespace, label: str, inputs: Sequence[str], text: str | None = None
) -> tuple[many.OpenSet, Side]:
    """Open one side. ``text``: the range that counts. NothingThere where nothing is in it."""
    from tui.ranks.sides import make_side

    asked = judging.judge_options(args, text)
    opened = many.open_set(args, inputs)
    opened.ranks = _by_run(opened.ranks, args, inputs)
    if not opened.ranks.runs:
        opened.tell()
        raise NothingThere(f"{label}: no rank in these reports: no process has GPU work, steps or MPI calls")
    return opened, make_side(label, opened.ranks, asked)


def _by_run(found: RankSet, args: argparse.Namespace, inputs: Sequence[str]) -> RankSet:
    """Return the set with its runs told apart as ``--run-per`` says."""
    from tui.ranks.regroup import of_folders, regrouped

    folders = [Path(text) for text in inputs if Path(text).is_dir()]
    unknown = all(not run.label for run in found.runs)
    if args.run_per == "file":
        run_of: Callable[[Path], str] = str
    elif args.run_per == "folder" or (unknown and len(folders) > 1 and len(folders) == len(inputs)):
        run_of = of_folders(folders) if folders else (lambda path: str(path.parent))
    else:
        return found
    return many.narrowed_set(regrouped(found, run_of, args.rank_from), args)


def check_metrics(names: Sequence[str]) -> None:
    """Raise UsageError where a name is no metric."""
    from tui.ranks.metrics import METRICS, metric_of

    for name in names:
        if metric_of(name) is None:
            raise UsageError(
                f"there is no metric {name!r}; there are {', '.join(METRICS)}, class.NAME_ns, "
                "kernel.NAME_ns, busbw.OPERATION_gbps"
            )


def percentage(text: str) -> float:
    """Read ``5`` or ``5%``; argparse shows the error."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 2%")
    return value


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str] = options.FORMATS) -> None:
    """Add the limits, how results are written, and where what is read is kept."""
    many.add_limits(parser)
    options.add_output(parser, formats=formats)
    options.add_store(parser)
