"""``nsystui analyze``: the rules of ``nsys analyze``, with advice."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from tui.commands import common
from tui.errors import CheckFailed, NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.rules import Rule, RuleFinding, RuleLimits
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table
    from tui.report.model import Report

NAME = "analyze"
SUMMARY = "rules that look for known mistakes, with advice"

EPILOG = """\
examples:
  nsystui analyze run.sqlite                             every rule
  nsystui analyze run.sqlite -r gpu_gaps --gap 10ms      gaps longer than 10 ms
  nsystui analyze run.sqlite -r cuda_memcpy_async --check  exit code 1 if a pageable copy is found
  nsystui help gpu_time_util                             what a rule means
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui analyze``."""
    parser.epilog = EPILOG
    common.add_report(parser)
    parser.add_argument(
        "-r", "--rule", dest="rules", metavar="NAME,...", action="append", help="rules (default: all)"
    )
    parser.add_argument("--rows", metavar="N", type=int, default=50, help="rows a rule, 0: all (default: 50)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if any rule finds something")
    group = parser.add_argument_group("thresholds")
    group.add_argument(
        "--gap", metavar="TIME", default="500ms", help="gpu_gaps: longer gaps (default: 500ms)"
    )
    group.add_argument(
        "--chunks", metavar="N", type=int, default=30, help="gpu_time_util: chunks (default: 30)"
    )
    group.add_argument(
        "--utilization",
        metavar="PCT",
        type=int,
        default=50,
        help="gpu_time_util: less busy chunks (default: 50)",
    )
    group.add_argument(
        "--small-copy", metavar="BYTES", type=int, default=65_536,
        help="cuda_memcpy_sync: leave out Host-to-Device copies up to this size (default: 65536)",
    )  # fmt: skip
    common.add_scope(parser)
    common.add_output(parser)
    common.add_store(parser)


@dataclass(frozen=True)
class Judged:
    """A rule and what it found."""

    rule: Rule
    finding: RuleFinding
    table: Table
    """The rows to show: the longest ones."""


def run(args: argparse.Namespace) -> int:
    """Apply the chosen rules and print what they find."""
    from tui.analysis.index import Index
    from tui.analysis.rules import choose

    limits = limits_of(args)
    names = [name for part in args.rules or ["all"] for name in part.split(",") if name.strip()]
    rules = choose(names)
    report = common.open_report(args)
    index = Index(report)
    scope = common.everything(report, common.scope(report, args, index=index))
    judged = []
    for rule in rules:
        if not rule.has_data(index, scope):
            common.tell(common.skipped(report, scope, rule.needs, rule.name))
            continue
        finding = rule.compute(index, scope, limits)
        judged.append(Judged(rule, finding, finding.table.head(args.rows, "--rows 0")))
    if not judged:
        raise NothingThere(common.lacking(report, scope, "rules"))
    write(judged, report, scope, args)
    failed = [item.rule.name for item in judged if len(item.finding.table)]
    if args.check and failed:
        raise CheckFailed(f"findings of {', '.join(failed)}")
    return 0


def limits_of(args: argparse.Namespace) -> RuleLimits:
    """The thresholds that ``args`` set."""
    from tui.analysis.rules import RuleLimits
    from tui.analysis.window import parse_duration

    if args.chunks < 1 or args.rows < 0 or args.small_copy < 0 or not 0 <= args.utilization <= 100:
        raise UsageError("--chunks is at least 1, --rows and --small-copy 0, --utilization from 0 to 100")
    return RuleLimits(parse_duration(args.gap), args.chunks, args.utilization, args.small_copy)


def write(judged: list[Judged], report: Report, scope: Scope, args: argparse.Namespace) -> None:
    """Write the findings in the chosen format."""
    fmt = common.output_format(args)
    if fmt == "json":
        common.write_document(document(judged, report, scope), report, args)
    elif fmt == "table":
        with common.destination(args.output, fmt, report.path) as stream:
            write_text(judged, report, scope, stream, args)
    else:
        common.write_tables([item.table for item in judged], report, scope, args)


def document(judged: list[Judged], report: Report, scope: Scope) -> dict[str, Any]:
    """The findings as JSON."""
    from tui.output.json_text import records

    rules = [
        {
            "name": item.rule.name,
            "title": item.rule.title,
            "found": len(item.finding.table),
            "total_ns": item.finding.total_ns,
            "means": item.rule.means,
            "advice": item.rule.advice,
            "rows": records(item.table),
        }
        for item in judged
    ]
    return {**common.head(report, scope), "rules": rules}


def write_text(
    judged: list[Judged], report: Report, scope: Scope, stream: TextIO, args: argparse.Namespace
) -> None:
    """The findings for people: what was found, why it matters, the rows, what to do."""
    from tui.output import window_text
    from tui.output.text_table import paragraph, spelled, write_rows, write_title
    from tui.text.times import show_duration

    layout = common.layout(args, stream)
    window = window_text(common.head(report, scope)["window"])
    for position, item in enumerate(judged):
        stream.write("\n" if position else "")
        write_title(item.table, stream, layout, window)
        number = len(item.finding.table)
        if not number:
            stream.write(" nothing found\n")
            continue
        what = f"{number:,} found, {show_duration(item.finding.total_ns)} in all. {item.rule.means}"
        stream.write(f"{spelled(paragraph(what, layout.width), layout)}\n\n")
        write_rows(item.table, stream, layout)
        advice = paragraph(f"what to do: {item.rule.advice}", layout.width)
        stream.write(f"\n{spelled(advice, layout)}\n")
