"""``nsystui diagnose``: what slows the job down, most costly first, with the evidence and what to change."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, writing
from tui.errors import CheckFailed, NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.diagnosis import Diagnosis
    from tui.analysis.faults.limits import FaultLimits
    from tui.report.model import Report

NAME = "diagnose"
SUMMARY = "what slows it down, most costly first: evidence, cost, what to change"

EPILOG = """\
Each finding says what was seen, how much device time it explains at most (idle, or doing alone what ought
to run beside compute, or slower than the same kernel otherwise; no instant is charged twice), the commands
that print its figures again, and what to change. What the capture can't tell is listed with the capture
that would. Thresholds can be set in the config file, table [diagnose]; --limits lists them.

examples:
  nsystui diagnose run.sqlite                     the note
  nsystui diagnose run.sqlite --range step:5..20  the settled part of a run
  nsystui diagnose run.sqlite -f json             for scripts
  nsystui diagnose run.sqlite --fail-on 5%        exit code 1 if anything costs 5 % of the device time
  nsystui diagnose run.sqlite --only hidden-sync  one finding and every stretch that it is charged with
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui diagnose``."""
    parser.epilog = EPILOG
    parser.add_argument("report", metavar="REPORT", nargs="?", help="an Nsight Systems SQLite export")
    group = parser.add_argument_group("diagnosis")
    group.add_argument(
        "--fail-on",
        metavar="COST%",
        type=percentage,
        help="exit with 1 if a finding costs this much of the device time or more",
    )
    group.add_argument(
        "--only", metavar="FAULT", help="one fault: its finding and the stretches that it is charged with"
    )
    group.add_argument("--list", action="store_true", help="list the faults that are looked for")
    group.add_argument("--limits", action="store_true", help="list the thresholds and their reasons")
    group.add_argument(
        "--matrix",
        action="store_true",
        help="self-test, without REPORT: generate a capture of every fault and print what is found in which",
    )
    options.add_all(parser)


def percentage(text: str) -> float:
    """``5`` or ``5%`` as a number; the error text is argparse's."""
    if not re.fullmatch(r"\d+(\.\d*)?%?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%")
    return float(text.rstrip("%"))


def run(args: argparse.Namespace) -> int:
    """Print the diagnosis of a report."""
    if args.list:
        return list_faults()
    limits = user_limits()
    if args.limits:
        return list_limits(limits)
    if args.matrix:
        from tui.commands.shared.matrix import print_matrix

        return print_matrix()
    if args.report is None:
        raise UsageError("diagnose needs a REPORT (or --list, --limits, --matrix)")
    from tui.analysis.choices import Choices
    from tui.analysis.diagnosis import diagnose
    from tui.analysis.faults import CATALOGUE
    from tui.analysis.index import Index

    known = [fault.slug for fault in CATALOGUE]
    if args.only is not None and args.only not in known:
        raise UsageError(f"no fault {args.only!r}; there are {', '.join(known)}")
    report = opening.open_report(args)
    if not len(report.ops):
        raise NothingThere(
            f"{report.path.name}: no GPU work recorded, nothing to diagnose; capture with `nsys profile "
            "--trace=cuda,nvtx,osrt`"
        )
    index = Index(report)
    scope = opening.scope(report, args, index=index)
    diagnosis = diagnose(index, Choices(scope, limits=vars(limits), step=args.step))
    if args.only is not None:
        return one_fault(diagnosis, report, args)
    write(diagnosis, report, args)
    costly = [f for f in diagnosis.findings if args.fail_on is not None and (f.cost_pct or 0) >= args.fail_on]
    if costly and args.fail_on is not None:
        raise CheckFailed(
            f"{', '.join(f.fault for f in costly)}: {args.fail_on:g} % or more of the device time"
        )
    return 0


def user_limits() -> FaultLimits:
    """The thresholds, as the user's config file sets them."""
    from tui.analysis.faults.limits import limits_from
    from tui.config import config_path, config_table

    try:
        return limits_from(config_table("diagnose"))
    except UsageError as error:
        path = config_path()
        raise error if str(path) in str(error) else UsageError(f"{path}: {error}") from error


def write(diagnosis: Diagnosis, report: Report, args: argparse.Namespace) -> None:
    """Write the whole diagnosis in the chosen format."""
    from tui.output.diagnosis_output import diagnosis_document, findings_table, write_note

    fmt = writing.output_format(args)
    if fmt == "json":
        writing.write_document(diagnosis_document(diagnosis, report), report, args)
    elif fmt == "table":
        with writing.destination(args.output, fmt, report.path) as stream:
            write_note(diagnosis, report, stream, writing.layout(args, stream))
    else:
        writing.write_tables([findings_table(diagnosis)], report, diagnosis.scope, args)


def one_fault(diagnosis: Diagnosis, report: Report, args: argparse.Namespace) -> int:
    """Write one finding and what it is charged with; NothingThere where it was not found."""
    from tui.output.diagnosis_output import charged_document, spans_table, write_findings

    found = [f for f in diagnosis.findings if f.fault == args.only]
    if not found:
        unknown = [n for n in diagnosis.not_assessable if n.fault == args.only]
        why = f"can't be judged: {unknown[0].reason}" if unknown else "was not found"
        raise NothingThere(f"{report.path.name}: {args.only} {why}")
    charged = spans_table(tuple(c for f in found for c in f.claims), report)
    fmt = writing.output_format(args)
    if fmt == "json":
        writing.write_document(charged_document(diagnosis, found, report), report, args)
    elif fmt == "table":
        with writing.destination(args.output, fmt, report.path) as stream:
            write_findings(found, charged, stream, writing.layout(args, stream))
    else:
        writing.write_tables([charged], report, diagnosis.scope, args)
    return 0


def list_faults() -> int:
    """Print the catalogue."""
    from tui.analysis.faults import CATALOGUE

    for fault in CATALOGUE:
        print(f"{fault.slug:<20} {fault.about}")
    return 0


def list_limits(limits: FaultLimits) -> int:
    """Print every threshold, its value and its reason."""
    from dataclasses import fields

    for item in fields(limits):
        print(f"{item.name} = {getattr(limits, item.name)}\n    {item.metadata['why']}")
    return 0
