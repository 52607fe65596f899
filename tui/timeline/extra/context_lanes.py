"""Below each device: which process's context is on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tui.analysis.contexts.owners import DeviceContexts, device_contexts, elsewhere
from tui.analysis.index import Index
from tui.intervals import Coverage
from tui.report.columns import NULL, Int64
from tui.report.extra.tables import CONTEXT_SWITCHES
from tui.report.importing.global_ids import pid_of
from tui.report.model import Report
from tui.text import safe
from tui.text.times import show_duration
from tui.timeline.extra.stepped import Share
from tui.timeline.extra.there import has_rows
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Level, NamedCells, Sampled
from tui.timeline.slices import LaneRows

OURS, FOREIGN, UNKNOWN = "series.0", "series.7", "series.5"
_MOST = 12
"""So many processes have names of their own; those with less time are told together."""


def context_lanes(report: Report) -> Iterator[Lane]:
    """A lane of contexts for each device, where the GPU's context switches were recorded."""
    if not any(has_rows(report, table) for table in CONTEXT_SWITCHES):
        return
    for device in report.devices:
        yield Lane(
            f"gpu{device.cuda_id}/context", LaneKind.SERIES, "context",
            f"contexts on GPU {device.cuda_id}", 1, device.index, late=_contexts(device.index),
            brief=2,
        )  # fmt: skip


def _contexts(device: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        found = device_contexts(index, device)
        if found is None:
            return ()
        names = ProcessNames.of(index.report, found)
        other = elsewhere(index, device)
        details = (
            ("contexts", f"{len(found.spans):,}"),
            ("other processes", "unknown" if other is None else show_duration(other.total)),
        )
        note = "context switches: read as documented, unverified"
        whose = Sampled(
            title="",
            details=details,
            note="; ".join(part for part in (found.note, note) if part),
            names=names,
            style=lambda code: names.styles[code] if code >= 0 else UNKNOWN,
        )
        if other is None or not len(other):
            return (whose,)
        share = Level(
            title="others' context",
            details=details[1:],
            note=note,
            values=Share(other),
            style=FOREIGN,
            top=100.0,
            words=lambda value: f"{value:.1f} %",
        )
        return whose, share

    return load


@dataclass(frozen=True)
class ProcessNames:
    """Which process's context was on, as what most of a cell's time belongs to."""

    start: Int64
    end: Int64
    parts: tuple[Coverage, ...]
    """Of each code the time in which its contexts were on, the most first."""
    words: tuple[str, ...]
    styles: tuple[str, ...]

    @classmethod
    def of(cls, report: Report, found: DeviceContexts) -> ProcessNames:
        """The processes of a device's contexts."""
        spans = found.spans
        owner = np.array(found.owner, np.int64)
        group = np.where(owner >= 0, owner - (1 << 62), spans.process)
        numbers = np.unique(group)
        time = [int((spans.end - spans.start)[group == number].sum()) for number in numbers.tolist()]
        ranked = numbers[np.argsort(-np.array(time), kind="stable")]
        named, rest = ranked[:_MOST].tolist(), ranked[_MOST:]
        parts, words, styles = [], [], []
        for number in named:
            mine = group == number
            parts.append(Coverage(spans.start[mine], spans.end[mine]))
            at = int(owner[mine][0])
            words.append(_name(report, at, number))
            styles.append(OURS if at >= 0 else UNKNOWN if number == NULL else FOREIGN)
        if len(rest):
            mine = np.isin(group, rest)
            parts.append(Coverage(spans.start[mine], spans.end[mine]))
            words.append(f"{len(rest):,} more processes")
            styles.append(FOREIGN)
        return cls(spans.start, spans.end, tuple(parts), tuple(words), tuple(styles))

    def over(self, edges: Int64) -> NamedCells:
        """How many contexts were on between consecutive edges, and whose most of the time."""
        begun = np.searchsorted(self.start, edges[1:], "left")
        seen = begun - np.searchsorted(self.end, edges[:-1], "right")
        on = np.stack([part.over(edges) for part in self.parts])
        whole = on.sum(axis=0)
        code = np.where(whole > 0, on.argmax(axis=0), -1).astype(np.int32)
        share = np.where(whole > 0, on.max(axis=0) / np.maximum(whole, 1), np.nan)
        return NamedCells(np.where(whole > 0, np.maximum(seen, 1), 0), code, share)

    def word(self, code: int) -> str:
        """``python 100``; of a process that the report does not know: ``process 900``."""
        return self.words[code]


def _name(report: Report, process: int, number: int) -> str:
    if process >= 0:
        found = report.processes[process]
        return safe(f"{found.name or 'process'} {found.pid}")
    return "unknown process" if number == NULL else f"process {pid_of(number)}"
