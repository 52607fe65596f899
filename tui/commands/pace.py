"""``nsystui pace``: how evenly steps go on, over the ranks and over the run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.commands.shared import judging, many, opening
from tui.errors import NothingThere, ReportError, UsageError

if TYPE_CHECKING:
    from tui.analysis.table import Table
    from tui.ranks.judged import Judged, JudgedRun

TOP = 40

EPILOG = """\
One row a step: the shortest, median and longest duration over the ranks that have it, how much the longest
exceeds the median, and the same of own time, which is the step without the waiting for others in it. Steps
are matched by the number in their name, else by their order; a rank that lacks one is a hole and in no
figure. An outlier is far from the median of all steps both by the scatter and by 5 %. Warm-up steps, slow
ones at the beginning, at most a tenth of all, are in no median.

--by phase takes the ranges just inside the step, a row each: what a step spends there on its thread outside
MPI calls, and what the work that was launched there takes, over the ranks. So it says in which phase a rank
is late. --long has a row for each step of each rank, with the parts that it is made of; its lag is how far
the rank has fallen behind the median rank since its first step: for jobs whose ranks don't wait for each
other.

Anything that repeats has a pace: --nvtx NAME, --collective OP, --kernel REGEX (which opens every report).

examples:
  nsystui pace ranks/*.sqlite
  nsystui pace ranks/ --by phase
  nsystui pace ranks/ --long -f csv -o steps.csv
  nsystui pace replicas/ --nvtx decode --wide-ranks
  nsystui pace ranks/ --collective all-reduce
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui pace``."""
    add = parser.add_argument_group("rows and columns").add_argument
    add("--wide-ranks", action="store_true", help="a column a rank as well: what each step takes there")
    add(
        "--long", action="store_true", help="one row a step and rank, with the parts that the step is made of"
    )
    add("--by", choices=("phase",), help="one row a range just inside the step")
    many.add_top(add, f"the first N rows (default: {TOP} in a table; 0: all)")
    add = parser.add_argument_group("what is paced, instead of the steps").add_argument
    add("--nvtx", metavar="NAME", help="an NVTX range: its name, or a regular expression")
    add("--kernel", metavar="REGEX", help="kernels whose whole name the expression is found in")
    add("--collective", metavar="OP", help="operations: all-reduce, all-gather, ..., or a part of their name")
    judging.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print the pace of a set."""
    if args.limits:
        return many.print_limits()
    check(args)
    from tui.output.ranks_json import pace_document
    from tui.ranks.pace_table import (
        INSTANCE_PEOPLE,
        PEOPLE,
        PHASE_PEOPLE,
        long_table,
        pace_table,
        phase_table,
    )

    if args.nvtx is not None:
        args.step = args.nvtx
    opened, judged = judging.open_judged(args)
    judged = paced(args, opened, judged)
    if not any(len(run.grid) for run in judged.runs):
        opened.tell()
        raise NothingThere(nothing(args))
    notes = judging.notes_of(opened, judged)
    whole = not (args.long or args.by)

    def every() -> Table:
        if args.by:
            return phase_table(judged)
        return long_table(judged) if args.long else pace_table(judged, wide_ranks=args.wide_ranks)

    def table() -> Table:
        return every().head(args.top or 0)

    def people() -> Table:
        found = every()
        heads = PHASE_PEOPLE
        if not args.by:
            names = PEOPLE if args.kernel is None and args.collective is None else INSTANCE_PEOPLE
            heads = {column.key: names.get(column.key, column.header) for column in found.columns}
        return judging.headed(found, heads).head(TOP if args.top is None else args.top, "--top 0")

    judging.write(
        args,
        opened,
        lines=summary(judged),
        notes=notes,
        document=lambda: pace_document(judged, notes, None if whole else table()),
        table=table,
        people=people,
    )
    return opened.exit_code()


def check(args: argparse.Namespace) -> None:
    """Raise UsageError for options that contradict each other."""
    others = [f"--{name}" for name in ("nvtx", "kernel", "collective") if getattr(args, name) is not None]
    if len(others) > 1:
        raise UsageError(f"{' and '.join(others)} can't be asked for together")
    if others and others != ["--nvtx"] and (args.by or args.range or args.step):
        raise UsageError(f"{others[0]} paces no steps: --by, --range and --step have no meaning with it")
    if args.nvtx is not None and args.step is not None:
        raise UsageError("--nvtx and --step can't be asked for together: both say what is paced")
    if sum((args.long, bool(args.by), args.wide_ranks)) > 1:
        raise UsageError("--long, --by and --wide-ranks are three tables: ask for one")


def paced(args: argparse.Namespace, opened: many.OpenSet, judged: Judged) -> Judged:
    """The set with what ``args`` name in the place of the steps."""
    from dataclasses import replace

    from tui.ranks.paced import operations
    from tui.ranks.paced import paced as with_instances

    if args.collective is not None:
        runs = [
            with_instances(
                run, [operations(rank.summary, args.collective) for rank in run.run.ranks], args.collective
            )
            for run in judged.runs
        ]
    elif args.kernel is not None:
        runs = kernels(args, opened, judged)
    else:
        return judged
    return replace(judged, runs=tuple(runs))


def kernels(args: argparse.Namespace, opened: many.OpenSet, judged: Judged) -> list[JudgedRun]:
    """Every run with the kernels that ``--kernel`` means; one report is open at a time."""
    import re

    import numpy as np

    from tui.analysis.index import Comm, Index
    from tui.ranks.paced import Instances
    from tui.ranks.paced import kernels as kernels_of
    from tui.ranks.paced import paced as with_instances

    try:
        pattern = re.compile(args.kernel)
    except re.error as error:
        raise UsageError(f"--kernel {args.kernel!r} is no regular expression: {error}") from None
    none = np.zeros(0, np.int64)
    found: dict[int, Instances] = {}
    ranks = [rank for run in judged.runs for rank in run.run.ranks]
    for place, member in enumerate(judged.rank_set.members):
        mine = [rank for rank in ranks if rank.member == place]
        if not mine:
            continue
        try:
            index = Index(opening.open_report(args, str(member.path)), Comm(args.comm))
        except ReportError as error:
            opened.lose(member.path, str(error))
            continue
        for rank in mine:
            found[id(rank)] = kernels_of(index, rank.summary.process, pattern)
    nothing = Instances(none, none)
    return [
        with_instances(run, [found.get(id(rank), nothing) for rank in run.run.ranks], args.kernel)
        for run in judged.runs
    ]


def nothing(args: argparse.Namespace) -> str:
    """Why there is nothing to pace."""
    if args.kernel is not None:
        return f"no kernel's name matches {args.kernel!r}"
    if args.collective is not None:
        return f"no communication is called {args.collective!r}"
    if args.step is not None:
        return f"no NVTX range is called {args.step!r}"
    return "no steps found; name a range with --step, or pace something else: --nvtx, --kernel, --collective"


def summary(judged: Judged) -> list[str]:
    """The pace in words, a line a run."""
    from tui.ranks.words import pace_line

    return [line for run in judged.runs if (line := pace_line(run, judged))]
