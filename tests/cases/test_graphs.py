"""Graphs: whole-graph rows, many kernels of one launch."""

from __future__ import annotations

from tests.cases.conftest import Capture, figures
from tests.support.export import Export
from tests.support.phases import phase_of_ops
from tui.analysis.busy import device_busy
from tui.analysis.gaps import find_gaps
from tui.analysis.index import Busy, Index
from tui.analysis.notes import capture_notes
from tui.analysis.window import make_scope
from tui.report import OpKind


def test_whole_graphs_are_device_work(capture: Capture) -> None:
    report = capture(" ".join(f"G(0,7,{100 * i}-{100 * i + 90})" for i in range(10)))
    index, scope = Index(report), make_scope(report)
    (row,) = device_busy(index, scope)
    assert (row.busy_ns, row.kernel_ns, row.idle_ns) == (900, 900, 90)
    (gaps,) = find_gaps(index, scope, 0)
    assert gaps.duration.tolist() == [10] * 9
    assert device_busy(index, scope, Busy.KERNELS)[0].busy_ns == 900
    (note,) = [n for n in capture_notes(index) if "graph" in n]
    assert "10 CUDA graph launches" in note
    assert "--cuda-graph-trace=node" in note


def test_one_graph_launch_owns_many_kernels(export: Export, capture: Capture) -> None:
    export.runtime("cudaGraphLaunch_v10000", 0, 5, corr=9)
    for node, (start, end) in enumerate([(10, 20), (20, 30), (35, 40)], 1):
        export.kernel(start, end, corr=9, graph_node=node)
    report = capture(export)
    index, scope = Index(report), make_scope(report)
    assert [row["total_time_ns"] for row in figures(report, "cuda_api_sum")] == [5]
    assert report.ops.launch.tolist() == [0, 0, 0]
    assert device_busy(index, scope)[0].busy_ns == 25
    (gaps,) = find_gaps(index, scope, 0)
    assert gaps.duration.tolist() == [5]


def test_a_graph_kernel_belongs_to_the_range_of_its_launch(capture: Capture) -> None:
    report = capture('N(59,0-6,"decode") R cudaGraphLaunch 1-5 corr=9 K 100-200 corr=9')
    (kernel,) = (report.ops.kind == OpKind.KERNEL).nonzero()[0].tolist()
    (phase,) = phase_of_ops(Index(report))[[kernel]].tolist()
    assert report.strings[int(report.ranges.name[phase])] == "decode"
