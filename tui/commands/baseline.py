"""``nsystui baseline``: keep what runs took, for ``nsystui check``."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import judging, many, options, sides, talk, writing
from tui.errors import ReportError, UsageError

if TYPE_CHECKING:
    from tui.ranks.baseline import Baseline, Check
    from tui.ranks.sides import Over, Side

EPILOG = """\
The file is JSON: of each run the median, the MAD and the number of values of every metric, and the mean parts
of a step; of the set as a whole GPU names, how many ranks, the step's name, nsys versions. Environment, users
and paths are not in it; names of report files are with --with-names. The checks, one a line, are there to be
edited: fail (worse, or both: faster fails, too), rel_pct, abs, mad, creep_pct, missing (fail, skip). What
nsystui doesn't know in the file stays in it.

examples:
  nsystui baseline monday/*.sqlite -o base.json
  nsystui baseline tuesday/*.sqlite --add base.json        another run, so that noise is known
  nsystui baseline --add base.json --pin                   growth counts from here
  nsystui baseline monday/*.sqlite -o base.json --set step_ns.rel_pct=3 --set busbw.AllReduce_gbps.rel_pct=5
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui baseline``."""
    many.add_inputs(parser, nargs="*")
    add = parser.add_argument_group("baseline").add_argument
    add("-o", "--output", metavar="FILE", help="where to write it (default: stdout, with --add its own file)")
    add("--add", metavar="FILE", type=Path, help="add these reports to a baseline, as another run")
    add("--pin", action="store_true", help="slow growth (creep_pct) counts from what is usual now")
    add("--keep", metavar="N", type=many.at_least_one, help="runs that are kept, the newest (default: 30)")
    add("--with-names", action="store_true", help="keep the names of the report files, too")
    add(
        "--set",
        metavar="METRIC.KEY=VALUE",
        dest="settings",
        action="append",
        default=[],
        help="a tolerance to write into the file",
    )
    sides.add_options(parser)
    many.add_limits(parser)
    options.add_store(parser)
    parser.set_defaults(ascii=False)


def run(args: argparse.Namespace) -> int:
    """Write a baseline."""
    if args.limits:
        return many.print_limits()
    if not args.inputs and not (args.add and (args.pin or args.settings)):
        raise UsageError("name the REPORTs of a run (or --add FILE with --pin or --set)")
    sides.check_metrics(args.metric)
    from tui.ranks import limits
    from tui.ranks.baseline import with_setting
    from tui.ranks.baseline_file import read, to_text
    from tui.ranks.sides import Over
    from tui.text.numbers import plural

    found = read(args.add) if args.add else None
    over = Over(args.over or over_of(found))
    for setting in args.settings:  # wrong ones are told before reports are read
        with_setting((), setting)
    sources: list[Path] = []
    if args.inputs:
        opened, side = sides.open_side(args, "baseline", args.inputs, args.range)
        judging.check_step(args, side.rank_set)
        sources = opened.paths
        judging.tell([*opened.notes, *side.notes], args)
        if opened.exit_code():
            what = (
                f"{len(opened.broken)} of {opened.asked} reports can't be read"
                if opened.broken
                else "ranks are missing"
            )
            raise ReportError(f"nothing is written: {what}")
        found = _added(found, side, over, args)
        found = found.added((), args.keep or int(limits.KEPT_RUNS.value))
    assert found is not None
    checks: tuple[Check, ...] = found.checks
    for setting in args.settings:
        checks = with_setting(checks, setting)
    found = replace(found, checks=checks, made=made())
    if args.pin or not found.pinned:
        found = found.pinned_now()
    output = args.output or (str(args.add) if args.add else "-")
    with writing.destination(output, "json", *sources) as stream:
        stream.write(to_text(found))
    if output != "-":
        talk.tell(
            f"nsystui: {output}: {plural(len(found.runs), 'run')}, {plural(len(found.checks), 'check')}"
        )
    return 0


def _added(found: Baseline | None, side: Side, over: Over, args: argparse.Namespace) -> Baseline:
    """Return the baseline with the runs of ``side``; a new one where there is none."""
    from tui.ranks.baseline import Baseline, default_checks
    from tui.ranks.check import differing
    from tui.ranks.run_record import context_of, record

    named = [*args.metric, *named_metrics(found, args.settings)]
    names = sorted({m.path.name for m in side.rank_set.members}) if args.with_names else []
    runs = record(side, over, named, names)
    context = context_of(side, over)
    if found is None:
        return Baseline({}, context, tuple(runs), {}, default_checks(runs[-1]))
    for text in differing(found.context, context):
        talk.tell(f"nsystui: not the same {text}")
    there = [replace(run, names=(), extra={}) for run in found.runs]
    new = [run for run in runs if replace(run, names=()) not in there]
    if len(new) < len(runs):
        talk.tell(
            f"nsystui: {len(runs) - len(new)} of these runs are in the baseline already: not added again"
        )
    return found.added(new, len(found.runs) + len(new))


def named_metrics(found: Baseline | None, settings: list[str]) -> list[str]:
    """Return the metrics that checks and settings name beside those that are always measured."""
    checks = [check.metric for check in found.checks] if found else []
    return [*checks, *(setting.partition("=")[0].rpartition(".")[0] for setting in settings)]


def over_of(found: Baseline | None) -> str:
    """Return how a baseline takes one value of the ranks of a step."""
    over = found.context.get("over") if found else None
    return over if over in ("max", "median") else "max"


def made() -> dict[str, str]:
    """Return which version makes a file, and when."""
    from tui import __version__

    return {"version": __version__, "utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
