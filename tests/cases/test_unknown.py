"""Work that the export can't show: it is unknown, in no idle figure and in no blame."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases.conftest import Capture
from tests.support.export import Export
from tests.support.real import needs_real, real_export
from tui.analysis.accounts import unknown
from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.busy import DeviceBusy, device_busy
from tui.analysis.gaps import find_gaps
from tui.analysis.idle import IdleChoices, idle_time
from tui.analysis.index import Busy, Comm, Index
from tui.analysis.notes import capture_notes
from tui.analysis.step_table import step_rows
from tui.analysis.steps import find_steps
from tui.analysis.unrecorded import unrecorded
from tui.analysis.window import make_scope
from tui.report import Report, open_report

LOOP = "K 0-10000 corr=1 R cudaLaunchKernel 0-1 corr=1 " + " ".join(
    f"R cudaGraphLaunch_v10000 {at}-{at + 3000} corr={at} "
    f"R cudaStreamSynchronize_v3020 {at + 3000}-{at + 8800} corr={at + 1}"
    for at in range(20_000, 1_020_000, 10_000)
)
"""A kernel, then every 10 us a graph launch and a wait for it, of which no device row was recorded."""
GRAPHS = LOOP + " R cudaLaunchKernel 1025000-1028000 corr=2 K 1030000-1040000 corr=2"


def rows(report: Report, text: str | None = None, comm: Comm = Comm.CLASS) -> list[DeviceBusy]:
    index = Index(report, comm)
    return device_busy(index, make_scope(report, text, index=index))


def addends(row: DeviceBusy) -> tuple[int, int, int, int, int]:
    assert row.kernel_ns + row.copy_only_ns + row.other_ns + row.unknown_ns + row.idle_ns == row.window_ns
    return row.kernel_ns, row.copy_only_ns, row.other_ns, row.unknown_ns, row.idle_ns


def spans(report: Report, device: int = 0) -> list[tuple[int, int]]:
    found = unknown(Index(report), device)
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def test_graph_launches_without_rows_are_unknown_time(capture: Capture) -> None:
    report = capture(GRAPHS)
    assert len(unrecorded(Index(report))) == 100
    assert addends(rows(report)[0]) == (20_000, 0, 0, 1_020_000, 0)
    (gaps,) = find_gaps(Index(report), make_scope(report), 0)
    assert (len(gaps), gaps.short_ns) == (0, 0)
    (note,) = [n for n in capture_notes(Index(report)) if "own no device work" in n]
    assert "100 of 102 launches" in note
    assert "process 100" in note
    assert "100 x cudaGraphLaunch" in note
    assert "--cuda-graph-trace=node" in note
    assert "second profiler" in note
    unseen = idle_time(Index(report), make_scope(report)).devices[0].unseen
    assert [unseen.words(i) for i in range(len(unseen))] == ["100 graph launches not recorded"]


def test_a_launch_at_the_very_end_leaves_no_time_for_its_work(capture: Capture) -> None:
    report = capture(
        "K 0-10000 corr=1 R cudaLaunchKernel 0-1 corr=1 R cudaGraphLaunch_v10000 50000-50000 corr=9"
    )
    assert len(unrecorded(Index(report))) == 1
    assert spans(report) == []
    assert addends(rows(report, "/")[0]) == (10_000, 0, 0, 0, 40_000)


def test_a_wait_ends_what_can_have_run(capture: Capture) -> None:
    # the last wait is over at 1,018,800; half a millisecond later the next kernel is launched
    report = capture(LOOP + " R cudaLaunchKernel 1525000-1528000 corr=2 K 1530000-1540000 corr=2")
    assert spans(report) == [(10_000, 1_018_800)]
    (gaps,) = find_gaps(Index(report), make_scope(report))
    assert (gaps.start.tolist(), gaps.end.tolist()) == ([1_018_800], [1_530_000])
    blame = find_blame(Index(report), gaps)
    assert [(BlameClass(c), n) for c, n in zip(blame.cause, blame.ns, strict=True)] == [
        (BlameClass.HOST_CODE, 506_200),
        (BlameClass.LAUNCH_LATENCY, 5_000),
    ]


def test_a_gap_that_ends_with_an_unrecorded_launch_is_the_fault_of_its_thread(capture: Capture) -> None:
    report = capture(
        "K 0-100000 corr=1 R cudaLaunchKernel 0-10 corr=1 R cudaFree 150000-390000 tid=2"
        " R cudaLaunchKernel 400000-400010 corr=9 tid=2 R cudaDeviceSynchronize 400010-900000 tid=2"
        " R cudaLaunchKernel 1200000-1200010 corr=2 K 1210000-1300000 corr=2"
    )
    assert spans(report) == [(400_000, 900_000)]
    (gaps,) = find_gaps(Index(report), make_scope(report))
    blame = find_blame(Index(report), gaps)
    first = blame.gap == 0
    assert [(BlameClass(c), n) for c, n in zip(blame.cause[first], blame.ns[first], strict=True)] == [
        (BlameClass.HOST_CODE, 50_000),
        (BlameClass.MEMORY_MANAGEMENT, 240_000),
        (BlameClass.HOST_CODE, 10_000),
    ]
    assert int(blame.ns[first].sum()) == int(gaps.duration[0]) == 300_000


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("R cudaLaunchKernel 300000-300010 corr=9 returnValue=700", id="it failed"),
        pytest.param("R cudaLaunchHostFunc 300000-300010 corr=9", id="a host function"),
        pytest.param("R cudaMemcpyAsync 300000-300010 corr=9", id="a copy"),
        pytest.param(
            "R cudaStreamBeginCapture_v10000 250000-250010 R cudaLaunchKernel 300000-300010 corr=9"
            " R cudaStreamEndCapture_v10000 350000-350010",
            id="recorded into a graph",
        ),
        pytest.param("R cuLaunchKernel 499995-499999 corr=9", id="inside the launch that owns the kernel"),
        pytest.param("K 310000-310010 corr=77 R cudaLaunchKernel 300000-300010 corr=9", id="a stray kernel"),
    ],
)
def test_calls_that_give_no_unknown_work(capture: Capture, what: str) -> None:
    report = capture(
        f"K 0-100000 corr=1 R cudaLaunchKernel 0-10 corr=1 {what}"
        " R cudaLaunchKernel 499990-500010 corr=2 K 510000-600000 corr=2"
    )
    assert spans(report) == []
    assert not any("own no device work" in note for note in capture_notes(Index(report)))


def test_stray_kernels_take_the_nearest_launches_before_them(capture: Capture) -> None:
    # three launches without rows, one kernel without a launch after the second
    report = capture(
        "K 0-100000 corr=1 R cudaLaunchKernel 0-10 corr=1"
        " R cudaLaunchKernel 300000-300010 corr=7 R cudaLaunchKernel 500000-500010 corr=8"
        " K 510000-520000 corr=77 R cudaLaunchKernel 900000-900010 corr=9"
        " R cudaLaunchKernel 1200000-1200010 corr=2 K 1210000-1300000 corr=2"
    )
    index = Index(report)
    assert report.calls.start[unrecorded(index).call].tolist() == [300_000, 900_000]
    # the first ends with the kernel of a later launch, which is taken to have been launched as it began
    assert spans(report) == [(300_000, 510_000), (900_000, 1_210_000)]


def test_a_process_without_any_device_row(export: Export, capture: Capture) -> None:
    export.launch((0, 10), (100, 100_000))
    export.launch((900_000, 900_010), (1_000_000, 1_100_000))
    for at in range(0, 1_000_000, 100_000):
        export.runtime("cudaLaunchKernel_v7000", at, at + 10, pid=200, corr=at)
    report = capture(export)
    assert addends(rows(report)[0]) == (199_900, 0, 0, 900_000, 0)
    (note,) = [n for n in capture_notes(Index(report)) if "own no device work" in n]
    assert note.startswith("process 200")
    assert "10 of 10 launches" in note


def test_which_device_is_not_known_where_there_are_several(export: Export, capture: Capture) -> None:
    for device in (0, 1):
        export.launch((device, 10), (100, 100_000), device=device)
        export.launch((900_000 + device, 900_010), (1_000_000, 1_100_000), device=device)
    export.runtime("cudaLaunchKernel_v7000", 500_000, 500_010, pid=200)
    report = capture(export)
    assert [row.unknown_ns for row in rows(report)] == [0, 0]
    (note,) = [n for n in capture_notes(Index(report)) if "own no device work" in n]
    assert "on which device it ran is not known" in note


def test_of_several_devices_it_is_that_of_the_threads_last_launch(export: Export, capture: Capture) -> None:
    for device, tid in ((0, 1), (1, 2)):
        export.launch((device, 10), (100, 100_000), device=device, tid=tid)
        export.launch((900_000 + device, 900_010), (1_000_000, 1_100_000), device=device, tid=tid)
    export.runtime("cudaLaunchKernel_v7000", 500_000, 500_010, tid=2)
    assert [row.unknown_ns for row in rows(capture(export))] == [0, 500_000]


def test_a_wait_that_outlasts_all_recorded_work_is_said(capture: Capture) -> None:
    report = capture("K 20-50 corr=1 R cudaLaunchKernel 0-10 corr=1 R cudaStreamSynchronize_v3020 12-100000")
    (note,) = [n for n in capture_notes(Index(report)) if "long after all recorded work" in n]
    assert "1 wait" in note
    assert "cudaStreamSynchronize at 0.000 000 012 s by 99.950 us" in note
    prompt = capture("K 20-50000 corr=1 R cudaLaunchKernel 0-10 corr=1 R cudaStreamSynchronize 12-100000")
    assert not any("long after" in note for note in capture_notes(Index(prompt)))


@needs_real
def test_opengl_work_is_other_gpu_work() -> None:
    report = open_report(real_export("opengl-2024.2"), use_store=False)
    (row,) = rows(report, "/")
    assert row.other_ns == 119_685_208
    assert addends(row)[2] == 119_685_208
    (note,) = [n for n in capture_notes(Index(report)) if "of another API" in n]
    assert "OPENGL_WORKLOAD" in note


def test_communication_has_many_names(export: Export, capture: Capture) -> None:
    for i, name in enumerate(
        ("cross_device_reduce_1stage", "allreduce_fusion_kernel_oneshot_lamport", "ncclX")
    ):
        at = 1_000 * i
        export.push_pop("train_step", at, at + 700)
        export.launch((at + 1, at + 2), (at + 10, at + 400), name="gemm")
        export.launch((at + 3, at + 4), (at + 400, at + 700), name=name)
    report = capture(export)
    index = Index(report)
    (found,) = step_rows(index, find_steps(index), make_scope(report))
    assert found.comm is not None
    assert found.exposed is not None
    assert (found.comm.tolist(), found.exposed.tolist()) == ([300] * 3, [300] * 3)
    (row,) = rows(report)
    assert (row.compute_ns, row.exposed_comm_ns, row.kernel_ns) == (1_170, 900, 2_070)
    (row,) = rows(report, comm=Comm.NCCL)
    assert (row.compute_ns, row.exposed_comm_ns) == (1_770, 300)
    holes = find_gaps(index, make_scope(report), 0, Busy.COMPUTE)[0]
    assert int(holes.duration.sum()) == row.window_ns - 1_170


# --- against a brute force ---

times = st.integers(0, 40)


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[int], list[tuple[int, int]]]:
    """(recorded kernels with a launch each, launches without rows, waits), in steps of 30 us."""
    kernels = draw(st.lists(st.tuples(times, st.integers(1, 5)), min_size=1, max_size=5))
    return (
        [(s, s + n) for s, n in kernels],
        draw(st.lists(times, max_size=4)),
        [(s, s + n) for s, n in draw(st.lists(st.tuples(times, st.integers(1, 8)), max_size=3))],
    )


@settings(max_examples=150, deadline=None)
@given(story=stories())
def test_unknown_time_against_a_look_at_every_instant(
    story: tuple[list[tuple[int, int]], list[int], list[tuple[int, int]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    unit, told_apart = 30, 100
    kernels, lost, waits = story
    export = Export(tmp_path_factory.mktemp("story") / "story.sqlite")
    for start, end in kernels:
        export.launch(
            (start * unit * 1000, start * unit * 1000 + 1), (start * unit * 1000, end * unit * 1000)
        )
    for start in lost:
        export.runtime("cudaLaunchKernel_v7000", start * unit * 1000 + 2, start * unit * 1000 + 3)
    for start, end in waits:
        export.runtime("cudaDeviceSynchronize_v3020", start * unit * 1000 + 4, end * unit * 1000)
    report = open_report(export.write(), use_store=False)
    assert report.span is not None
    last = report.span[1]

    # In ns: what may run from each launch on, then what is not told apart from it.
    busy = [(s * unit * 1000, e * unit * 1000) for s, e in kernels]
    maybe = []
    for at in (s * unit * 1000 + 2 for s in lost):
        done = [e * unit * 1000 for s, e in waits if s * unit * 1000 + 4 >= at + 1]
        done += [s for s, _ in busy if s > at]
        maybe.append((at, min([*done, last])))
    edges = sorted({0, last, *(t for span in (*busy, *maybe) for t in span)})
    pieces = []  # (start, end, kind) of whatever the device did
    for low, high in itertools.pairwise(edges):
        if low >= last:
            break
        kind = "idle"
        if any(s <= low and high <= e for s, e in maybe):
            kind = "unknown"
        if any(s <= low and high <= e for s, e in busy):
            kind = "busy"
        if pieces and pieces[-1][2] == kind:
            pieces[-1] = (pieces[-1][0], high, kind)
        else:
            pieces.append((low, high, kind))
    expected = 0
    for i, (low, high, kind) in enumerate(pieces):
        before = pieces[i - 1][2] if i else "nothing"
        after = pieces[i + 1][2] if i + 1 < len(pieces) else "nothing"
        short = high - low < told_apart * 1000 and "unknown" in (before, after)
        if kind == "unknown" or (kind == "idle" and short and "nothing" not in (before, after)):
            expected += high - low
    assert sum(high - low for low, high in spans(report)) == expected
    (row,) = rows(report, "/")
    addends(row)
    choices = IdleChoices(0)
    (device,) = idle_time(Index(report), make_scope(report, "/"), choices).devices
    assert device.gap_ns == row.idle_ns
    assert int(device.blame.ns.sum()) == row.idle_ns
