"""``nsystui analyze``: the rules of ``nsys analyze``, with advice."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

from tui.commands.shared import opening, options, talk, writing
from tui.errors import CheckFailed, NothingThere, UsageError

if TYPE_CHECKING:
    from tui.output.text_layout import TextLayout

EPILOG = """\
examples:
  nsystui analyze run.sqlite                             every rule
  nsystui analyze run.sqlite -r gpu_gaps --gap 10ms      gaps longer than 10 ms
  nsystui analyze run.sqlite -r gpu_gaps:gap=10:rows=-1  the same as nsys spells it, all rows
  nsystui analyze run.sqlite -r cuda_memcpy_async --check  exit code 1 if a pageable copy is found
  nsystui help gpu_time_util                             what a rule means

Rows that overlap --range count whole; without it everything recorded counts, as with nsys.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui analyze``."""
    from tui.analysis.rule_limits import LIMITS

    options.add_report(parser)
    add = parser.add_argument
    about = "rules, with options as in nsys where wanted, NAME:gap=10:rows=-1 (default: all)"
    add("-r", "--rule", dest="rules", metavar="NAME,...", action="append", help=about)
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
    options.add_filters(parser)


def run(args: argparse.Namespace) -> int:
    """Apply the chosen rules and print what they find."""
    from tui.analysis.rules import choose

    if args.rows < 0:
        raise UsageError("--rows is at least 0")
    limits = limits_of(args)
    names = [name for part in args.rules or ["all"] for name in part.split(",") if name.strip()]
    chosen = choose(names)
    index, scope = opening.open_filtered(args)
    report = index.report
    found = []
    for choice in chosen:
        answer = choice.answer(index, scope, limits, args.rows)
        if answer is not None:
            found.append(answer)
        else:
            talk.tell_skipped(report, scope, choice.rule.needs, choice.rule.name)
    if not found:
        raise NothingThere(talk.lacking(report, scope, "rules"))

    def document() -> Mapping[str, Any]:
        from tui.output.rules_output import rules_document

        return rules_document(found, report, scope)

    def text(stream: TextIO, layout: TextLayout) -> None:
        from tui.output.rules_output import write_rules

        write_rules(found, report, stream, layout)

    writing.write_answer(
        report,
        scope,
        args,
        document=document,
        text=text,
        tables=lambda: [item.finding.table.head(item.rows, "--rows 0") for item in found],
    )
    failed = [item.finding.rule.name for item in found if len(item.finding.table)]
    if args.check and failed:
        raise CheckFailed(f"findings of {', '.join(failed)}")
    return 0


def limits_of(args: argparse.Namespace) -> dict[str, int]:
    """The thresholds that ``args`` set; UsageError for one out of its bounds."""
    from tui.analysis.rule_limits import LIMITS

    return {limit.name: limit.checked(getattr(args, limit.name)) for limit in LIMITS}
