"""``nsystui gaps``: how busy each device is, where it idles, and what the host was doing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from tui.commands.shared import many, opening, options, talk, writing
from tui.commands.shared.each_rank import Answer, answer_each
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.idle import Idle, IdleChoices
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table
    from tui.output.text_layout import TextLayout
    from tui.report.data import Device

TABLES = ("devices", "blame", "gaps")
TOP = 10

EPILOG = """\
The window is the work window, from the first to the last device op or step, or what --range says; the first
line names it, in JSON window.label.

A gap is a hole in the union of a device's ops. What explains it (--blame owner, the default): the op
that ends the gap names its launch and so the thread. What that thread did from the gap's start to the
launch is the host's part: a CUDA, MPI or OS call, or host code, which is CPU time between traced calls;
from the launch to the gap's end is launch latency; an op launched before the gap began was queued.

--blame midpoint names the CUDA call, of any thread, in progress at the middle of the gap, as a well-known
script does. With either rule the time of the window before a device's first op counts (kind: leading), and
the time after its last (trailing); that script looks only at the interior gaps, between a device's first
and last kernel.

classes, of what the responsible thread was doing when it should have launched the next op:
  profiler overhead, JIT compilation,
  module load               the profiler or CUDA's driver was at work on it, in whatever call
  synchronisation, memory management, blocking copy,
  launch, other CUDA call   inside such a CUDA call (launch: of other work)
  MPI call                  inside a call of MPI, no CUDA call: mostly waiting for other ranks
  OS call                   inside a call of the operating system, neither CUDA nor MPI call
  GIL                       a wait for the lock of Python's interpreter (--trace=python-gil), in no other call
  host code                 in none of them: Python, a compiler, a lock; without OS calls traced also those
  launch latency            the op was being launched: from its launch call's start to its own
  queued                    launched before the gap began: waited for earlier work, an event or the graph
  no later work             nothing follows on this device
  other context             meanwhile the GPU worked for another process
  unknown                   no CUDA calls were traced
A gap also names, where the capture has it, which files its thread read (read), and which stream's work an
op that was queued waited for (waits for): that before the CUDA event which its stream waited for. A phase
names the call of cuDNN or cuBLAS that the thread was in.
with --cpu:
  host code                 of a thread that ran, which function most of its samples are in (hot: of 3 samples
                            or more at least 30%), or of one without scheduling data
  host code, off CPU        the thread did not run: it slept, or waited in something that was not traced
Where GPU metrics were captured: SM active is its mean while kernels run, hollow the kernel time in which
SMs stood empty (kernel time times what is missing to 100%), and busy elsewhere the idle time in which the
device's engine was active for more than 5%: it worked for another process, or on what was not recorded.
Caller is who made a CUDA or OS call, where its backtrace was taken: the innermost function outside the C
and C++ libraries, the loader, CUDA's libraries and libtorch.

examples:
  nsystui gaps run.sqlite                                  the ten longest gaps of each device
  nsystui gaps run.sqlite --phase outer                    blame by the ranges just inside the step
  nsystui gaps run.sqlite --range nvtx:capture_window      the share without recorded activity in it
  nsystui gaps run.sqlite --busy kernels --blame midpoint  that script's figures: the interior gaps
  nsystui gaps run.sqlite --min-gap 1ms -f csv -o gaps.csv every gap of a millisecond and more
  nsystui gaps run.sqlite --cpu                            host code that ran, and host code that waited
  nsystui gaps run.sqlite -f json                          everything, exact, in nanoseconds
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui gaps``."""
    many.add_inputs(parser)
    add = parser.add_argument_group("gaps").add_argument
    add("--min-gap", metavar="TIME", default="100us", help="list gaps from this length up (default: 100us)")
    add(
        "--top",
        metavar="N",
        type=int,
        help=f"the N longest gaps and biggest reasons of each device (default: {TOP} in a table, else all)",
    )
    add("--blame", choices=("owner", "midpoint"), default="owner", help="how to explain a gap (below)")
    add(
        "--phase",
        choices=("inner", "outer"),
        default="inner",
        help="group by the innermost NVTX range, or by the one just inside the step",
    )
    add(
        "--busy",
        choices=("all", "kernels", "compute"),
        default="all",
        help="what counts as busy: any op, kernels, or kernels that are no communication",
    )
    add(
        "--cpu",
        action="store_true",
        help="divide host code by whether its thread ran; name its hot function, and the callers of calls",
    )
    add("--table", choices=TABLES, action="append", help="which table (default: all; for csv and tsv: gaps)")
    options.add_all(parser)
    many.add_options(parser)


@dataclass(frozen=True)
class _Found:
    """What a report says of its gaps."""

    index: Index
    scope: Scope
    idle: Idle


def run(args: argparse.Namespace) -> int:
    """Print the busy time, gaps and blame of every device in scope."""
    from dataclasses import replace

    from tui.analysis.gap_context import deep_note
    from tui.analysis.notes import capture_notes
    from tui.analysis.stats.dominant import with_note
    from tui.output.idle_output import gaps_document, write_idle

    idle_choices(args)  # what does not parse is said before anything is opened
    if args.top is not None and args.top < 0:
        raise UsageError(f"--top {args.top} is negative")
    if not many.is_one(args):
        return answer_each(args, answer, split=True, order=TABLES, glance=True)
    found = find(args)
    index, idle, report = found.index, found.idle, found.index.report

    def write_text(stream: TextIO, layout: TextLayout) -> None:
        top = TOP if args.top is None else args.top
        listed = tables(index, idle, args.table or TABLES, top, short=not args.wide)
        write_idle(
            index,
            idle,
            listed if args.table else [table for table in listed if len(table)],
            capture_notes(index),
            stream,
            layout,
            title=report.path.name,
            glance=args.timeunit is None,
        )

    writing.write_answer(
        report,
        found.scope,
        args,
        document=lambda: gaps_document(index, idle, args.top),
        text=write_text,
        tables=lambda: [
            replace(table, note=with_note(table.note, deep_note(index))) if table.name == "gaps" else table
            for table in tables(index, idle, args.table or ["gaps"], args.top, short=False)
        ],
    )
    return 0


def answer(args: argparse.Namespace) -> Answer:
    """The gaps of a rank of a set."""
    from tui.output.idle_output import gaps_document

    found = find(args)
    text = writing.output_format(args) == "table"
    names = args.table or (TABLES if text else ["gaps"])
    top = TOP if args.top is None and text else args.top
    listed = tables(found.index, found.idle, names, top, short=text and not args.wide)
    devices = iter(found.idle.devices)
    listed = [_of_device(t, next(devices).gaps.device) if t.name == "blame" else t for t in listed]
    return Answer(listed, lambda: gaps_document(found.index, found.idle, args.top))


def _of_device(table: Table, device: Device) -> Table:
    """The reasons of one device, which are a table of their own in a report, as rows of one table."""
    from dataclasses import replace

    from tui.analysis.table import Column, Unit

    number = Column("Device", "device", Unit.ID, [device.cuda_id] * len(table))
    return replace(table, title="What explains the listed gaps", columns=(number, *table.columns))


def find(args: argparse.Namespace) -> _Found:
    """Work out the idle time of a report's devices. Raises NothingThere where it has none in scope."""
    from tui.analysis.idle import idle_time
    from tui.analysis.index import Comm, Index
    from tui.analysis.steps import find_steps

    choices = idle_choices(args)
    report = opening.open_report(args)
    if not len(report.ops):
        talk.tell_doubtful(report, getattr(args, "say", None))
        raise NothingThere(f"{report.path.name}: no GPU work recorded")
    index = Index(report, Comm(args.comm), args.step)
    scope = opening.scope(report, args, index=index, min_gap_ns=choices.min_gap_ns, busy=choices.busy)
    steps = find_steps(index, args.step) if args.step else None
    if steps is not None and not steps:
        raise NothingThere(f"{report.path.name}: no NVTX range is called {args.step!r}")
    idle = idle_time(index, scope, choices, steps)
    if not idle.devices:
        chosen_pids = ",".join(map(str, args.process))
        raise NothingThere(f"{report.path.name}: no GPU work recorded of --process {chosen_pids}")
    return _Found(index, scope, idle)


def idle_choices(args: argparse.Namespace) -> IdleChoices:
    """The choices for :func:`idle_time` that the options make."""
    from tui.analysis.blame import BlameMethod
    from tui.analysis.idle import IdleChoices
    from tui.analysis.index import Busy
    from tui.analysis.phases import Phase
    from tui.text.times import parse_duration

    return IdleChoices(
        parse_duration(args.min_gap), Busy(args.busy), BlameMethod(args.blame), Phase(args.phase), args.cpu
    )


def tables(index: Index, idle: Idle, names: Sequence[str], top: int | None, *, short: bool) -> list[Table]:
    """The tables of these names, in their own order."""
    from dataclasses import replace

    from tui.analysis.gap_tables import devices_table, gaps_note, gaps_table, reasons_table
    from tui.analysis.metrics.beside_busy import device_columns, gap_column

    cpu = idle.choices.cpu
    found = []
    if "devices" in names:
        beside = device_columns(index, [device.busy for device in idle.devices], idle.scope.window)
        found.append(devices_table(idle, beside))
    if "blame" in names:
        found += [reasons_table(device, top, index if cpu else None) for device in idle.devices]
    if "gaps" in names:
        listed = gaps_table(index, idle.devices, top, short=short, cpu=cpu)
        if (elsewhere := gap_column(index, listed)) is not None:
            listed = replace(listed, columns=(*listed.columns, elsewhere))
        found.append(replace(listed, note=gaps_note(idle, top)))
    return found
