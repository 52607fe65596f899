"""``nsystui diagnose``: what slows the job down, most costly first, with the evidence and what to change."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING

from tui.commands.shared import many, opening, options, writing
from tui.commands.shared.each_rank import Answer, answer_each
from tui.commands.shared.over_ranks import beside_others, over_ranks
from tui.errors import CheckFailed, NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.diagnosis import Diagnosis, Finding
    from tui.analysis.faults.limits import FaultLimits
    from tui.analysis.table import Table
    from tui.report.model import Report

EPILOG = """\
The window is the work window, from the first to the last device op or step, or what --range says; the
first line names it. Each finding says what was seen, how much device time it explains at most (idle, or
doing alone what ought to run beside compute, or slower than the same kernel otherwise; no instant is charged
twice), the commands that print its figures again, and what to change. What was checked and is fine follows,
then what the verdict rests on and can't show, and the capture that would. Thresholds can be set in the config
file, table [diagnose]; --limits lists them.

examples:
  nsystui diagnose run.sqlite                     the note
  nsystui diagnose run.sqlite --range step:5..20  the settled part of a run
  nsystui diagnose run.sqlite -f json             for scripts
  nsystui diagnose run.sqlite --fail-on 5%        exit code 1 if anything costs 5 % of the device time
  nsystui diagnose run.sqlite --only hidden-sync  one finding and every stretch that it is charged with
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui diagnose``."""
    many.add_inputs(parser, nargs="*")
    add = parser.add_argument_group("diagnosis").add_argument
    add(
        "--fail-on",
        metavar="COST%",
        type=percentage,
        default=math.inf,
        help="exit with 1 if a finding costs this much of the device time or more",
    )
    add("--guess", action="store_true", help="without steps: guess them from kernels that recur evenly")
    add("--only", metavar="FAULT", help="one fault: its finding and the stretches that it is charged with")
    add("--list", action="store_true", help="list the faults that are looked for")
    add("--limits", action="store_true", help="list the thresholds and their reasons")
    add(
        "--matrix",
        nargs="?",
        const="",
        metavar="PART",
        help="self-test, without REPORT: generate captures of faults and of healthy runs in many guises, "
        "and print what is found in which; PART: `faults` (one capture each), or variants by part of their "
        "name; -o PAGE.md writes the table of all variants into a page",
    )
    add("--wrong", action="store_true", help="with --matrix: list the variants that are judged wrongly")
    options.add_all(parser)
    many.add_options(parser)


def percentage(text: str) -> float:
    """Read ``5`` or ``5%``; argparse shows the error."""
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
    if args.matrix is not None:
        return run_matrix(args)
    if not args.inputs:
        raise UsageError("diagnose needs a REPORT (or --list, --limits, --matrix)")
    from tui.analysis.faults import CATALOGUE
    from tui.output.diagnosis_output import diagnosis_document, findings_table, write_note

    faults = [fault.slug for fault in CATALOGUE]
    if args.only is not None and args.only not in faults:
        raise UsageError(f"no fault {args.only!r}; there are {', '.join(faults)}")
    if not many.is_one(args):
        return answer_each(args, answer, split=False, over=over_ranks if args.only is None else None)
    report, diagnosis = examine(args)
    if args.only is not None:
        return write_one_fault(diagnosis, report, args)
    writing.write_answer(
        report,
        diagnosis.scope,
        args,
        document=lambda: diagnosis_document(diagnosis, report),
        text=lambda stream, layout: write_note(diagnosis, report, stream, layout),
        tables=lambda: [findings_table(diagnosis)],
    )
    if (failure := too_costly(diagnosis, args)) is not None:
        raise CheckFailed(failure)
    return 0


def answer(args: argparse.Namespace) -> Answer:
    """The diagnosis of a report of a set."""
    from dataclasses import replace

    from tui.output.diagnosis_output import charged_document, diagnosis_document, findings_table, spans_table

    report, diagnosis = examine(args)
    if args.only is not None:
        found = only(diagnosis, report, args)
        charged = spans_table(tuple(c for f in found for c in f.claims), report)
        return Answer([charged], lambda: charged_document(diagnosis, found, report))
    diagnosis = beside_others(diagnosis)
    tables = [findings_table(diagnosis)]
    if writing.output_format(args) == "table":
        tables = [verdict_table(diagnosis), replace(tables[0], note=None)]
    return Answer(tables, lambda: diagnosis_document(diagnosis, report), failed=too_costly(diagnosis, args))


def verdict_table(diagnosis: Diagnosis) -> Table:
    """The verdict as a row."""
    from tui.analysis.table import Column, Table, Unit

    text = Column("Verdict", "verdict", Unit.TEXT, [diagnosis.verdict.text])
    return Table("verdicts", "What the diagnosis comes to", (text,))


def too_costly(diagnosis: Diagnosis, args: argparse.Namespace) -> str | None:
    """The findings that cost as much as `--fail-on` says, or more; None without any."""
    costly = [finding.fault for finding in diagnosis.findings if (finding.cost_pct or 0) >= args.fail_on]
    return f"{', '.join(costly)}: {args.fail_on:g} % or more of the device time" if costly else None


def examine(args: argparse.Namespace) -> tuple[Report, Diagnosis]:
    """Diagnose a report. Raises NothingThere where it has no device work."""
    from tui.analysis.choices import Choices
    from tui.analysis.diagnosis import diagnose
    from tui.analysis.index import Comm, Index

    limits = user_limits()
    report = opening.open_report(args)
    if not len(report.ops):
        raise NothingThere(
            f"{report.path.name}: no GPU work recorded, nothing to diagnose; capture with `nsys profile "
            "--trace=cuda,nvtx,osrt`"
        )
    index = Index(report, Comm(args.comm), args.step)
    scope = opening.scope(report, args, index=index)
    choices = Choices(scope, limits=vars(limits), step=args.step, guess=args.guess)
    return report, diagnose(index, choices)


def run_matrix(args: argparse.Namespace) -> int:
    """Print what is found in generated captures: one of each fault, many variants, or both."""
    from tui.commands.shared.diagnosis_self_test import print_matrix
    from tui.commands.shared.variant_matrix import print_variants

    if args.matrix in ("", "faults"):
        print_matrix()
    if args.matrix != "faults":
        print_variants(args.matrix, args.output, wrong=args.wrong)
    return 0


def user_limits() -> FaultLimits:
    """The thresholds, as the user's config file sets them; UsageError names that file."""
    from tui.analysis.faults.limits import limits_from
    from tui.config import config_path, config_table

    table = config_table("diagnose")
    try:
        return limits_from(table)
    except UsageError as error:
        raise UsageError(f"{config_path()}: {error}") from error


def write_one_fault(diagnosis: Diagnosis, report: Report, args: argparse.Namespace) -> int:
    """Write one finding and what it is charged with; NothingThere where it was not found."""
    from tui.output.diagnosis_output import charged_document, spans_table, write_findings

    found = only(diagnosis, report, args)
    charged = spans_table(tuple(c for f in found for c in f.claims), report)
    writing.write_answer(
        report,
        diagnosis.scope,
        args,
        document=lambda: charged_document(diagnosis, found, report),
        text=lambda stream, layout: write_findings(found, charged, stream, layout),
        tables=lambda: [charged],
    )
    return 0


def only(diagnosis: Diagnosis, report: Report, args: argparse.Namespace) -> list[Finding]:
    """The findings of the fault that `--only` names; NothingThere where it was not found."""
    found = [f for f in (*diagnosis.findings, *diagnosis.checked) if f.fault == args.only]
    if not found:
        unknown = [n for n in diagnosis.not_assessable if args.only in (n.fault, *n.also)]
        why = f"can't be judged: {unknown[0].reason}" if unknown else "was not found"
        raise NothingThere(f"{report.path.name}: {args.only} {why}")
    return found


def list_faults() -> int:
    """Print every fault of the catalogue."""
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
