"""A report and a scope under diagnosis, with everything that several faults need."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, TypeVar

import numpy as np

from tui.analysis.accounts import not_idle
from tui.analysis.blame import BlameClass
from tui.analysis.busy import communication, scoped_devices
from tui.analysis.choices import Choices
from tui.analysis.faults.commands import Commands
from tui.analysis.faults.finding import Claim, Lost
from tui.analysis.faults.ledger import Ledger
from tui.analysis.faults.limits import limits_from
from tui.analysis.faults.pace import Pace, paces, starts_late
from tui.analysis.faults.pieces import Pieces, find_pieces
from tui.analysis.faults.same_kernels import SameKernels, group_kernels
from tui.analysis.grouping import dense, that_fit
from tui.analysis.index import Busy, Index
from tui.analysis.step_guess import guess_steps
from tui.analysis.steps import NO_STEPS, Steps, find_steps
from tui.intervals import Coverage, Spans, empty, intersect, subtract, union
from tui.report.classify import base_api_name
from tui.report.columns import Bool, Int32, Int64, Positions
from tui.report.model import Device, OpKind, Report

T = TypeVar("T")


class Case:
    """One report under diagnosis. Everything is built on first use; nothing but the ledger changes.

    UsageError where ``choices`` hold an unknown limit, or an impossible value of one.
    """

    def __init__(self, index: Index, choices: Choices) -> None:
        scope, step = choices.scope, choices.step
        self.index = index
        self.report: Report = index.report
        self.limits = limits_from(choices.limits)
        self.steps: Steps = find_steps(index, step, scope.processes) if len(self.report.ranges) else NO_STEPS
        if choices.guess and not self.steps:
            self.steps = guess_steps(index, scope.processes, launched=True)
        self.scope = scope
        self.window = self.scope.window
        guessed = bool(self.steps) and self.steps.sequences[0].on_device
        self.commands = Commands(index, self.scope, step, guess=guessed)
        self._running, self._lost = cache(self._find_running), cache(self._find_lost)
        self.ledger = Ledger(self._lost)
        """The time that the findings so far are charged with."""
        self._kept: dict[str, Any] = {}
        self.edges = self._find_edges()
        """What of the window needs no explanation: before the first op and after the last, merged."""

    def once(self, key: str, build: Callable[[], T]) -> T:
        """Return what ``build`` makes, calling it only the first time for a key."""
        if key not in self._kept:
            self._kept[key] = build()
        found: T = self._kept[key]
        return found

    # --- devices ---

    @cached_property
    def devices(self) -> list[Device]:
        """The devices in scope that have work."""
        return scoped_devices(self.index, self.scope)

    @property
    def device_ns(self) -> int:
        """The window times the devices: the time that percentages are of."""
        return len(self.devices) * self.window.length

    def busy(self, device: int) -> Spans:
        """Return the merged busy time of a device inside the window."""
        return self._in_window(self.index.coverage(device, self.scope.processes))

    def compute(self, device: int) -> Coverage:
        """Return the time in which a graph, or a kernel that is not communication, runs."""
        return self._running(device, False)

    def communication(self, device: int) -> Coverage:
        """Return the time in which a communication kernel runs."""
        return self._running(device, True)

    def _find_running(self, device: int, communicates: bool) -> Coverage:
        if not communicates:
            return self.index.coverage(device, self.scope.processes, Busy.COMPUTE)
        return communication(self.index, device, self.scope.processes).comm

    def _in_window(self, coverage: Coverage) -> Spans:
        return Spans(*coverage.cut(self.window.start, self.window.end)[:2])

    def _find_lost(self, device: int, lost: Lost) -> Spans:
        """Return all the time of one kind that a device lost, or could have."""
        if lost is Lost.IDLE:
            held = not_idle(self.index, device, self.scope.processes)
            return held.gaps(self.window.start, self.window.end)
        compute = self._in_window(self.compute(device))
        return compute if lost is Lost.SLOWED else Spans(*subtract(self.busy(device), compute)[:2])

    def _find_edges(self) -> Spans:
        """Return what of the window lies before the first op and after the last.

        The first step finds nothing queued, whatever the program does, so an ordinary beginning of a step
        shows there and nowhere else. Only one that is much later than those of the other steps counts. A
        window that was chosen has no edges.
        """
        span = self.report.op_span
        if self.scope.window.chosen or span is None:
            return empty()
        start, end = np.array([self.window.start, span[1]]), np.array([span[0], self.window.end])
        if any(starts_late(p.first_work - p.opening, self.limits.outlier_ratio) for p in self.paces):
            start, end = start[1:], end[1:]
        return union(start, end)

    def exposed_claims(self, op: Positions, since: Int64 | None = None) -> list[Claim]:
        """Return the time of these ops (``since`` given: its last part) without compute, by device."""
        ops = self.report.ops
        start = ops.start[op] if since is None else since
        claims = Claim.by_device(ops.device[op], Lost.SERIALISED, start, ops.end[op])
        return [replace(c, spans=intersect(union(*c.spans), self._lost(c.device, c.lost))) for c in claims]

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

    def in_warm_up(self, pieces: Pieces) -> Bool:
        """Return which pieces belong to the warm-up of their process."""
        return pieces.in_steps([np.arange(len(p)) < p.warm_up_steps(self.limits) for p in self.paces])

    def in_outliers(self, pieces: Pieces) -> Bool:
        """Return which pieces belong to outlier steps."""
        return pieces.in_steps([pace.outlier_steps(self.limits) for pace in self.paces])

    @cached_property
    def pieces(self) -> Pieces:
        """Idle time in gaps that are long enough to be the host's doing, by cause."""
        return find_pieces(self.index, self.scope, self.paces, self.limits.blame_floor_ns)

    # --- names ---

    def text(self, string: int) -> str:
        """Return a name of the report."""
        return str(self.report.strings[string])

    def call_name(self, string: int) -> str:
        """Return a CUDA call's name without its version."""
        return base_api_name(self.text(string))

    def names_like(self, names: Int32, pattern: re.Pattern[str]) -> Bool:
        """Return which names (positions in ``Report.strings``, -1 none) the pattern is found in."""
        return that_fit(names, lambda n: n >= 0 and bool(pattern.search(self.text(n))))

    def in_os_calls_like(self, pieces: Pieces, pattern: re.Pattern[str]) -> Bool:
        """Return which pieces lie in an OS call with such a name."""
        return self.names_like(np.where(pieces.cause == BlameClass.OS_CALL, pieces.call, -1), pattern)

    def ranges_like(self, pattern: re.Pattern[str]) -> Bool:
        """Return for each range of the report whether it, or one around it, has such a label."""
        return self.index.once(("ranges like", pattern), lambda: self._find_ranges_like(pattern))

    def _find_ranges_like(self, pattern: re.Pattern[str]) -> Bool:
        ranges = self.report.ranges
        groups, used = self.index.once("range names", lambda: dense(ranges.name))
        labels = [self.index.labels[n] if n >= 0 else "" for n in used.tolist()]
        fits = np.array([bool(pattern.search(text)) for text in labels], bool)
        if not fits.any():  # no need to climb through the ranges
            return np.zeros(len(ranges), bool)
        inside: Bool = fits[groups]
        own = inside.copy()
        current = ranges.parent.copy()
        while (current >= 0).any():  # once per nesting level
            climbing = np.flatnonzero(current >= 0)
            inside[climbing] |= own[current[climbing]]
            current[climbing] = ranges.parent[current[climbing]]
        return inside

    def unclaimed_inside(self, device: int) -> Spans:
        """Return a device's idle time that no fault is charged with, the edges of the capture left out."""
        return Spans(*subtract(self.ledger.unclaimed(device), self.edges)[:2])

    def device_name(self, device: int) -> str:
        """Return ``GPU 0``."""
        return f"GPU {self.report.devices[device].cuda_id}"

    @cached_property
    def own_threads(self) -> Bool:
        """For each thread whether its process is in scope."""
        process, chosen = self.index.process_of_thread, self.scope.processes
        return np.ones(len(process), bool) if chosen is None else np.isin(process, chosen)

    @cached_property
    def calls_in_scope(self) -> Bool:
        """For each CUDA call whether its process is in scope and it overlaps the window."""
        calls = self.report.calls
        inside: Bool = (calls.start < self.window.end) & (calls.end > self.window.start)
        return inside & self.own_threads[calls.thread]

    # --- ops ---

    @cached_property
    def in_scope(self) -> Bool:
        """For each op whether it belongs to the scope's devices and processes and overlaps the window."""
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
    def first_starts(self) -> Int64:
        """Start of the first kernel in scope of each name."""
        first = np.unique(self.report.ops.name[self.kernels], return_index=True)[1]
        return self.report.ops.start[self.kernels[first]]

    @cached_property
    def all_kernels(self) -> Positions:
        """Every kernel of the report, in the order of ``Report.kernels``: positions in ``Report.ops``."""
        return np.flatnonzero(self.report.ops.kind == OpKind.KERNEL)

    @cached_property
    def copies(self) -> Positions:
        """Copies in scope, by start: positions in ``Report.ops``."""
        return np.flatnonzero(self.in_scope & (self.report.ops.kind == OpKind.MEMCPY))

    @cached_property
    def same_kernels(self) -> SameKernels:
        """Compute kernels in scope, grouped by what makes two of them comparable."""
        return group_kernels(self.report, self.kernels[~self.index.communicates[self.kernels]])
