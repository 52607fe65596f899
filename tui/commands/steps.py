"""``nsystui steps``: one row a training step, and how evenly the steps run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.commands import common
from tui.errors import NothingThere

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.step_table import StepRows
    from tui.analysis.steps import Steps
    from tui.report.columns import Int64

NAME = "steps"
SUMMARY = "one row a training step: duration, busy, idle, kernels, launches, communication"

EPILOG = """\
A step is an instance of one repeated outer NVTX range on one thread, found by rule: it accounts for most of
what its thread did in ranges, or for most launches; a name that says step, iteration or batch needs less
evidence; the outermost wins. Numbered names count as one, and a range inside another of the same name is
no step of its own. --step NAME chooses: a whole name, a name without its number, or a regular expression.
Without such a range there are no steps; --guess takes a kernel that recurs evenly for a step's beginning.

Busy and idle are those of the process's own ops on all its devices (busy: any of them is), clipped to the
step on the host's clock. Kernels and launches count what calls made within the step issued. Communication
is kernels whose name begins `nccl`; exposed is the part that no other kernel overlaps. A step that overlaps
--range is listed whole.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui steps``."""
    parser.epilog = EPILOG
    common.add_report(parser)
    parser.add_argument(
        "--guess", action="store_true", help="without NVTX ranges: guess steps from kernels that recur evenly"
    )
    common.add_scope(parser)
    common.add_output(parser)
    common.add_store(parser)
    parser.set_defaults(timeunit=None)


def run(args: argparse.Namespace) -> int:
    """Print the steps of every process in scope."""
    from tui.analysis.index import Index
    from tui.analysis.step_guess import guess_steps
    from tui.analysis.step_report import spread_table, steps_table
    from tui.analysis.step_table import step_table
    from tui.analysis.steps import find_steps
    from tui.output.readable import readable

    report = common.open_report(args)
    index = Index(report)
    scope = common.everything(report, common.scope(report, args, index=index))
    steps = find_steps(index, args.step, scope.processes)
    if not steps and args.guess and args.step is None:
        steps = guess_steps(index, scope.processes)
    if not steps:
        hint = "name a range with --step, or try --guess"
        if args.step is not None:
            hint = f"no range is called {args.step!r}"
        elif args.guess:
            hint = "no kernel recurs evenly either"
        raise NothingThere(f"{report.path.name}: no steps found; {hint}")
    rows = step_table(index, steps, scope)
    if not any(len(sequence) for sequence in rows):
        raise NothingThere(f"{report.path.name}: no step {steps.name!r} in {scope.window.label}")
    fmt = common.output_format(args)
    common.tell(f"nsystui: a step is {steps.name!r}: {steps.how}")
    if fmt == "json":
        common.write_document(document(index, scope, steps, rows), report, args)
        return 0
    glance = args.timeunit is None and fmt == "table"
    args.timeunit = args.timeunit or "nsec"
    found = [steps_table(index, rows)]
    if fmt == "table":
        found.append(spread_table(index, rows))
    common.write_tables([readable(t) for t in found] if glance else found, report, scope, args)
    return 0


def document(index: Index, scope: Scope, steps: Steps, rows: list[StepRows]) -> dict[str, Any]:
    """The JSON document: integers in nanoseconds, unknown as null."""
    from tui.analysis.step_report import step_notes

    return {
        **common.head(index.report, scope),
        "step_name": steps.name,
        "chosen_as": steps.how,
        "notes": step_notes(index),
        "sequences": [sequence_object(index, sequence) for sequence in rows],
    }


def sequence_object(index: Index, rows: StepRows) -> dict[str, Any]:
    """The steps of one process in JSON."""
    from tui.analysis.step_report import step_name

    report, thread, spread = index.report, rows.sequence.thread, rows.spread

    def figure(values: Int64 | None, i: int) -> int | None:
        return None if values is None else int(values[i])

    return {
        "pid": report.processes[rows.sequence.process].pid,
        "tid": report.threads[thread].tid if thread >= 0 else None,
        "spread": None
        if spread is None
        else {
            "count": spread.count,
            "median_ns": spread.median_ns,
            "mad_ns": spread.mad_ns,
            "p95_ns": spread.p95_ns,
            "min_ns": spread.min_ns,
            "max_ns": spread.max_ns,
            "outliers": rows.number[rows.outlier].tolist(),
        },
        "steps": [
            {
                "index": int(rows.number[i]),
                "name": step_name(index, rows, i),
                "start_ns": int(rows.start[i]),
                "duration_ns": int(rows.duration[i]),
                "busy_ns": figure(rows.busy, i),
                "idle_ns": figure(rows.idle, i),
                "kernels": figure(rows.kernels, i),
                "launches": figure(rows.launches, i),
                "comm_ns": figure(rows.comm, i),
                "exposed_comm_ns": figure(rows.exposed, i),
                "unfinished": bool(rows.unfinished[i]),
                "outlier": bool(rows.outlier[i]),
                "devices": [
                    {"device": report.devices[device].cuda_id, "busy_ns": int(busy[i])}
                    for device, busy in rows.device_busy
                ],
            }
            for i in range(len(rows))
        ],
    }
