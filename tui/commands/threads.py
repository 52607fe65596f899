"""``nsystui threads``: how long each thread ran, in what, and in which calls."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere

EPILOG = """\
On CPU and off CPU add up to the window, exactly. A thread without scheduling data is unknown (?), never
zero: `nsys profile --cpuctxsw=process-tree` records them. Before a thread was born and after it ended it is
off CPU. Switches count how often it was put on a CPU after the window began, migrations how often that was
another CPU than before. Probably preempted is a guess, and part of off CPU: another thread followed on the
same CPU within 20 us, this one was in no call, and it came back on that CPU; a sleep that was not traced can
look the same. A function is hot that at least 30% of a thread's samples are in, of 3 or more; code of the
profiler never is. Time in CUDA and OS calls is that of the outermost calls: an OS call that a CUDA or MPI
call makes is theirs.

examples:
  nsystui threads run.sqlite                       of the work window
  nsystui threads run.sqlite --range step:3        of one step
  nsystui threads run.sqlite -f json               everything, exact, in nanoseconds
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui threads``."""
    options.add_report(parser)
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print one row a thread."""
    from tui.analysis.captured import lacking
    from tui.analysis.cpu.scheduling import scheduling
    from tui.analysis.cpu.thread_table import threads_table
    from tui.analysis.kinds.cpu import SCHEDULING

    index, scope = opening.open_scope(args)
    table = threads_table(index, scope)
    if not len(table):
        said = f"{index.report.path.name}: no thread did anything in {scope.window.label}"
        if not scheduling(index):
            said += "; " + lacking(index.report, SCHEDULING).removeprefix(f"{index.report.path.name}: ")
        raise NothingThere(said)
    note = None
    if not scheduling(index):
        note = f"{lacking(index.report, SCHEDULING)}: when threads ran is unknown"
        table = replace(table, note=note)

    def document(rows: list[dict[str, Any]]) -> dict[str, Any]:
        scheduled = sum(row["on_cpu_ns"] is not None for row in rows)
        coverage = {"threads": len(rows), "scheduled": scheduled}
        return {"coverage": coverage, "rows": rows, "notes": [note] if note else []}

    return writing.write_rows(table, document, index.report, scope, args)
