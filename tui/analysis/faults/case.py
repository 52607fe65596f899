"""What the fault modules look at: one report, one scope, and what several of them need worked out."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

import numpy as np

from tui.analysis.busy import Communication, communication, scoped_devices
from tui.analysis.choices import Choices
from tui.analysis.faults.commands import Commands
from tui.analysis.faults.finding import Claim, Lost
from tui.analysis.faults.ledger import Ledger
from tui.analysis.faults.limits import limits_from
from tui.analysis.faults.pace import Pace, first_launches, kernel_launches, paces, starts_late
from tui.analysis.faults.pieces import Pieces, find_pieces
from tui.analysis.faults.same import SameKernels, same_kernels
from tui.analysis.grouping import dense
from tui.analysis.index import Busy, Index
from tui.analysis.scope import Scope
from tui.analysis.steps import NO_STEPS, Steps, find_steps
from tui.intervals import Coverage, Spans, subtract, union
from tui.report.classify import base_api_name
from tui.report.columns import Bool, Int32, Int64, Positions
from tui.report.model import Device, OpKind, Report


class Case:
    """One report under examination. Everything is built on first use; nothing but the ledger changes.

    UsageError where ``choices`` hold a limit that there is not, or that can't be meant.
    """

    def __init__(self, index: Index, choices: Choices) -> None:
        scope, step = choices.scope, choices.step
        self.index = index
        self.report: Report = index.report
        self.limits = limits_from(choices.limits)
        self.steps: Steps = find_steps(index, step, scope.processes) if len(self.report.ranges) else NO_STEPS
        self.scope = _with_late_start(index, scope, self.steps, self.limits.outlier_ratio)
        self.window = self.scope.window
        self.commands = Commands(self.report, self.scope, step)
        self.ledger = Ledger(self.lost)
        """What the findings so far are charged with."""

    # --- devices ---

    @cached_property
    def devices(self) -> list[Device]:
        """The devices in scope that have work."""
        return scoped_devices(self.index, self.scope)

    @property
    def device_ns(self) -> int:
        """The window times the devices: what all shares are shares of."""
        return len(self.devices) * self.window.length

    def busy(self, device: int, busy: Busy = Busy.ALL) -> Spans:
        """Merged busy time of a device inside the window."""
        cut = self.index.coverage(device, self.scope.processes, busy).cut(self.window.start, self.window.end)
        return Spans(cut.start, cut.end)

    def idle(self, device: int) -> Spans:
        """The holes in a device's busy time inside the window, its edges included."""
        return self.index.coverage(device, self.scope.processes).gaps(self.window.start, self.window.end)

    def compute(self, device: int) -> Coverage:
        """Time in which a kernel that is no communication, or a graph, runs."""
        if device not in self._compute:
            ops = self.report.ops
            kernels = self.index.ops_of(device, self.scope.processes, Busy.KERNELS)
            kernels = kernels[~self.index.communicates[kernels]]
            self._compute[device] = Coverage(ops.start[kernels], ops.end[kernels])
        return self._compute[device]

    @cached_property
    def _compute(self) -> dict[int, Coverage]:
        return {}

    def communication(self, device: int) -> Communication:
        """Communication of a device and the part of it that no compute hides."""
        if device not in self._talk:
            self._talk[device] = communication(self.index, device, self.scope.processes)
        return self._talk[device]

    @cached_property
    def _talk(self) -> dict[int, Communication]:
        return {}

    def alone(self, device: int, start: Int64, end: Int64) -> Spans:
        """The part of these intervals in which no compute runs on the device, inside the window."""
        merged = union(np.maximum(start, self.window.start), np.minimum(end, self.window.end))
        left = subtract(merged, self.compute(device).spans)
        return Spans(left.start, left.end)

    def lost(self, device: int, lost: Lost) -> Spans:
        """All the time of one kind that there is to lay claim to on a device."""
        key = (device, lost)
        if key not in self._lost:
            self._lost[key] = self._find_lost(device, lost)
        return self._lost[key]

    @cached_property
    def _lost(self) -> dict[tuple[int, Lost], Spans]:
        return {}

    def _find_lost(self, device: int, lost: Lost) -> Spans:
        if lost is Lost.IDLE:
            return self.idle(device)
        inside = self.compute(device).cut(self.window.start, self.window.end)
        compute = Spans(inside.start, inside.end)
        if lost is Lost.SLOWED:
            return compute
        left = subtract(self.busy(device), compute)
        return Spans(left.start, left.end)

    def exposed(self, op: Positions) -> list[Claim]:
        """The time of these ops in which no compute runs beside them, by device."""
        ops, claims = self.report.ops, []
        for device in np.unique(ops.device[op]).tolist():
            mine = op[ops.device[op] == device]
            claims.append(Claim(device, Lost.SERIALISED, self.alone(device, ops.start[mine], ops.end[mine])))
        return claims

    # --- steps and idle time ---

    @cached_property
    def paces(self) -> list[Pace]:
        """The steps of each process in the window."""
        return paces(self.index, self.steps, self.window, self.scope.processes)

    @property
    def all_steps(self) -> int:
        """Steps of all processes together."""
        return sum(len(p) for p in self.paces)

    @property
    def step_count(self) -> int:
        """Steps of the process that has most of them; 0 without steps."""
        return max((len(p) for p in self.paces), default=0)

    @cached_property
    def pieces(self) -> Pieces:
        """All idle time in gaps that a host can do something about, by cause."""
        return find_pieces(self.index, self.scope, self.paces, self.limits.blame_floor_ns)

    # --- names ---

    def text(self, string: int) -> str:
        """A name of the report."""
        return str(self.report.strings[string])

    def call_name(self, string: int) -> str:
        """A CUDA call's name without its version."""
        return base_api_name(self.text(string))

    def names_like(self, names: Int32, pattern: re.Pattern[str]) -> Bool:
        """Which of these names (positions in ``Report.strings``, -1 none) the pattern is found in."""
        groups, used = dense(names)
        fits = np.array([n >= 0 and bool(pattern.search(self.text(n))) for n in used.tolist()], bool)
        return fits[groups]

    def ranges_like(self, pattern: re.Pattern[str]) -> Bool:
        """Per range of the report: whether it or one around it bears a label like ``pattern``."""
        return self.index.once(("ranges like", pattern), lambda: self._find_ranges_like(pattern))

    def _find_ranges_like(self, pattern: re.Pattern[str]) -> Bool:
        ranges = self.report.ranges
        groups, used = dense(ranges.name)
        labels = [self.index.labels[n] if n >= 0 else "" for n in used.tolist()]
        inside: Bool = np.array([bool(pattern.search(text)) for text in labels], bool)[groups]
        own = inside.copy()
        current = ranges.parent.copy()
        while (current >= 0).any():  # once per nesting level
            climbing = np.flatnonzero(current >= 0)
            inside[climbing] |= own[current[climbing]]
            current[climbing] = ranges.parent[current[climbing]]
        return inside

    def device_name(self, device: int) -> str:
        """``GPU 0``."""
        return f"GPU {self.report.devices[device].cuda_id}"

    @cached_property
    def own_threads(self) -> Bool:
        """Per thread: whether its process is in scope."""
        of_thread = self.index.process_of_thread
        processes = self.scope.processes
        if processes is None:
            return np.ones(len(of_thread), bool)
        own: Bool = np.isin(of_thread, processes)
        return own

    # --- ops ---

    @cached_property
    def in_scope(self) -> Bool:
        """Per op: whether it belongs to the scope's devices and processes and overlaps the window."""
        ops = self.report.ops
        chosen = (ops.start < self.window.end) & (ops.end > self.window.start)
        chosen &= np.isin(ops.device, [d.index for d in self.devices])
        if self.scope.processes is not None:
            chosen &= np.isin(ops.process, self.scope.processes)
        return chosen

    @cached_property
    def kernels(self) -> Positions:
        """Kernels in scope, by start: positions in ``Report.ops``."""
        return np.flatnonzero(self.in_scope & (self.report.ops.kind == OpKind.KERNEL))

    @cached_property
    def all_kernels(self) -> Positions:
        """Every kernel of the report, in the order of ``Report.kernels``: positions in ``Report.ops``."""
        return np.flatnonzero(self.report.ops.kind == OpKind.KERNEL)

    @cached_property
    def copies(self) -> Positions:
        """Copies in scope, by start: positions in ``Report.ops``."""
        return np.flatnonzero(self.in_scope & (self.report.ops.kind == OpKind.MEMCPY))

    @cached_property
    def same(self) -> SameKernels:
        """Compute kernels in scope, grouped by what makes two of them comparable."""
        return same_kernels(self.report, self.kernels[~self.index.communicates[self.kernels]])


def _with_late_start(index: Index, scope: Scope, steps: Steps, ratio: float) -> Scope:
    """The default window, begun with the first step where that keeps the device waiting unusually long.

    The first op came late then, and what it waited for is part of the story.
    """
    if scope.window.chosen:
        return scope
    begin = scope.window.start
    for sequence in steps.sequences:
        if len(sequence) and (scope.processes is None or sequence.process in scope.processes):
            launches = kernel_launches(index, sequence.process)
            leading = first_launches(launches, sequence.start, sequence.end) - sequence.start
            if starts_late(leading, ratio):
                begin = min(begin, int(sequence.start[0]))
    if begin == scope.window.start:
        return scope
    window = replace(scope.window, start=begin, label="first step to last device op")
    return replace(scope, window=window)
