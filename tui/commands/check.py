"""``nsystui check``: hold tonight's reports against a baseline."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands import baseline as making
from tui.commands.shared import judging, many, options, sides, writing
from tui.errors import NothingThere, UsageError

FORMATS = (*options.FORMATS, "junit")

EPILOG = """\
A metric fails when it is worse than the median of the baseline's runs by more than is allowed: the largest of
rel_pct (of the value), abs (in the metric's unit) and mad (times 1.4826 times the noise, which is the MAD of
the runs' medians, of one run that of its steps), of those that its check gives; without any 2 % and 3 MAD.
Equality passes. With fail: both a change for the better fails, too. creep_pct bounds how much worse than the
pinned value a metric may get in the course of many nights.
A metric that can't be computed fails, or is skipped with missing: skip. Of fewer than five steps a metric is
inconclusive: it passes, with --strict it fails.

Exit codes: 0 all checks hold · 1 one fails · 2 the baseline or a report can't be read (--allow-missing N) ·
3 none of the baseline's metrics can be computed. The table is written wherever the baseline
and a report can be read.

Profiled times are times under a profiler: they compare with each other, not with production.

examples:
  nsystui check tonight/*.sqlite --baseline base.json
  nsystui check tonight/*.sqlite --baseline base.json --set step_ns.rel_pct=3
  nsystui check tonight/*.sqlite --baseline base.json -f junit -o check.xml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui check``."""
    many.add_inputs(parser, nargs="*")
    add = parser.add_argument_group("check").add_argument
    add("--baseline", metavar="FILE", type=Path, help="what `nsystui baseline` wrote")
    add(
        "--set",
        metavar="METRIC.KEY=VALUE",
        dest="settings",
        action="append",
        default=[],
        help="another tolerance for this time: step_ns.rel_pct=3, step_ns.mad=none, kernels.missing=skip",
    )
    sides.add_options(parser)
    sides.add_output(parser, formats=FORMATS)


def run(args: argparse.Namespace) -> int:
    """Print what is worse than the baseline allows."""
    if args.limits:
        return many.print_limits()
    if not args.inputs or args.baseline is None:
        raise UsageError("name the REPORTs of a run and the --baseline FILE")
    sides.check_metrics(args.metric)
    if args.format is None and args.output.endswith(".xml"):
        args.format = "junit"
    from tui.output.check_output import check_document, check_table, summary_line, write_check, write_junit
    from tui.output.delimited import write_delimited
    from tui.output.json_text import write_document
    from tui.output.ranks_json import set_object
    from tui.ranks.baseline import Check, with_setting
    from tui.ranks.baseline_file import read
    from tui.ranks.check import Outcome, check
    from tui.ranks.sides import Over

    base = read(args.baseline)
    checks = base.checks
    for setting in args.settings:
        checks = with_setting(checks, setting)
    checks += tuple(Check(name) for name in args.metric if all(c.metric != name for c in checks))
    if not checks:
        raise UsageError(f"{args.baseline} has no checks; give some with --set METRIC.KEY=VALUE")
    opened, side = sides.open_side(args, "tonight", args.inputs, args.range)
    found = check(base, checks, side, Over(args.over or making.over_of(base)), strict=args.strict)
    line = summary_line(found, args.baseline.name, len(base.runs))
    notes = [*opened.notes, *found.notes, *side.notes]
    fmt = writing.output_format(args)
    with writing.destination(args.output, fmt, *opened.paths, args.baseline) as stream:
        layout = writing.layout(args, stream)
        if fmt == "json":
            about = {"path": str(args.baseline), "runs": len(base.runs), "context": base.context}
            held = set_object(side.judged)
            write_document(check_document(found, about, held, [line, *notes]), stream)
        elif fmt == "junit":
            write_junit(found, opened.broken, stream)
        elif fmt == "table":
            write_check(line, found, stream, layout)
        else:
            write_delimited([check_table(found)], fmt, stream, layout)
    judging.tell(notes if fmt == "table" else [line, *notes], args)
    if code := opened.exit_code():
        return code
    if not found.computed:
        raise NothingThere(f"none of the metrics of {args.baseline.name} can be computed")
    return 1 if found.count(Outcome.FAILED) else 0
