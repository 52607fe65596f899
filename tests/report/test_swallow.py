"""Ops that contain two or more later ones of their own stream can't be true: they are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.report.conftest import Opened
from tests.support.export import NULL, Export
from tests.support.real import EXPORTS, needs_real
from tui.report import Report, open_report
from tui.report.importing import sorting, swallow
from tui.report.importing.counting import later_not_greater
from tui.report.importing.swallow import swallowers
from tui.report.spool import Spool

KIND = "covers two or more later ones on its stream"
MS = 1_000_000


def found(report: Report) -> list[tuple[int, str]]:
    return [(d.count, d.example) for d in report.doubtful if d.kind == KIND]


def notes(report: Report) -> list[str]:
    return [note for note in report.notes if "of its own stream" in note or "more such ops" in note]


def test_a_row_that_swallows_fortynine_is_named(export: Export, opened: Opened) -> None:
    export.kernel(0, 1600 * MS, name="endless")
    for i in range(49):
        export.kernel((10 + 20 * i) * MS, (20 + 20 * i) * MS)
    report = opened(export)
    assert found(report) == [(1, "CUPTI_ACTIVITY_KIND_KERNEL row 1: start 0, end 1600000000")]
    assert [d.excluded for d in report.doubtful] == [False]
    assert len(report.ops) == 50
    assert notes(report) == [
        "endless at 0 ns (row 1) lasts over 49 later ops of its own stream: its times are doubtful, and so "
        "is the busy time they make"
    ]


@pytest.mark.parametrize(
    ("capture", "swallowed"),
    [
        ("K 0-100 K 10-20", 0),  # the first proves little
        ("K 0-100 K 10-20 K 30-40", 2),
        ("K 0-100 K 10-20 K 30-100", 2),  # to the end is inside
        ("K 0-100 K 10-20 K 30-101", 0),  # overlaps the tail, as with dependent launches
        ("K 0-100 K 90-200 K 190-300 K 290-400", 0),
        ("K 0-100 K(0,9,10-20) K(0,9,30-40)", 0),  # other streams
        ("K 0-100 K(1,7,10-20) K(1,7,30-40)", 0),  # other devices
        ("K 0-100 K 10-20 contextId=2 K 30-40 contextId=2", 0),
        ("K 0-100 K 10-20 pid=200 K 30-40 pid=200", 0),
        ("K 0-100 M 10-20 S 30-40", 2),  # a stream runs all kinds in order
        ("M 0-100 M 10-20 copyKind=2 M 30-40 copyKind=8", 2),
        ("K 0-100 M 10-20 copyKind=11 M 30-40 copyKind=12 M 50-60 copyKind=13", 0),  # managed memory moves
        ("M 0-100 copyKind=11 K 10-20 K 30-40", 0),
        ("K 0-100 K 50-50 K 60-60", 2),  # of no length, but inside
        ("K 0-100 K 100-100 K 100-100 K 100-100", 0),  # at the end
        ("K 5-100 K 5-5 K 5-5 K 5-5", 0),  # at the start
        ("K 5-5 K 5-5 K 5-5", 0),
        ("K 5-5 K 5-100 K 100-100", 0),
        ("K 0-100 K 0-100", 0),
        ("K 0-100 K 0-100 K 0-100", 2),  # the same time thrice
        ("K 0-100 K 0-100 K 0-100 corr=5", 2),
        ("K 0-100 corr=5 K 0-100 corr=5 K 0-100 corr=5", 0),  # one row thrice
        ("K 0-100 streamId=8 K 10-90 K 20-30 K 40-50", 2),
    ],
)
def test_what_swallows(capture: str, swallowed: int, opened: Opened) -> None:
    report = opened(capture)
    assert [int(n.split(" lasts over ")[1].split()[0]) for n in notes(report)] == (
        [swallowed] * bool(swallowed)
    )
    assert len(found(report)) == bool(swallowed)


def test_rows_without_a_stream_or_launch(export: Export, opened: Opened) -> None:
    for start, end in ((0, 100), (10, 20), (30, 40)):
        export.kernel(start, end, corr=NULL)
    assert len(found(opened(export))) == 1
    export.omit("CUPTI_ACTIVITY_KIND_KERNEL", "correlationId", "contextId")
    assert len(found(opened(export))) == 1
    export.omit("CUPTI_ACTIVITY_KIND_KERNEL", "streamId")
    assert found(opened(export)) == []


def graph_launch(export: Export, corr: int, at: int) -> None:
    """Three nodes side by side: the first lasts over the others."""
    export.runtime("cudaGraphLaunch_v10000", at, at + 1, corr=corr)
    for node, (start, end) in enumerate(((2, 90), (3, 20), (30, 40), (50, 60)), 1):
        export.kernel(at + start, at + end, corr=corr, graphNodeId=node)


def test_kernels_of_one_graph_launch_run_side_by_side(export: Export, opened: Opened) -> None:
    for launch in range(10):
        graph_launch(export, 100 + launch, 1000 * launch)
        export.kernel(1000 * launch + 100, 1000 * launch + 900, corr=200 + launch)
    assert found(opened(export)) == []


def test_they_need_no_number_of_a_node(export: Export, opened: Opened) -> None:
    graph_launch(export, 100, 0)
    export.omit("CUPTI_ACTIVITY_KIND_KERNEL", "graphNodeId")
    assert found(opened(export)) == []


def test_a_kernel_can_not_last_over_a_later_graph_launch(export: Export, opened: Opened) -> None:
    export.kernel(0, 5000, corr=1, name="endless")
    graph_launch(export, 100, 1000)
    (note,) = notes(opened(export))
    assert note.startswith("endless at 0 ns (row 1) lasts over 4 later ops")


def test_nor_a_node_over_what_was_launched_after_its_graph(export: Export, opened: Opened) -> None:
    graph_launch(export, 100, 0)
    export.kernel(10, 6000, corr=100, graphNodeId=9, name="endless")
    graph_launch(export, 101, 1000)
    export.kernel(2000, 2010, corr=102)
    (note,) = notes(opened(export))
    assert note.startswith("endless at 10 ns")
    assert " 5 later ops" in note


def test_a_graph_that_a_kernel_launches_runs_while_that_does(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, corr=5, graphNodeId=1)
    for start in (10, 20, 30):
        export.kernel(start, start + 5, corr=0, graphNodeId=2)
    assert found(opened(export)) == []


def test_a_whole_graph_and_its_nodes_are_one_launch(export: Export, opened: Opened) -> None:
    graph_launch(export, 100, 0)
    export.graph(2, 90, corr=100)
    assert found(opened(export)) == []


def test_the_three_that_swallow_most_are_named(export: Export, opened: Opened) -> None:
    for i in range(5):
        export.kernel(i, 1000 - i, name=f"k{i}")
    export.kernel(500, 510)
    export.kernel(520, 530)
    report = opened(export)
    assert found(report)[0][0] == 5
    assert [note.split()[0] for note in notes(report)] == ["k0", "k1", "k2", "..."]
    assert notes(report)[-1] == "... and 2 more such ops"


def test_each_kind_of_op_is_listed(opened: Opened) -> None:
    report = opened("K 0-100 K 10-20 K 30-40 M 1000-2000 M 1100-1200 M 1300-1400 S 1310-1320")
    assert found(report) == [
        (1, "CUPTI_ACTIVITY_KIND_KERNEL row 1: start 0, end 100"),
        (1, "CUPTI_ACTIVITY_KIND_MEMCPY row 1: start 1000, end 2000"),
    ]


def pairs(start: list[int], end: list[int], lane: list[int], launch: list[int]) -> list[tuple[int, int]]:
    """What swallows how many, by a look at every pair."""
    out = []
    for i in range(len(start)):
        inside = 0
        for j in range(i + 1, len(start)):
            if lane[j] != lane[i] or lane[i] < 0 or launch[j] == launch[i]:
                continue
            touches = start[j] == end[j] and end[j] in (start[i], end[i])
            inside += start[i] <= start[j] and end[j] <= end[i] and not touches
        if inside >= 2:
            out.append((i, inside))
    return out


@pytest.mark.parametrize("longest", [1, 4, 30, 200])
@pytest.mark.parametrize("together", [1, 4])
@pytest.mark.parametrize(("block", "few"), [(1, 64), (1, 0), (7, 0), (7, 3), (64, 64), (64, 0), (1000, 0)])
def test_against_every_pair(
    block: int, few: int, together: int, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "BLOCK", block)
    monkeypatch.setattr(swallow, "_FEW", few)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 160))
        start = np.sort(rng.integers(-200, 200, size))
        end = start + rng.integers(0, longest, size)
        lane = rng.integers(-1, 3, size).astype(np.int32)
        launch = np.arange(size) // together
        if seed % 2:
            rng.shuffle(launch)
        got = swallowers(start, end, lambda a, b: lane[a:b], lambda a, b: launch[a:b], Spool(None))  # noqa: B023
        expected = pairs(start.tolist(), end.tolist(), lane.tolist(), launch.tolist())
        assert list(zip(got.rows.tolist(), got.counts.tolist(), strict=True)) == expected


@pytest.mark.parametrize("block", [3, 1000])
def test_work_in_order_never_swallows(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "BLOCK", block)
    rng = np.random.default_rng(1)
    parts = []
    for lane in range(5):
        edges = np.cumsum(rng.integers(0, 20, 200))
        parts.append((edges[:-1], edges[1:] + rng.integers(0, 2, 199), np.full(199, lane)))
    start, end, lane = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(start, kind="stable")
    start, end, lanes = start[order], end[order], lane[order].astype(np.int32)
    got = swallowers(start, end, lambda a, b: lanes[a:b], lambda a, b: np.arange(a, b), Spool(None))
    expected = pairs(start.tolist(), end.tolist(), lanes.tolist(), list(range(len(start))))
    assert got.rows.tolist() == [row for row, _ in expected]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 9, 100])
def test_later_values_are_counted(size: int) -> None:
    rng = np.random.default_rng(size)
    group, value = rng.integers(0, 3, size), rng.integers(-5, 5, size)
    expected = [
        sum(group[j] == group[i] and value[j] <= value[i] for j in range(i + 1, size)) for i in range(size)
    ]
    assert later_not_greater(group, value).tolist() == expected


def test_the_worst_case_takes_no_look_at_every_pair() -> None:
    size = 200_000  # each inside all before it: 2e10 pairs
    start = np.arange(size)
    end = 2 * size - start
    lanes = np.zeros(size, np.int32)
    got = swallowers(start, end, lambda a, b: lanes[a:b], lambda a, b: start[a:b], Spool(None))
    assert len(got.rows) == size - 2
    assert got.counts.tolist() == list(range(size - 1, 1, -1))


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_no_real_export_has_one(path: Path) -> None:
    report = open_report(path, use_store=False)
    assert found(report) == []
    assert notes(report) == []
