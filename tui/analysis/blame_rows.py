"""Blame added up: per gap, and over all gaps of a device, by class, call and phase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import Blame, BlameClass
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.grouping import by_text, combined, summed
from tui.analysis.index import Index
from tui.analysis.library_calls import library_call_at, library_calls
from tui.analysis.phases import Phase, phases
from tui.analysis.steps import Steps
from tui.report.classify import base_api_name
from tui.report.columns import NULL, Bool, Int32, Int64, Positions, UInt8, distinct_values


@dataclass(frozen=True)
class GapCause:
    """One reason for one gap."""

    cause: BlameClass
    call: str | None
    """The CUDA, MPI or OS call, without version suffix; None: none."""
    phase: str | None
    """Label of the NVTX range; None: no range was open, or the thread is unknown."""
    thread: int
    """Position in ``Report.threads``; -1 unknown."""
    ns: int
    by_midpoint: bool
    on_cpu_ns: int | None = None
    """How long the thread ran meanwhile; None: unknown."""


@dataclass(frozen=True)
class CauseTotal:
    """One reason over all listed gaps of a device."""

    cause: BlameClass
    call: str | None
    phase: str | None
    idle_ns: int
    gaps: int
    """How many gaps it has a part in."""
    on_cpu_ns: int | None = None
    """How long the threads ran meanwhile; None: not known of all of it."""


@dataclass(frozen=True)
class BlameRows:
    """Blame of the gaps of one device: one row a (gap, cause, call, phase, thread), by gap, longest first.

    ``call`` and ``phase`` are positions in ``calls`` and ``phases``.
    """

    gap: Int64
    cause: UInt8
    call: Positions
    phase: Positions
    thread: Int32
    ns: Int64
    by_midpoint: Bool
    calls: list[str | None]
    phases: list[str | None]
    on_cpu: Int64 | None = None
    """How long the thread ran meanwhile (ns); NULL where that is unknown, None where all of it is."""
    part_row: Positions | None = None
    """Per part of the blame the row that it went into."""

    def __len__(self) -> int:
        return len(self.gap)

    def causes(self, gap: int) -> list[GapCause]:
        """The reasons for one gap, the biggest first; they add up to its duration."""
        return [self.reason(i) for i in self.of_gap(gap)]

    def of_gap(self, gap: int) -> range:
        """The rows of one gap, the biggest reason first."""
        first, last = np.searchsorted(self.gap, [gap, gap + 1]).tolist()
        return range(first, last)

    def reason(self, i: int) -> GapCause:
        """The reason in row ``i``."""
        return GapCause(
            cause=BlameClass(int(self.cause[i])),
            call=self.calls[self.call[i]],
            phase=self.phases[self.phase[i]],
            thread=int(self.thread[i]),
            ns=int(self.ns[i]),
            by_midpoint=bool(self.by_midpoint[i]),
            on_cpu_ns=None if self.on_cpu is None or self.on_cpu[i] == NULL else int(self.on_cpu[i]),
        )

    def main_causes(self, gaps: int) -> Positions:
        """For each of ``gaps`` gaps the row of its biggest reason."""
        return np.searchsorted(self.gap, np.arange(gaps), "left")

    def totals(self) -> list[CauseTotal]:
        """Reasons over all gaps, the biggest first."""
        group, first = combined(self.cause, self.call, self.phase)
        idle = summed(group, len(first), self.ns).tolist()
        _, pair = combined(group, self.gap)
        gaps = np.bincount(group[pair], minlength=len(first)).tolist()
        reasons = map(self.reason, first.tolist())
        running = self._running(group, len(first))
        rows = [
            CauseTotal(why.cause, why.call, why.phase, ns, count, on_cpu)
            for why, ns, count, on_cpu in zip(reasons, idle, gaps, running, strict=True)
        ]
        return sorted(rows, key=lambda r: (-r.idle_ns, r.cause, r.call or "", r.phase or ""))

    def _running(self, group: Positions, groups: int) -> list[int | None]:
        """The time on a CPU in each group of rows; None where it is unknown of any of them."""
        if self.on_cpu is None:
            return [None] * groups
        unknown = self.on_cpu == NULL
        sums: list[int | None] = summed(group, groups, np.where(unknown, 0, self.on_cpu)).tolist()
        for lost in distinct_values(group[unknown]).tolist():
            sums[lost] = None
        return sums


def _with_libraries(
    index: Index, blame: Blame, phase: Positions, texts: list[str | None]
) -> tuple[Positions, list[str | None]]:
    """Phases with the library call that the thread was in, if any: ``forward · cublasSgemm_v2``."""
    call = library_call_at(index, blame.start, blame.start + 1, blame.thread)
    call[blame.thread < 0] = -1
    if not (call >= 0).any():
        return phase, texts
    names, strings = library_calls(index).name, index.report.strings
    name = np.where(call >= 0, names[call], -1)
    pair, first = combined(phase, name)
    told = [
        " · ".join(part for part in (texts[p], strings[n] if n >= 0 else None) if part) or None
        for p, n in zip(phase[first].tolist(), name[first].tolist(), strict=True)
    ]
    codes, found = by_text(np.arange(len(told)), told.__getitem__, len(told))
    return codes[pair], found


def blame_rows(index: Index, blame: Blame, which: Phase, steps: Steps) -> BlameRows:
    """Add up the parts of each gap that have the same reason."""
    phase, phase_texts = _with_libraries(index, blame, *phases(index, blame.range, which, steps))
    strings = index.report.strings
    call, call_texts = by_text(blame.call, lambda n: base_api_name(strings[n]) if n >= 0 else None)
    group, first = combined(blame.gap, blame.cause, call, phase, blame.thread)
    ns = summed(group, len(first), blame.ns)
    on_cpu = None
    if running := scheduling(index):
        ran = running.on_cpu(blame.start, blame.end, blame.thread)
        on_cpu = summed(group, len(first), np.where(ran == NULL, 0, ran))
        on_cpu[ran[first] == NULL] = NULL  # the parts of a group are of one thread: all are known, or none
    order = np.lexsort((first, -ns, blame.gap[first]))
    first, ns = first[order], ns[order]
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return BlameRows(
        gap=blame.gap[first],
        cause=blame.cause[first],
        call=call[first],
        phase=phase[first],
        thread=blame.thread[first],
        ns=ns,
        by_midpoint=blame.by_midpoint[first],
        calls=call_texts,
        phases=phase_texts,
        on_cpu=None if on_cpu is None else on_cpu[order],
        part_row=place[group],
    )
