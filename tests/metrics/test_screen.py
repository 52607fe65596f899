"""Lanes and the tab of metrics."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures import metrics as forms
from tests.support.export import Export
from tui.analysis.index import Busy, Index
from tui.analysis.metrics.capture import metrics_of
from tui.browse.capture import capture_of
from tui.browse.clock import Clock
from tui.browse.gap_story import gap_story
from tui.cli import main
from tui.report import Report, open_report
from tui.timeline.extra.metric_lanes import metric_lanes
from tui.timeline.lane import LaneKind
from tui.timeline.series import Level, Pair, Series

TIMES = list(range(100, 1_001, 100))


def _lines(report: Report, number: int = 0) -> dict[str, Series]:
    lane = list(metric_lanes(report))[number]
    assert lane.late is not None
    return {line.title: line for line in lane.late(Index(report)) if isinstance(line, Series)}


def test_lines_of_a_device(export: Export) -> None:
    export.kernel(0, 1_000)
    values = {
        "Draw Started": [0] * 10,
        forms.CLOCK: [1_980_000_000] * 10,
        forms.DRAM_WRITE: [20] * 10,
        "PCIe RX Throughput [Throughput %]": [5] * 10,
        forms.NVLINK_RX: [100] * 10,
        forms.NVLINK_TX: [100] * 10,
        forms.DRAM_READ: [30] * 10,
        "L2 Hits": [7, *[9] * 9],
        forms.TENSOR: [40] * 10,
        forms.SM_ACTIVE: list(range(10, 110, 10)),
    }
    forms.gpu_metrics(export, TIMES, values)
    report = open_report(export.write(), use_store=False)
    (lane,) = metric_lanes(report)
    assert (lane.key, lane.kind, lane.device, lane.brief) == ("gpu0/metrics", LaneKind.SERIES, 0, 3)
    lines = _lines(report)
    assert list(lines) == [
        "SM active", "tensor", "DRAM", "NVLink", "GPC clock", "PCIe rx", "L2 Hits"
    ]  # fmt: skip
    active, dram, link, clock, hits = (
        lines[n] for n in ("SM active", "DRAM", "NVLink", "GPC clock", "L2 Hits")
    )
    assert isinstance(active, Level) and active.top == 100.0 and active.words(34.25) == "34.2 %"
    held = active.values.over(np.array([0, 200, 1_000]))
    assert (held.mean.tolist(), held.low.tolist(), held.high.tolist()) == ([15, 65], [10, 30], [20, 100])
    assert isinstance(dram, Pair) and (dram.upper.title, dram.lower.title) == ("read", "write")
    assert isinstance(link, Pair) and np.isnan(link.upper.values.over(np.array([0, 500])).mean).all()
    assert "inactive" in link.note
    assert isinstance(clock, Level) and (clock.top, clock.words(clock.top)) == (1.98e9, "1,980.0 MHz")
    assert isinstance(hits, Level) and hits.top == 9.0
    assert "unverified" in hits.note and ("samples", "10") in hits.details


def test_lines_of_the_machine_and_none_where_nothing_is_captured(export: Export) -> None:
    export.kernel(0, 1_000)
    assert list(metric_lanes(open_report(export.write(), use_store=False))) == []
    forms.gpu_metrics(export, TIMES, {"EMC Frequency [MHz]": [3199] * 10}, table="SOC_METRICS")
    report = open_report(export.write(), use_store=False)
    (lane,) = metric_lanes(report)
    assert (lane.key, lane.device, lane.thread) == ("machine/metrics", -1, -1)
    assert list(_lines(report)) == ["EMC Frequency"]


def test_titles_are_safe_for_a_screen(export: Export) -> None:
    export.kernel(0, 1_000)
    forms.gpu_metrics(export, TIMES, {"a\x1b[31mb\n": [80, *[1] * 9]})
    assert not any(
        "\x1b" in title or "\n" in title for title in _lines(open_report(export.write(), use_store=False))
    )


def test_details_of_a_gap_say_that_the_gpu_worked(export: Export) -> None:
    """Once the metrics are read: details wait for no table."""
    export.kernel(0, 1_000)
    export.kernel(201_000, 202_000)
    times = list(range(1_000, 202_001, 1_000))
    forms.gpu_metrics(export, times, {forms.GR_ACTIVE: [60 if 10_000 < t <= 60_000 else 0 for t in times]})
    capture = capture_of(open_report(export.write(), use_store=False))
    (book,) = capture.books(Busy.ALL, 100_000).values()
    assert "busy elsewhere" not in dict(gap_story(capture, book, 0, Clock(0)))
    with capture.lookups() as index:
        metrics_of(index)
    words = dict(gap_story(capture, book, 0, Clock(0)))["busy elsewhere"]
    assert words.startswith("50.000 us  25.0%")


def test_the_tab(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    export.kernel(0, 1_000, name="gemm")
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [40] * 10})
    command = ["view", str(export.write()), "--tab", "metrics", "--size", "160x30", "--no-cache"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "SMs Active" in out and "40.0 %" in out
    assert "hollow 60.0%" in out and "does not fill the GPU" in out
    export.drop("GPU_METRICS")
    export.write()
    assert main(command) == 0
    assert "--gpu-metrics-devices=all" in " ".join(capsys.readouterr().out.split())
