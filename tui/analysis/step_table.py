"""What each step cost (time, busy and idle device time, work, communication), and how even steps are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tui.analysis.accounts import not_idle, shown_work
from tui.analysis.busy import joint, scoped_devices
from tui.analysis.index import Busy, Index, Processes
from tui.analysis.scope import Scope
from tui.analysis.steps import Steps, StepSequence
from tui.analysis.table import Column, Table, Unit
from tui.intervals import Grouped, subtract, union_by_group
from tui.report.columns import Bool, Int64
from tui.report.model import OpKind
from tui.text.times import show_duration

# An outlier lies this many scaled MADs from the median, and at least this share of it.
_OUTLIER_MADS = 3.0
_MAD_TO_SIGMA = 1.4826
_OUTLIER_SHARE = 0.05


@dataclass(frozen=True)
class Spread:
    """How evenly steps run. Unfinished steps are left out."""

    count: int
    median_ns: float
    mad_ns: float
    """Median absolute deviation from the median."""
    p95_ns: int
    """The shortest duration that at least 95 % of the steps do not exceed."""
    min_ns: int
    max_ns: int


@dataclass(frozen=True)
class StepCosts:
    """The device's figures of the steps of one process; arrays have one entry a step, by start.

    ``comm`` and ``exposed`` are those of the collectives that the step launched, whole, on the device's
    clock.

    They are those of the process's own ops on the devices in scope, clipped to the step (ns); where
    it uses several devices, a moment counts as busy when any of them is. ``kernels`` and ``launches``
    count what calls made within the step issued; a kernel without a recorded launch (all of them, for a
    guess) counts in the step in which it starts. All of these are None, unknown, where the process has
    no recorded ops; ``launches`` also where no calls were recorded.
    """

    busy: Int64 | None
    other: Int64 | None
    """Work of another API and no CUDA work."""
    unknown: Int64 | None
    """Nothing recorded, but something was launched of which no work was recorded."""
    comm: Int64 | None
    exposed: Int64 | None
    kernels: Int64 | None
    launches: Int64 | None
    device_busy: tuple[tuple[int, Int64], ...]
    """(position in ``Report.devices``, busy time per step) for each device that the process uses."""


@dataclass(frozen=True)
class StepRows(StepCosts):
    """The steps of one process in a window."""

    sequence: StepSequence
    number: Int64
    """1 for the process's first step, whatever the window."""
    range: Int64
    start: Int64
    duration: Int64
    unfinished: Bool
    """Its range was never closed, or it is the last step of a guess, which no further step ends."""
    outlier: Bool
    spread: Spread | None

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def idle(self) -> Int64 | None:
        if self.busy is None or self.other is None or self.unknown is None:
            return None
        return self.duration - self.busy - self.other - self.unknown


def step_rows(index: Index, steps: Steps, scope: Scope) -> list[StepRows]:
    """The steps of each process in scope: those that overlap a chosen window, or all of them."""
    wanted = [s for s in steps.sequences if scope.processes is None or s.process in scope.processes]
    return [_rows(index, sequence, scope) for sequence in wanted]


def _rows(index: Index, sequence: StepSequence, scope: Scope) -> StepRows:
    shown = np.arange(len(sequence))
    window = scope.window
    if window.chosen:
        shown = np.flatnonzero((sequence.start < window.end) & (sequence.end > window.start))
    start, end = sequence.start[shown], sequence.end[shown]
    unfinished = sequence.unfinished(index.report.ranges.unfinished)[shown]
    finished = np.flatnonzero(~unfinished)
    spread = spread_of((end - start)[finished])
    outlier = np.zeros(len(shown), bool)
    if spread is not None:
        outlier[finished] = outliers((end - start)[finished], spread)

    devices = tuple(d.index for d in scoped_devices(index, scope))
    key = ("step costs", sequence.process, sequence.start.tobytes(), sequence.end.tobytes(), devices)
    costs = vars(index.once(key, lambda: _costs(index, sequence, devices))).copy()
    per_device = tuple((device, busy[shown]) for device, busy in costs.pop("device_busy"))
    return StepRows(
        **{name: None if values is None else values[shown] for name, values in costs.items()},
        device_busy=per_device,
        sequence=sequence,
        number=shown + 1,
        range=sequence.ranges[shown],
        start=start,
        duration=end - start,
        unfinished=unfinished,
        outlier=outlier,
        spread=spread,
    )


def _costs(index: Index, sequence: StepSequence, among: tuple[int, ...]) -> StepCosts:
    """The figures of all steps of a sequence, whatever the window."""
    start, end = sequence.start, sequence.end
    own: Processes = (sequence.process,)
    devices = [d for d in among if sequence.process in index.users[d]]
    busy = other = unseen = comm = exposed = kernels = launches = None
    if devices:
        busy = joint([index.coverage(d, own) for d in devices]).between(start, end)
        shown = joint([shown_work(index, d, own) for d in devices]).between(start, end)
        other = shown - busy
        unseen = joint([not_idle(index, d, own) for d in devices]).between(start, end) - shown
        comm, exposed = _communication(index, sequence, devices)
        kernels = _within(_kernel_times(index, own, devices, not sequence.on_device), start, end)
        if len(index.report.calls):
            launches = _within(index.launch_times(sequence.process), start, end)
    device_busy = tuple((d, index.coverage(d, own).between(start, end)) for d in devices)
    return StepCosts(busy, other, unseen, comm, exposed, kernels, launches, device_busy)


def _communication(index: Index, sequence: StepSequence, devices: list[int]) -> tuple[Int64, Int64]:
    """(communication, exposed communication) of each step: of the collectives that it launched.

    On the device's clock: wherever the host is already when they run. A collective without a recorded launch
    counts in the step in which it starts; of a guess all do.
    """
    ops, count = index.report.ops, len(sequence)
    spans: list[Grouped] = []
    alone: list[Grouped] = []
    for device in devices:
        mine = index.ops_of(device, (sequence.process,), Busy.KERNELS)
        mine = mine[index.communicates[mine]]
        times = ops.start[mine] if sequence.on_device else index.launched_at(mine)
        step = np.searchsorted(sequence.start, times, "right") - 1
        inside = (step >= 0) & (times < sequence.end[np.maximum(step, 0)])
        found = union_by_group(ops.start[mine[inside]], ops.end[mine[inside]], step[inside])
        compute = index.coverage(device, (sequence.process,), Busy.COMPUTE)
        left = subtract(found[:2], compute.spans)
        spans.append(found)
        alone.append(Grouped(left.start, left.end, found.group[left.source]))
    return _lengths(spans, count), _lengths(alone, count)


def _lengths(parts: list[Grouped], count: int) -> Int64:
    """How long the spans of each of ``count`` groups are in all, each instant once."""
    joined = [np.concatenate([getattr(part, name) for part in parts]) for name in Grouped._fields]
    found = union_by_group(*joined)
    return np.bincount(found.group, found.end - found.start, count).astype(np.int64)


def _kernel_times(index: Index, own: Processes, devices: list[int], by_launch: bool) -> Int64:
    """When each kernel was launched (started: where no launch is recorded, or not ``by_launch``), sorted."""
    ops = index.report.ops
    kernels = np.concatenate([index.ops_of(device, own, Busy.KERNELS) for device in devices])
    kernels = kernels[ops.kind[kernels] == OpKind.KERNEL]
    return np.sort(index.launched_at(kernels) if by_launch else ops.start[kernels])


def _within(times: Int64, start: Int64, end: Int64) -> Int64:
    """How many of the sorted ``times`` lie in each ``[start, end)``."""
    return np.searchsorted(times, end, "left") - np.searchsorted(times, start, "left")


def spread_of(durations: Int64) -> Spread | None:
    """The spread of durations; None for none."""
    if not len(durations):
        return None
    ordered = np.sort(durations)
    median = float(np.median(ordered))
    rank = -(-len(ordered) * 95 // 100)  # ceiling
    return Spread(
        count=len(ordered),
        median_ns=median,
        mad_ns=float(np.median(np.abs(ordered - median))),
        p95_ns=int(ordered[rank - 1]),
        min_ns=int(ordered[0]),
        max_ns=int(ordered[-1]),
    )


def outliers(durations: Int64, spread: Spread) -> Bool:
    """Which durations are far from the median, both by the MAD and by a share of the median."""
    limit = max(_OUTLIER_MADS * _MAD_TO_SIGMA * spread.mad_ns, _OUTLIER_SHARE * spread.median_ns)
    far: Bool = np.abs(durations - spread.median_ns) > limit
    return far


def steps_table(index: Index, sequences: Sequence[StepRows], *, every: bool = False) -> Table:
    """One row a step, process by process; ``every``: with the columns that have nothing in them, too."""
    rows = [(s, i) for s in sequences for i in range(len(s))]

    def counted(name: str) -> list[int | None]:
        columns = ((getattr(sequence, name), i) for sequence, i in rows)
        return [None if values is None else int(values[i]) for values, i in columns]

    shown = [name for name, _ in _BESIDES if every or _any(sequences, name)]
    return Table(
        "steps",
        "Steps",
        (
            Column("PID", "pid", Unit.TEXT, [_pid(index, s) for s, _ in rows]),
            Column("Step", "step", Unit.ID, counted("number")),
            Column("Name", "name", Unit.TEXT, [step_name(index, s, i) for s, i in rows], blank="(guess)"),
            Column("Start (ns)", "start_ns", Unit.NS, counted("start"), rank=1),
            Column("Duration (ns)", "duration_ns", Unit.NS, counted("duration")),
            Column("Busy (ns)", "busy_ns", Unit.NS, counted("busy"), rank=1),
            *(Column(*head, Unit.NS, counted(name)) for name, head in _BESIDES if name in shown),
            Column("Idle (ns)", "idle_ns", Unit.NS, counted("idle")),
            Column("Idle (%)", "idle_pct", Unit.PCT, [_share(s, i) for s, i in rows]),
            Column("Kernels", "kernels", Unit.COUNT, counted("kernels")),
            Column("Launches", "launches", Unit.COUNT, counted("launches"), rank=3),
            Column("Comm (ns)", "comm_ns", Unit.NS, counted("comm"), rank=2),
            Column("Exposed comm (ns)", "exposed_comm_ns", Unit.NS, counted("exposed"), rank=2),
            Column("Remark", "remark", Unit.TEXT, [_remark(s, i) for s, i in rows], blank=""),
        ),
        "; ".join(step_notes(index)) or None,
    )


_BESIDES = (("other", ("Other (ns)", "other_ns")), ("unknown", ("Unknown (ns)", "unknown_ns")))
"""Columns that only show up where some step has such time."""


def _any(sequences: Sequence[StepRows], name: str) -> bool:
    columns = (getattr(rows, name) for rows in sequences)
    return any(values is not None and values.any() for values in columns)


def step_notes(index: Index) -> list[str]:
    """What was not recorded in this capture and is missing from the figures of steps, or not sure in them."""
    graphs = len(index.report.graphs)
    unsure = list(index.report.device_notes)
    if not graphs:
        return unsure
    return [
        *unsure,
        f"{graphs:,} graph launches were recorded whole: the kernels and the communication inside them are "
        "counted as busy time only (record them with --cuda-graph-trace=node)",
    ]


def step_name(index: Index, rows: StepRows, i: int) -> str | None:
    """The name of a step's range, as recorded; None for a guess."""
    position = int(rows.range[i])
    return index.report.strings[int(index.report.ranges.name[position])] if position >= 0 else None


def spread_table(index: Index, sequences: Sequence[StepRows]) -> Table:
    """How evenly the steps of each process run."""
    rows = [(s, s.spread) for s in sequences if s.spread is not None]
    return Table(
        "spread",
        "How evenly the steps run",
        (
            Column("PID", "pid", Unit.TEXT, [_pid(index, s) for s, _ in rows]),
            Column("Steps", "steps", Unit.COUNT, [r.count for _, r in rows]),
            Column("Median (ns)", "median_ns", Unit.NS_1, [round(r.median_ns, 1) for _, r in rows]),
            Column("MAD (ns)", "mad_ns", Unit.NS_1, [round(r.mad_ns, 1) for _, r in rows]),
            Column("P95 (ns)", "p95_ns", Unit.NS, [r.p95_ns for _, r in rows]),
            Column("Min (ns)", "min_ns", Unit.NS, [r.min_ns for _, r in rows]),
            Column("Max (ns)", "max_ns", Unit.NS, [r.max_ns for _, r in rows]),
            Column("Outliers", "outliers", Unit.TEXT, [_outliers(s) for s, _ in rows], blank="-"),
        ),
        "; ".join(_usual(index, sequences)) or None,
    )


def _usual(index: Index, sequences: Sequence[StepRows]) -> Iterator[str]:
    """Yield what the usual step of each process takes, where only some of its steps are shown."""
    for rows in sequences:
        usual = rows.sequence.usual_ns(index.report.ranges.unfinished)
        if 0 < len(rows) < len(rows.sequence) and usual is not None:
            whole = f"all {len(rows.sequence):,} steps of process {_pid(index, rows)}"
            yield f"the median of {whole} is {show_duration(round(usual))}"


def _pid(index: Index, rows: StepRows) -> str:
    return str(index.report.processes[rows.sequence.process].pid)


def _share(rows: StepRows, i: int) -> float | None:
    idle, duration = rows.idle, int(rows.duration[i])
    return round(100 * int(idle[i]) / duration, 1) if idle is not None and duration else None


def _remark(rows: StepRows, i: int) -> str | None:
    if rows.unfinished[i]:
        return "unfinished"
    if rows.outlier[i] and rows.spread is not None:
        return "slow" if rows.duration[i] > rows.spread.median_ns else "quick"
    return None


def _outliers(rows: StepRows) -> str | None:
    return ", ".join(str(n) for n in rows.number[rows.outlier].tolist()) or None
