"""``nsystui compare``: is one set of reports slower than another, by how much, and where it went."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.commands.shared import judging, many, opening, sides, writing
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.ranks.contents import KernelContent
    from tui.ranks.sides import Side

TOP = 10
MOST_READ = 32
"""Ranks whose reports are read for the names of kernels in chosen steps."""

EPILOG = """\
Each side is a report, a folder of reports, or any number of both: the ranks of a run, or of several. What
repeats is the step of the run: the longest of its ranks (--over median: the median one), for ranks wait for
each other. Warm-up steps are left out by one rule on both sides, and no clock of one side meets one of the
other. Medians are compared; the 95 % interval is that of a block bootstrap over steps, from three runs a side
on over runs and steps, with the same digits everywhere.

slower: the interval lies above zero and the change is at least --min-effect. faster: below. same: the whole
interval is within --min-effect. inconclusive: none of these, or fewer than five steps.

Then where it went, in means per step, each table adding up to its last row: the parts of a step of the
slowest rank (that with the longest own time, step by step) and of the median rank; kernels by class and name,
split into what more or fewer calls cost and what longer ones do; idle time by what the host did; host time
by phase. Without steps on both sides whole windows are compared.

Profiled times are times under a profiler: they compare with each other, not with production.

examples:
  nsystui compare before.sqlite after.sqlite
  nsystui compare monday/ tuesday/ -f json
  nsystui compare --before mon1/ mon2/ mon3/ --after tue1/ tue2/ tue3/
  nsystui compare run.sqlite run.sqlite --before-range step:3 --after-range step:7
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui compare``."""
    parser.add_argument("sides", metavar="BEFORE AFTER", nargs="*", help=many.INPUT_HELP)
    add = parser.add_argument_group("sides, where one has several reports or folders").add_argument
    for side in ("before", "after"):
        add(f"--{side}", metavar="R", nargs="+", action="extend", default=[], help=f"the reports {side}")
        add(f"--{side}-range", metavar="R", help=f"what counts {side}, as --range says for both sides")
    add = parser.add_argument_group("comparison").add_argument
    add(
        "--min-effect",
        metavar="PCT",
        type=sides.percentage,
        help="less is no change (default: 2 %%, with three runs or more a side 1 %%)",
    )
    add(
        "--same-work",
        action="store_true",
        help="both sides did the same steps of the same global batch: give the computation scaling",
    )
    add("--seed", metavar="N", type=many.whole_number, help="another seed of the resampling")
    many.add_top(add, f"rows of the long tables (default: {TOP} in a table; 0: all)")
    sides.add_options(parser)
    sides.add_output(parser)


def run(args: argparse.Namespace) -> int:
    """Print how two sets differ."""
    if args.limits:
        return many.print_limits()
    before_paths, after_paths = both(args)
    sides.check_metrics(args.metric)
    from tui.output.compare_output import compare_document, write_comparison
    from tui.output.compare_tables import compare_tables
    from tui.output.delimited import write_delimited
    from tui.output.json_text import write_document
    from tui.ranks.bootstrap import SEED
    from tui.ranks.change_words import verdict_lines
    from tui.ranks.compare import compare
    from tui.ranks.sides import Over

    opened_before, before = sides.open_side(args, "before", before_paths, args.before_range or args.range)
    opened_after, after = sides.open_side(args, "after", after_paths, args.after_range or args.range)
    judging.check_step(args, before.rank_set, after.rank_set)
    found = compare(
        before,
        after,
        over=Over(args.over or "max"),
        min_effect_pct=args.min_effect,
        seed=SEED if args.seed is None else args.seed,
        named=args.metric,
        same_work=args.same_work,
        kernels=chosen_kernels(args, before, after),
    )
    both_opened = (("before", opened_before), ("after", opened_after))
    notes = [f"{name}: {note}" for name, opened in both_opened for note in opened.notes]
    if found is None:
        judging.tell(notes, args)
        raise NothingThere("before and after have no metric in common")
    notes = list(dict.fromkeys([*notes, *found.notes]))
    fmt = writing.output_format(args)
    with writing.destination(args.output, fmt, *opened_before.paths, *opened_after.paths) as stream:
        layout = writing.layout(args, stream)
        if fmt == "json":
            write_document(compare_document(found, notes), stream)
        elif fmt == "table":
            top = TOP if args.top is None else args.top
            write_comparison(found, stream, layout, top=top, glance=args.timeunit is None)
        else:
            write_delimited(compare_tables(found, args.top or 0), fmt, stream, layout)
    judging.tell(notes if fmt == "table" else [*verdict_lines(found), *notes], args)
    return max(opened_before.exit_code(), opened_after.exit_code())


def chosen_kernels(
    args: argparse.Namespace, before: Side, after: Side
) -> tuple[KernelContent, KernelContent] | None:
    """Return the kernels of the steps that were asked for, by name, from the reports themselves.

    None: all steps count, which summaries know of, or there are too many reports to read for it.
    """
    if not (before.narrowed or after.narrowed) or len(before.ranks) + len(after.ranks) > MOST_READ:
        return None
    return step_kernels_of(args, before), step_kernels_of(args, after)


def step_kernels_of(args: argparse.Namespace, side: Side) -> KernelContent:
    """Return the kernels of the steps of a side that count, by name; each report is opened."""
    from tui.analysis.index import Comm, Index
    from tui.ranks.step_pair import kernels_together, step_kernels

    parts = []
    indexes: dict[int, Index] = {}
    for run in side.runs:
        for rank, place in zip(run.ranks, run.place, strict=True):
            if rank.summary.host_only or not len(place):
                continue
            if rank.member not in indexes:
                report = opening.open_report(args, str(side.rank_set.members[rank.member].path))
                indexes[rank.member] = Index(report, Comm(args.comm), args.step)
            steps = rank.summary.steps
            found = step_kernels(
                indexes[rank.member], rank.summary.process, steps.start[place], steps.end[place]
            )
            parts.append((len(place), found))
    return kernels_together(parts)


def both(args: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return the reports before and after. Raises UsageError unless there are just these two sides."""
    if args.before and args.after and not args.sides:
        return args.before, args.after
    if len(args.sides) == 2 and not args.before and not args.after:
        return args.sides[:1], args.sides[1:]
    raise UsageError(
        "name two sides: BEFORE AFTER, each a report, a folder or @FILE; or --before R... --after R..."
    )
