"""``nsystui samples``: which functions threads were in, by CPU samples and backtraces."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.cpu.sampling import Samples
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table

BY = ("leaf", "function", "module", "stack", "thread")
PER = ("thread", "step", "phase", "gap")
TOP = 20
NO_PYTHON = (
    "no Python frames in the samples; `nsys profile --python-sampling=true` takes them, which only late "
    "releases export"
)
PYTHON_TRACES = "`nsys profile --python-backtrace=cuda` takes them of CUDA calls, for late releases to export"

EPILOG = """\
Samples are of running threads: a blocked thread has none, and `nsystui threads` says how long it did not
run. On CPU is the time that a thread ran in the window, divided evenly among its samples there; unknown
(?) without scheduling data. Share is of the samples of the row's group. Each table says how far it can be
trusted: how many samples are in functions without a name, in the profiler's own code or the kernel's, and
how many stacks could not be followed to their root.

leaf      the function that was running; addresses without a symbol are one row a module
function  a function anywhere in the stack, once a sample
module    the file whose code was running
stack     the whole stack, root first, functions between semicolons
thread    the thread
Where only every fourth sample has a stack, function and stack count those alone, and say so.

--per gap takes the samples of the threads that are to blame for a gap. --python keeps the Python functions
of each stack; the leaf is then the innermost one outside torch, NVIDIA's packages and the standard library.
Unverified: how late releases of nsys export Python frames is taken from their documentation, not from files.
--callers names who makes the OS calls or CUDA calls of which a backtrace was taken: the innermost function
outside the C and C++ libraries, the loader, CUDA's libraries and libtorch.

examples:
  nsystui samples run.sqlite                          the hottest functions
  nsystui samples run.sqlite --per phase              of each NVTX range
  nsystui samples run.sqlite --range nvtx:forward --by stack
  nsystui samples run.sqlite --folded | flamegraph.pl > flame.svg
  nsystui samples run.sqlite --callers os             who waits, and in which call
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui samples``."""
    options.add_report(parser)
    add = parser.add_argument_group("samples").add_argument
    add("--by", choices=BY, help="what a row is (default: leaf)")
    add("--per", choices=PER, help="rows of each thread, step, phase or gap apart")
    add(
        "--phase",
        choices=("inner", "outer"),
        default="inner",
        help="--per phase: the innermost NVTX range, or the one just inside the step",
    )
    add("--min-gap", metavar="TIME", default="100us", help="--per gap: gaps from this length up")
    add("--thread", metavar="TID,...", type=options.numbers, action="extend", help="only these threads")
    add("--python", action="store_true", help="stacks reduced to their Python functions")
    add("--folded", action="store_true", help="stacks as lines `a;b;c 12`, for flame-graph tools")
    add("--callers", choices=("os", "cuda"), help="instead: who makes the OS calls or CUDA calls")
    add("--top", metavar="N", type=int, help=f"the first N rows (default: {TOP} in a table, else all)")
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print what samples or backtraces name."""
    if args.top is not None and args.top < 0:
        raise UsageError(f"--top {args.top} is negative")
    if args.callers:
        return print_callers(args)
    from tui.analysis.captured import lacking
    from tui.analysis.cpu.sample_groups import chosen_samples, samples_of
    from tui.analysis.cpu.sample_table import python_stacks
    from tui.analysis.cpu.sampling import samples
    from tui.analysis.kinds.cpu import CPU_SAMPLES

    index, scope = opening.open_scope(args)
    everything = samples(index)
    if not len(everything):
        raise NothingThere(lacking(index.report, CPU_SAMPLES))
    chosen = chosen_samples(index, scope, everything, args.thread)
    everyone = chosen
    outside = len(samples_of(index, scope, everything, args.thread)) - len(everyone)
    if args.python:
        chosen = python_stacks(index, scope, chosen)
        if not len(chosen):
            raise NothingThere(f"{index.report.path.name}: {NO_PYTHON}")
    if not len(chosen):
        raise NothingThere(f"{index.report.path.name}: no CPU samples in {scope.window.label}")
    if args.folded:
        return print_folded(index, scope, chosen, args)
    table = made(index, scope, chosen, args)
    if not len(table):
        raise NothingThere(f"{index.report.path.name}: no CPU samples to divide by {args.per}")
    if args.python:
        count = f"{len(chosen):,} of {len(everyone):,} samples have Python in their stack"
        table = replace(table, note=count)
    return written(index, scope, table, coverage(index, scope, everyone, outside), args)


def made(index: Index, scope: Scope, samples: Samples, args: argparse.Namespace) -> Table:
    """The table that the options ask for. NothingThere: no sample has a stack, where stacks are asked for."""
    from tui.analysis.cpu.sample_groups import Per, grouped
    from tui.analysis.cpu.sample_table import By, has_stack, samples_table
    from tui.analysis.phases import Phase
    from tui.text.times import parse_duration

    by = By.STACK if args.folded else By(args.by or "leaf")
    groups = grouped(
        index, scope, samples, Per(args.per or "nothing"), Phase(args.phase), parse_duration(args.min_gap)
    )
    table = samples_table(index, scope, samples, by, groups)
    stacks = int(has_stack(samples).sum())
    if by.needs_stacks and stacks < len(samples):
        if not stacks:
            raise NothingThere(f"{index.report.path.name}: of these samples only the address is recorded")
        note = f"{stacks:,} of {len(samples):,} samples have a stack; the others are an address alone"
        table = replace(table, note=note)
    return table


def coverage(index: Index, scope: Scope, samples: Samples, outside: int) -> dict[str, object]:
    """How far the table can be trusted: figures for JSON, and ``words`` for people."""
    from tui.analysis.cpu.trust import coverage_of

    found = coverage_of(index, scope, samples, outside)
    return {**found.document(), "words": found.words()}


def print_folded(index: Index, scope: Scope, samples: Samples, args: argparse.Namespace) -> int:
    """Print one line a stack: its functions, root first, and how many samples have it."""
    from tui.output.folded_text import folded_lines

    if args.format or args.by:
        raise UsageError("--folded is a format of its own: it goes without --format and --by")
    table = made(index, scope, samples, args)
    with writing.destination(args.output, "table", index.report.path) as stream:
        stream.writelines(folded_lines(table))
    return 0


def print_callers(args: argparse.Namespace) -> int:
    """Print who makes the calls of which a backtrace was taken."""
    from tui.analysis.captured import lacking
    from tui.analysis.cpu.callers import callers_table, cuda_backtraces, has_backtraces
    from tui.analysis.kinds.cpu import CUDA_BACKTRACES, OS_BACKTRACES

    for option in ("by", "per", "thread", "folded"):
        if getattr(args, option):
            raise UsageError(f"--callers is a table of its own: it goes without --{option}")
    index, scope = opening.open_scope(args)
    table = callers_table(index, scope, args.callers, python=args.python)
    if not len(table):
        name = index.report.path.name
        if has_backtraces(index, args.callers) and args.python:
            raise NothingThere(f"{name}: no Python frames in the backtraces of such calls; {PYTHON_TRACES}")
        if has_backtraces(index, args.callers):
            raise NothingThere(f"{name}: no backtraces of such calls in {scope.window.label}")
        if args.callers == "cuda" and (note := cuda_backtraces(index).note):
            raise NothingThere(f"{name}: {note}")
        raise NothingThere(lacking(index.report, OS_BACKTRACES if args.callers == "os" else CUDA_BACKTRACES))
    return written(index, scope, table, None, args)


def written(
    index: Index, scope: Scope, table: Table, trust: dict[str, object] | None, args: argparse.Namespace
) -> int:
    """Write a table, or its rows as one JSON document."""
    from tui.output.json_text import head, records
    from tui.output.text_table import readable

    words = trust.pop("words") if trust else None
    fmt = writing.output_format(args)
    if fmt == "json":
        shown = table if args.top is None else table.head(args.top)
        document = {
            **head(index.report, scope),
            **({} if trust is None else {"by": args.by or "leaf", "per": args.per, "coverage": trust}),
            "rows": records(shown),
            "notes": [table.note] if table.note else [],
        }
        writing.write_document(document, index.report, args)
        return 0
    noted = replace(table, note="; ".join(str(part) for part in (words, table.note) if part) or None)
    top = args.top if args.top is not None else TOP if fmt == "table" else None
    if top is not None:
        noted = noted.head(top, "--top 0")
    if fmt == "table" and args.timeunit is None:
        noted = readable(noted)
    writing.write_tables([noted], index.report, scope, args)
    return 0
