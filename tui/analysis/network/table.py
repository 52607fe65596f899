"""What network devices moved in a window: bytes, rates, and the share of time in which they were busy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tui.analysis.index import Index
from tui.analysis.network.series import UNVERIFIED, NetworkSamples, NetworkSeries
from tui.analysis.network.speeds import speed_of
from tui.analysis.network.stretches import Stretches
from tui.analysis.scope import Scope
from tui.analysis.steps import find_steps
from tui.analysis.table import Column, Table, Unit
from tui.text.numbers import hundredths, percent, plural

FEW = 5
"""Fewer samples than these say nothing of how values are spread."""
BUSY = 0.01
"""The share of a port's greatest rate of the capture above which it is busy."""


@dataclass(frozen=True)
class Figures:
    """One series in a window. None: unknown."""

    series: NetworkSeries
    part: Stretches
    window_ns: int

    @property
    def samples(self) -> int:
        return len(self.part)

    @property
    def coverage_pct(self) -> float | None:
        return percent(self.part.known_ns, self.window_ns)

    @property
    def bytes(self) -> int | None:
        """What was moved in the time that samples cover."""
        measure = self.series.measure
        if measure.thing != "bytes" or not self.samples:
            return None
        return round(Fraction(self.part.area, measure.per_ns))

    @property
    def mean(self) -> float | None:
        """The mean rate over the time that samples cover."""
        mean = self.part.mean
        return None if mean is None else mean * self.series.measure.per_second

    @property
    def greatest(self) -> float | None:
        found = self.part.greatest
        return None if found is None else found * self.series.measure.per_second

    @property
    def p95(self) -> float | None:
        found = self.part.quantile(0.95) if self.samples >= FEW else None
        return None if found is None else found * self.series.measure.per_second

    @property
    def busy_pct(self) -> float | None:
        """The share of the covered time with more than 1 % of the greatest rate of the capture."""
        if self.samples < FEW:
            return None
        return percent(self.part.above(BUSY * self.series.greatest), self.part.known_ns)

    def used_pct(self, speeds: Mapping[str, float]) -> float | None:
        """The mean as a share of the port's speed."""
        speed = speed_of(self.series.device.name, speeds)
        if speed is None or self.mean is None or self.series.measure.thing != "bytes":
            return None
        return 100 * self.mean / speed


def figures(series: NetworkSeries, low: int, high: int) -> Figures:
    """The figures of a series in ``[low, high)``."""
    return Figures(series, series.values.between(low, high), high - low)


def network_table(samples: NetworkSamples, scope: Scope, speeds: Mapping[str, float]) -> Table:
    """One row a port and metric that has samples in the window."""
    window = scope.window
    rows = [figures(one, window.start, window.end) for one in samples.series]
    return _table("network", "Network", [row for row in rows if row.samples], speeds)


def steps_table(
    index: Index, samples: NetworkSamples, scope: Scope, speeds: Mapping[str, float]
) -> Table | None:
    """One row a step, port and metric of bytes, of adapters; None where no steps are found."""
    steps = find_steps(index, index.step, scope.processes)
    rows: list[Figures] = []
    numbers: list[int] = []
    pids: list[int | None] = []
    for sequence in steps.sequences:
        pid = index.report.processes[sequence.process].pid if sequence.process >= 0 else None
        spans = zip(sequence.start.tolist(), sequence.end.tolist(), strict=True)
        for number, (start, end) in enumerate(spans, 1):
            low, high = max(start, scope.window.start), min(end, scope.window.end)
            if low >= high:
                continue
            for one in samples.series:
                if one.measure.thing == "bytes" and not one.device.is_switch and not one.is_idle:
                    rows.append(figures(one, low, high))
                    numbers.append(number)
                    pids.append(pid)
    if not steps.sequences:
        return None
    first = (Column("PID", "pid", Unit.ID, pids, 2), Column("Step", "step", Unit.ID, numbers))
    return _table("network_steps", "Network by step", rows, speeds, first)


def _table(
    name: str,
    title: str,
    rows: Sequence[Figures],
    speeds: Mapping[str, float],
    first: tuple[Column, ...] = (),
) -> Table:
    series = [row.series for row in rows]
    columns = (
        *first,
        Column("Device", "device", Unit.TEXT, [one.device.name for one in series]),
        Column("Port", "port", Unit.TEXT, [one.port_name for one in series], blank="-"),
        Column("Direction", "direction", Unit.TEXT, [one.measure.direction for one in series], blank="-"),
        Column("Metric", "metric", Unit.TEXT, [one.metric for one in series]),
        Column("Bytes", "bytes", Unit.BYTES, [row.bytes for row in rows], blank="-"),
        Column("Mean", "mean", Unit.DECIMAL, [row.mean for row in rows]),
        Column("p95", "p95", Unit.DECIMAL, [row.p95 for row in rows], 2),
        Column("Max", "max", Unit.DECIMAL, [row.greatest for row in rows]),
        Column("Unit", "unit", Unit.TEXT, [one.measure.unit for one in series], 1),
        Column("Busy (%)", "busy_pct", Unit.PCT, [hundredths(row.busy_pct) for row in rows], 1),
        Column("Used (%)", "used_pct", Unit.PCT, [hundredths(row.used_pct(speeds)) for row in rows], 3, "-"),
        Column("Samples", "samples", Unit.COUNT, [row.samples for row in rows], 4),
        Column("Covered (%)", "coverage_pct", Unit.PCT, [hundredths(row.coverage_pct) for row in rows], 3),
    )
    return Table(name, title, columns)


def network_notes(samples: NetworkSamples, speeds: Mapping[str, float]) -> list[str]:
    """What has to be said of the figures."""
    notes = [
        "a network adapter belongs to its host: its figures are of all processes there, of no rank alone"
    ]
    names = {one.device.name for one in samples.of_bytes()}
    if names and not any(speed_of(name, speeds) for name in names):
        notes.append(
            'no export has the speed of a link: [network] speed = {"mlx5_0" = "400Gbit"} in the config file '
            "gives the share that is used"
        )
    if samples.left_out:
        notes.append(f"{plural(samples.left_out, 'sample')} whose times can't be true left out")
    negative = sum(one.negative for one in samples.series)
    if negative:
        notes.append(f"{plural(negative, 'sample')} with a negative rate left out: their time is unknown")
    overlapping = sum(one.overlapping for one in samples.series)
    if overlapping:
        notes.append(f"{plural(overlapping, 'sample')} that begin before the one before them ends: cut there")
    return [*notes, UNVERIFIED]
