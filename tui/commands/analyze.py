"""``nsystui analyze``: the rules of ``nsys analyze``, with advice."""

from __future__ import annotations

import argparse

from tui.commands.shared import opening, options, talk, writing
from tui.errors import CheckFailed, NothingThere, UsageError

EPILOG = """\
examples:
  nsystui analyze run.sqlite                             every rule
  nsystui analyze run.sqlite -r gpu_gaps --gap 10ms      gaps longer than 10 ms
  nsystui analyze run.sqlite -r cuda_memcpy_async --check  exit code 1 if a pageable copy is found
  nsystui help gpu_time_util                             what a rule means

Rows that overlap --range count whole; without it everything recorded counts, as with nsys.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui analyze``."""
    from tui.analysis.rule_limits import LIMITS

    options.add_report(parser)
    add = parser.add_argument
    add("-r", "--rule", dest="rules", metavar="NAME,...", action="append", help="rules (default: all)")
    add("--rows", metavar="N", type=int, default=50, help="rows a rule, 0: all (default: 50)")
    add("--check", action="store_true", help="exit with 1 if any rule finds something")
    group = parser.add_argument_group("thresholds")
    for limit in LIMITS:
        group.add_argument(
            limit.option,
            dest=limit.name,
            metavar=limit.metavar,
            type=limit.parse,
            default=limit.default,
            help=f"{limit.rule}: {limit.about} (default: {limit.default})",
        )
    options.add_all(parser, default=options.EVERYTHING)


def run(args: argparse.Namespace) -> int:
    """Apply the chosen rules and print what they find."""
    from tui.analysis.choices import Choices
    from tui.analysis.rules import choose
    from tui.output.rules_output import rules_document, write_rules

    if args.rows < 0:
        raise UsageError("--rows is at least 0")
    limits = limits_of(args)
    names = [name for part in args.rules or ["all"] for name in part.split(",") if name.strip()]
    rules = choose(names)
    index, scope = opening.open_everything(args)
    report = index.report
    found = []
    for rule in rules:
        if rule.has_data(index, scope):
            found.append(rule.compute(index, Choices(scope, limits=limits)))
        else:
            talk.tell_skipped(report, scope, rule.needs, rule.name)
    if not found:
        raise NothingThere(talk.lacking(report, scope, "rules"))
    writing.write_answer(
        report,
        scope,
        args,
        document=lambda: rules_document(found, report, scope, args.rows),
        text=lambda stream, layout: write_rules(found, report, scope, args.rows, stream, layout),
        tables=lambda: [item.table.head(args.rows, "--rows 0") for item in found],
    )
    failed = [item.rule.name for item in found if len(item.table)]
    if args.check and failed:
        raise CheckFailed(f"findings of {', '.join(failed)}")
    return 0


def limits_of(args: argparse.Namespace) -> dict[str, int]:
    """The thresholds that ``args`` set; UsageError for one out of its bounds."""
    from tui.analysis.rule_limits import LIMITS

    limits = {}
    for limit in LIMITS:
        value = limits[limit.name] = getattr(args, limit.name)
        if value < limit.least or (limit.most is not None and value > limit.most):
            most = "" if limit.most is None else f" and at most {limit.most}"
            raise UsageError(f"{limit.option} is at least {limit.least}{most}")
    return limits
