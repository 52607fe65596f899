"""``nsystui stats``: the summaries and traces of ``nsys stats``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

from tui.commands.shared import many, opening, options, talk, writing
from tui.commands.shared.each_rank import Answer, answer_each
from tui.commands.shared.pooled_stats import answer_pooled
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.stats import ChosenReport
    from tui.analysis.table import Table

EPILOG = """\
examples:
  nsystui stats run.sqlite                                  the default reports
  nsystui stats run.sqlite -r cuda_gpu_kern_sum:base        kernels by short name
  nsystui stats run.sqlite -r nvtx_sum -f csv -o nvtx.csv   one report to a file
  nsystui stats run.sqlite -f csv -o out                    out_nvtx_sum.csv, out_cuda_api_sum.csv, ...
  nsystui stats run.sqlite -f csv -o .                      run_nvtx_sum.csv, ... in this directory
  nsystui help cuda_gpu_kern_sum                            what a report means

Of several reports rows begin with the rank and its host: nsystui stats ranks/*.sqlite; --pool takes all ranks
as one, --pool --hist counts how many kernels took how long.

JSON is {report, window, reports: [{name, columns, rows, note}]}, a row being a list in the order of the
columns. Rows that overlap --range count whole; without it everything recorded counts. --filter-time counts as
nsys does: rows that end just as it starts, too, and where kernels are joined to launches only those whose
launch counts.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui stats``."""
    many.add_inputs(parser, nargs="*")
    parser.add_argument(
        "-r",
        "--report",
        dest="reports",
        metavar="NAME,...",
        action="append",
        help="reports to print, in this order (default: the set of nsys stats); all: every one",
    )
    parser.add_argument("--list", action="store_true", help="list the reports and what they mean")
    options.add_all(parser, default=options.EVERYTHING)
    options.add_filters(parser)
    add = parser.add_argument_group("summaries of several reports").add_argument
    add(
        "--pool",
        action="store_true",
        help="all ranks as one: sums and counts add, median and deviation are those of all values",
    )
    add("--hist", action="store_true", help="with --pool: how many values lie between which powers of two")
    many.add_options(parser, short=False)


def run(args: argparse.Namespace) -> int:
    """Print the chosen reports; stderr names those that are skipped for lack of data."""
    if args.list:
        return list_reports()
    if not args.inputs:
        raise UsageError("stats needs a REPORT (or --list)")
    chosen = chosen_reports(args)
    if args.hist and not args.pool:
        raise UsageError("--hist needs --pool: it is about the values of all ranks")
    order = [choice.spelled for choice in chosen]
    if args.pool:
        return answer_pooled(args, lambda own: find(own, chosen).tables, order)
    if not many.is_one(args):
        return answer_each(args, answer, split=True, host=True, order=order, to_files=True)
    found = find(args, chosen)
    writing.write_each(found.tables, found.index.report, found.scope, args)
    return 0


def chosen_reports(args: argparse.Namespace) -> list[ChosenReport]:
    """The reports that `-r` names. Raises UsageError for what is none."""
    from tui.analysis.stats import DEFAULT, REPORTS, choose

    names = [name for part in args.reports or [",".join(DEFAULT)] for name in part.split(",") if name.strip()]
    return [choose(name) for name in (REPORTS if names == ["all"] else names)]


@dataclass(frozen=True)
class _Found:
    """The tables of a report that have rows."""

    index: Index
    scope: Scope
    tables: list[Table]
    skipped: list[str]


def find(args: argparse.Namespace, chosen: Sequence[ChosenReport]) -> _Found:
    """Make the tables; raises NothingThere where none has rows. Stderr names those that are skipped."""
    index, scope = opening.open_filtered(args)
    report = index.report
    found, skipped = [], []  # all of them before any is written: a failure leaves nothing on stdout
    for choice in chosen:
        table = choice.table(index, scope)
        if len(table):
            found.append(replace(table, name=choice.spelled))
        elif hasattr(args, "say"):
            skipped.append(choice.spelled)
        else:
            talk.tell_skipped(report, scope, choice.report.needs, choice.spelled)
    if not found:
        raise NothingThere(talk.lacking(report, scope, "reports"))
    return _Found(index, scope, found, skipped)


def answer(args: argparse.Namespace) -> Answer:
    """The reports of a rank of a set. Those that are skipped are named where somebody asked for them."""
    found = find(args, chosen_reports(args))
    if found.skipped and args.reports:
        talk.said(args, f"without data for {', '.join(found.skipped)}")

    def write(before: Mapping[str, Any], stream: TextIO) -> None:
        from tui.output.json_text import head, write_reports

        about = {**before, **head(found.index.report, found.scope)}
        write_reports(found.tables, about, stream, writing.layout(args, stream))

    return Answer(found.tables, write=write)


def list_reports() -> int:
    """Print the name of every report and what it means."""
    from tui.analysis.stats import DEFAULT, REPORTS

    for report in REPORTS.values():
        options = "".join(f"[:{option}]" for option in report.offers)
        default = "  (default)" if report.name in DEFAULT else ""
        print(f"{report.name}{options}{default}\n    {report.means}\n    {report.how}")
    return 0
