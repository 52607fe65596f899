"""``nsystui stats``: the summaries and traces of ``nsys stats``."""

from __future__ import annotations

import argparse

from tui.commands.shared import opening, options, talk, writing
from tui.errors import NothingThere, UsageError

EPILOG = """\
examples:
  nsystui stats run.sqlite                                  the default reports
  nsystui stats run.sqlite -r cuda_gpu_kern_sum:base        kernels by short name
  nsystui stats run.sqlite -r nvtx_sum -f csv -o nvtx.csv   one report to a file
  nsystui stats run.sqlite -f csv -o out                    out_nvtx_sum.csv, out_cuda_api_sum.csv, ...
  nsystui stats run.sqlite -f csv -o .                      run_nvtx_sum.csv, ... in this directory
  nsystui help cuda_gpu_kern_sum                            what a report means

JSON is {report, window, reports: [{name, columns, rows, note}]}, a row being a list in the order of the
columns. Rows that overlap --range count whole; without it everything recorded counts. --filter-time counts as
nsys does: rows that end just as it starts, too, and where kernels are joined to launches only those whose
launch counts.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui stats``."""
    options.add_report(parser, nargs="?")
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


def run(args: argparse.Namespace) -> int:
    """Print the chosen reports; stderr names those that are skipped for lack of data."""
    from dataclasses import replace

    from tui.analysis.stats import DEFAULT, REPORTS, choose

    if args.list:
        return list_reports()
    if args.report is None:
        raise UsageError("stats needs a REPORT (or --list)")
    names = [name for part in args.reports or [",".join(DEFAULT)] for name in part.split(",") if name.strip()]
    chosen = [choose(name) for name in (REPORTS if names == ["all"] else names)]
    index, scope = opening.open_filtered(args)
    report = index.report
    found = []  # all of them before any is written: a failure leaves nothing on stdout
    for choice in chosen:
        table = choice.table(index, scope)
        if len(table):
            found.append(replace(table, name=choice.spelled))
        else:
            talk.tell_skipped(report, scope, choice.report.needs, choice.spelled)
    if not found:
        raise NothingThere(talk.lacking(report, scope, "reports"))
    writing.write_each(found, report, scope, args)
    return 0


def list_reports() -> int:
    """Print the name of every report and what it means."""
    from tui.analysis.stats import DEFAULT, REPORTS

    for report in REPORTS.values():
        options = "".join(f"[:{option}]" for option in report.offers)
        default = "  (default)" if report.name in DEFAULT else ""
        print(f"{report.name}{options}{default}\n    {report.means}\n    {report.how}")
    return 0
