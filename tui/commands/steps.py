"""``nsystui steps``: one row a training step, and how evenly the steps run."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.commands.shared import many, opening, options, talk, writing
from tui.commands.shared.each_rank import Answer, answer_each
from tui.errors import NothingThere

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.step_table import StepRows
    from tui.analysis.steps import Steps

EPILOG = """\
A step is an instance of one repeated outer NVTX range on one thread, found by rule: it accounts for most of
what its thread did in ranges, or for most launches; a name that says step, iteration or batch needs less
evidence; the outermost wins. Numbered names count as one, and a range inside another of the same name is
no step of its own. --step NAME chooses: a whole name, a name without its number, or a regular expression.
Without such a range there are no steps; --guess takes a kernel that recurs evenly for a step's beginning.

Busy and idle are those of the process's own ops on all its devices (busy: any of them is), clipped to the
step on the host's clock. Kernels and launches count what calls made within the step issued. Communication
is that of the collectives that the step launched, on the device's clock (--comm says what counts); exposed is
the part that no other kernel overlaps. All steps are listed, or those that overlap --range, each whole.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui steps``."""
    many.add_inputs(parser)
    parser.add_argument(
        "--guess", action="store_true", help="without NVTX ranges: guess steps from kernels that recur evenly"
    )
    options.add_all(parser)
    many.add_options(parser)


@dataclass(frozen=True)
class _Found:
    """The steps of a report."""

    index: Index
    scope: Scope
    steps: Steps
    rows: list[StepRows]


def run(args: argparse.Namespace) -> int:
    """Print the steps of every process in scope."""
    from tui.analysis.metrics.beside_busy import with_hollow
    from tui.analysis.step_table import spread_table, steps_table
    from tui.output.steps_json import steps_document
    from tui.output.text_table import readable

    if not many.is_one(args):
        return answer_each(args, answer, split=True, glance=True)
    found = find(args)
    index, scope, steps, rows = found.index, found.scope, found.steps, found.rows
    fmt = writing.output_format(args)
    talk.said(args, f"a step is {steps.name!r}: {steps.how}")
    if fmt == "json":
        writing.write_document(steps_document(index, scope, steps, rows), index.report, args)
        return 0
    tables = [with_hollow(index, steps_table(index, rows), rows)]
    if fmt == "table":
        tables.append(spread_table(index, rows))
        if args.timeunit is None:
            tables = [readable(table) for table in tables]
    writing.write_tables(tables, index.report, scope, args)
    return 0


def answer(args: argparse.Namespace) -> Answer:
    """The steps of a rank of a set."""
    from tui.analysis.step_table import spread_table, steps_table
    from tui.output.steps_json import steps_document

    found = find(args)
    tables = [steps_table(found.index, found.rows, every=True)]
    if writing.output_format(args) == "table":
        tables.append(spread_table(found.index, found.rows))
    return Answer(tables, lambda: steps_document(found.index, found.scope, found.steps, found.rows))


def find(args: argparse.Namespace) -> _Found:
    """Find the steps of a report that are in scope. Raises NothingThere where there are none."""
    from tui.analysis.step_guess import guess_steps
    from tui.analysis.step_table import step_rows
    from tui.analysis.steps import find_steps

    index, scope = opening.open_scope(args)
    report = index.report
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
    rows = step_rows(index, steps, scope)
    if not any(len(sequence) for sequence in rows):
        raise NothingThere(f"{report.path.name}: no step {steps.name!r} in {scope.window.label}")
    return _Found(index, scope, steps, rows)
