"""Lanes of values without an export: steps of a quantity, instants, and a provider with all kinds."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tui.analysis.index import Index
from tui.intervals import Coverage
from tui.report.columns import Int64
from tui.report.model import Report
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Area, Cells, Density, Heat, Level, NamedCells, OnCpu, Pair, Sampled, Series
from tui.timeline.slices import LaneRows

US = 1000


@dataclass(frozen=True)
class Steps:
    """A quantity that has ``values[i]`` from ``times[i]`` to ``times[i + 1]``; unknown elsewhere."""

    times: Sequence[int]
    values: Sequence[float]

    def over(self, edges: Int64) -> Cells:
        rows = [self._cell(a, b) for a, b in pairwise(edges.tolist())]
        mean, low, high = np.array(rows, float).reshape(-1, 3).T
        return Cells(mean, low, high)

    def _cell(self, begin: int, end: int) -> tuple[float, float, float]:
        held = [
            (min(stop, end) - max(start, begin), value)
            for start, stop, value in zip(self.times, self.times[1:], self.values, strict=False)
            if min(stop, end) > max(start, begin)
        ]
        if not held:
            return (float("nan"),) * 3
        values = [value for _, value in held]
        return sum(n * v for n, v in held) / sum(n for n, _ in held), min(values), max(values)


@dataclass(frozen=True)
class Instants:
    """Things at instants (ns, ascending), with the code of each one's name."""

    times: Int64
    codes: NDArray[np.int32]
    words: Sequence[str] = ("launch", "postprocess(float const*)", "memcpy")

    def over(self, edges: Int64) -> NamedCells:
        bounds = np.searchsorted(self.times, edges)
        cells = [self.codes[a:b].tolist() for a, b in pairwise(bounds.tolist())]
        most = [max(sorted(set(cell)), key=cell.count) if cell else -1 for cell in cells]
        share = [
            cell.count(code) / len(cell) if cell else np.nan for cell, code in zip(cells, most, strict=True)
        ]
        return NamedCells(np.array([len(c) for c in cells]), np.array(most, np.int32), np.array(share))

    def word(self, code: int) -> str:
        return self.words[code]


@dataclass(frozen=True)
class Times:
    """Instants without names."""

    times: Int64

    def over(self, edges: Int64) -> Int64:
        return np.diff(np.searchsorted(self.times, edges))


def percent(value: float) -> str:
    return f"{value:.1f} %"


def gigabytes(value: float) -> str:
    return f"{value:.1f} GB/s"


def steps(values: Sequence[float], begin: int = 0, each: int = 50 * US) -> Steps:
    return Steps([begin + each * i for i in range(len(values) + 1)], values)


def level(title: str, values: Sequence[float], style: str, tall: int = 1, **rest: int) -> Level:
    return Level(title=title, values=steps(values, **rest), style=style, top=100.0, words=percent, tall=tall)


def rate(title: str, values: Sequence[float], style: str) -> Level:
    return Level(title=title, values=steps(values), style=style, top=24.0, words=gigabytes)


WAVE = [0.0, 12.5, 25.0, 50.0, 75.0, 100.0, 62.5, 37.5, 6.0, 1.0]


def metrics() -> tuple[Series, ...]:
    """The lines of a device's metrics over 3 ms."""
    nan = float("nan")
    return (
        level("SM active", (WAVE * 6)[:45] + [nan] * 10 + WAVE[:5], "series.0"),
        level("tensor", [v / 2 for v in WAVE] * 6, "series.1", tall=4),
        Pair(
            title="PCIe",
            upper=rate("rx", [0, 4, 8, 12, 24, 0, 0, 1, nan, 2] * 6, "series.3"),
            lower=rate("tx", [0, 0, 24, 12, 6, 3, 0, nan, nan, 2] * 6, "series.3"),
        ),
        Heat(title="GPC 0", values=steps(WAVE * 6), style="series.2", top=100.0, words=percent),
        Heat(title="GPC 1", values=steps(WAVE[::-1] * 6), style="series.2", top=100.0, words=percent),
    )


def memory() -> tuple[Series, ...]:
    """Two kinds of memory, which peak at 1.5 ms."""
    device = [2.0 * i for i in range(30)] + [20.0] * 30
    return (
        Area(
            title="memory",
            parts=(
                Level(title="device", values=steps(device), style="series.2", top=64.0, words=gigabytes),
                Level(title="managed", values=steps([5.0] * 60), style="series.3", top=64.0, words=gigabytes),
            ),
            top=63.0,
            words=gigabytes,
            peak=(1475 * US, 63.0),
        ),
    )


def thread_lines() -> tuple[Series, ...]:
    """A thread on and off the CPU, its samples, and its page faults."""
    on = Coverage(np.arange(0, 2800, 200) * US, (np.arange(0, 2800, 200) + 120) * US)
    calls = Coverage(np.array([1000, 2100]) * US, np.array([1200, 2700]) * US)
    times = np.concatenate([np.arange(0, 900, 10), np.arange(1000, 1500, 100), np.arange(1900, 2400, 4)]) * US
    codes = np.where(times < 900 * US, 0, np.where(times < 1900 * US, 2, 1)).astype(np.int32)
    faults = np.repeat(np.array([200, 420, 640, 1200]), [1, 5, 40, 400]) * US
    return (
        OnCpu(title="CPU", running=on, in_call=calls, known=(0, 2800 * US)),
        Sampled(
            title="samples", names=Instants(times, codes), style=lambda code: f"series.{(0, 6, 3)[code]}"
        ),
        Density(title="faults", counts=Times(faults), style="series.7", noun="page fault"),
    )


def provide(report: Report) -> Iterator[Lane]:
    """Metrics and memory of device 0, lines of thread 0, of the machine one, a broken and an empty one."""

    if report.devices:
        yield _lane("gpu0/metrics", "metrics", lambda index: metrics(), brief=3, device=0)
        yield _lane("gpu0/memory", "memory", lambda index: memory(), device=0)
    yield _lane("t/cpu", "CPU", lambda index: thread_lines(), brief=2, thread=0)
    yield _lane("host/network", "network", lambda index: (rate("mlx5_0", [1, 2, 3, 24] * 15, "series.4"),))
    yield _lane("host/broken", "broken", _broken)
    yield _lane("host/empty", "empty", lambda index: ())


def _lane(key: str, title: str, late: object, **rest: int) -> Lane:
    return Lane(key, LaneKind.SERIES, title, f"{title} of the test", late=late, **rest)  # type: ignore[arg-type]


def _broken(index: Index) -> LaneRows:
    from tui.errors import ReportError

    raise ReportError("the table is torn")


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lanes of :func:`provide` be the only ones of values."""
    monkeypatch.setattr("tui.timeline.extra.PROVIDERS", ("of_tests:provide",))
    monkeypatch.setitem(sys.modules, "tui.timeline.extra.of_tests", sys.modules[__name__])
