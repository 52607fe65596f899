"""What explains a gap: literal cases."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases.conftest import Capture
from tests.support.export import Export
from tui.analysis.blame import BlameClass, BlameMethod, closing_ops, find_blame
from tui.analysis.elsewhere import other_ranges
from tui.analysis.gap_context import neighbours, range_paths
from tui.analysis.gaps import DeviceGaps, GapKind, find_gaps
from tui.analysis.idle import IdleChoices, idle_time
from tui.analysis.index import Index
from tui.analysis.notes import capture_notes
from tui.analysis.phases import Phase
from tui.analysis.steps import find_steps
from tui.analysis.window import make_scope
from tui.report import Report

Part = tuple[str, str | None, str | None, int]
LAUNCH = "cudaLaunchKernel"


def first_gaps(report: Report, text: str | None = None) -> tuple[Index, DeviceGaps]:
    index = Index(report)
    return index, find_gaps(index, make_scope(report, text), 0)[0]


def explained(
    report: Report, text: str | None = None, method: BlameMethod = BlameMethod.OWNER
) -> list[list[Part]]:
    """Per gap of the first device its parts in time: (class, call, phase, ns)."""
    index, gaps = first_gaps(report, text)
    blame = find_blame(index, gaps, method)
    parts: list[list[Part]] = [[] for _ in range(len(gaps))]
    names = report.ranges.name
    for i in range(len(blame)):
        call, phase = int(blame.call[i]), int(blame.range[i])
        parts[blame.gap[i]].append(
            (
                BlameClass(int(blame.cause[i])).words,
                report.strings[call] if call >= 0 else None,
                report.strings[int(names[phase])] if phase >= 0 else None,
                int(blame.ns[i]),
            )
        )
    assert [sum(p[3] for p in gap) for gap in parts] == gaps.duration.tolist()
    return parts


LOADER = (
    f'K 0-100, R {LAUNCH} 196-199 tid=1 corr=5, K 200-300 corr=5, N(59,0-300,"train") tid=1,'
    ' R cudaStreamSynchronize 90-195 tid=1, N(59,0-1000,"loader") tid=2'
)


def test_a_late_host_is_split_by_what_it_did(capture: Capture) -> None:
    assert explained(capture(LOADER)) == [
        [
            ("synchronisation", "cudaStreamSynchronize", "train", 95),
            ("host code", None, "train", 1),
            ("launch latency", LAUNCH, "train", 4),
        ]
    ]


def test_another_threads_range_appears_as_another_threads(capture: Capture) -> None:
    report = capture(LOADER)
    index, gaps = first_gaps(report)
    idle = idle_time(index, make_scope(report), IdleChoices(min_gap_ns=0)).devices[0]
    threads = idle.main_threads()
    assert [report.threads[t].tid for t in threads.tolist()] == [1]
    (elsewhere,) = other_ranges(index, gaps.start, threads)
    assert [report.strings[int(report.ranges.name[o.range])] for o in elsewhere] == ["loader"]
    assert [report.threads[o.thread].tid for o in elsewhere] == [2]
    assert not elsewhere[0].crosses_threads


def test_a_range_that_ends_on_another_thread_is_open_but_owns_nothing(
    export: Export, capture: Capture
) -> None:
    export.start_end("req", 0, 1000, tid=1, end_tid=2)
    export.launch((90, 95), (100, 200), tid=1)
    export.launch((210, 215), (300, 400), tid=1)
    report = capture(export)
    assert explained(report) == [
        [("host code", None, None, 10), ("launch latency", "cudaLaunchKernel_v7000", None, 90)]
    ]
    index, gaps = first_gaps(report)
    (elsewhere,) = other_ranges(index, gaps.start, np.array([0]))
    assert [(report.strings[int(report.ranges.name[o.range])], o.crosses_threads) for o in elsewhere] == [
        ("req", True)
    ]
    (note,) = [n for n in capture_notes(index) if "another thread" in n]
    assert "owns no work" in note


def test_memory_management_that_holds_the_host_up(capture: Capture) -> None:
    report = capture(f"K 0-100, R cudaFree 90-495, R {LAUNCH} 496-499 corr=5, K 500-600 corr=5")
    assert explained(report) == [
        [
            ("memory management", "cudaFree", None, 395),
            ("host code", None, None, 1),
            ("launch latency", LAUNCH, None, 4),
        ]
    ]


def test_an_os_call_is_named_where_no_cuda_call_is_in_progress(capture: Capture) -> None:
    report = capture(
        f"K 0-100, O poll 120-160, R cudaFree 150-170, R {LAUNCH} 190-195 corr=5, K 200-300 corr=5"
    )
    assert explained(report) == [
        [
            ("host code", None, None, 20),
            ("OS call", "poll", None, 30),
            ("memory management", "cudaFree", None, 20),
            ("host code", None, None, 20),
            ("launch latency", LAUNCH, None, 10),
        ]
    ]


def test_a_call_inside_another_belongs_to_the_outer_one(capture: Capture) -> None:
    report = capture(
        f"K 0-100, R cudaMalloc 110-150, R cuMemAlloc_v2 120-140, O ioctl 125-130,"
        f" R {LAUNCH} 160-165 corr=5, K 200-300 corr=5"
    )
    assert [p[:2] + p[3:] for p in explained(report)[0]] == [
        ("host code", None, 10),
        ("memory management", "cudaMalloc", 40),
        ("host code", None, 10),
        ("launch latency", LAUNCH, 40),
    ]


def test_a_launch_under_way_when_the_gap_began_is_all_latency(capture: Capture) -> None:
    report = capture(f"K 0-100, R {LAUNCH} 95-150 corr=5, K 200-300 corr=5")
    assert explained(report) == [[("launch latency", LAUNCH, None, 100)]]


def test_a_launch_that_had_returned_was_queued(capture: Capture) -> None:
    report = capture(f"K 0-100, R {LAUNCH} 50-55 corr=5, K 200-300 corr=5")
    assert explained(report) == [[("queued", LAUNCH, None, 100)]]


def test_a_launch_that_begins_with_the_gap_is_latency(capture: Capture) -> None:
    report = capture(f"K 0-100, R {LAUNCH} 100-105 corr=5, K 200-300 corr=5")
    assert explained(report) == [[("launch latency", LAUNCH, None, 100)]]


def test_clock_skew_is_clipped_to_the_gap(capture: Capture) -> None:
    # the launch seems to begin after its kernel: all of the gap is the host's
    report = capture(f"K 0-100, R {LAUNCH} 205-210 corr=5, K 200-300 corr=5")
    assert explained(report) == [[("host code", None, None, 100)]]


def test_nothing_ends_a_trailing_gap(capture: Capture) -> None:
    report = capture("K 0-100, R cudaDeviceSynchronize 0-500")
    assert explained(report, "0/400") == [[("no later work", None, None, 300)]]


def test_a_chosen_window_cuts_the_same_blame(capture: Capture) -> None:
    # the whole gap is 100-500: 100 synchronisation, 200 host code, 100 latency
    report = capture(f"K 0-100, R cudaStreamSynchronize 50-200, R {LAUNCH} 400-405 corr=5, K 500-600 corr=5")
    whole = [
        ("synchronisation", "cudaStreamSynchronize", None, 100),
        ("host code", None, None, 200),
        ("launch latency", LAUNCH, None, 100),
    ]
    assert explained(report) == [whole]
    assert explained(report, "50/150") == [[("synchronisation", "cudaStreamSynchronize", None, 50)]]
    assert explained(report, "150/450") == [
        [
            ("synchronisation", "cudaStreamSynchronize", None, 50),
            ("host code", None, None, 200),
            ("launch latency", LAUNCH, None, 50),
        ]
    ]
    index, gaps = first_gaps(report, "150/450")
    assert gaps.kind.tolist() == [GapKind.LEADING]
    assert first_gaps(report, "50/150")[1].kind.tolist() == [GapKind.TRAILING]
    assert closing_ops(index, gaps).tolist() == [1]


def test_leading_idle_of_a_chosen_window_is_the_hosts(capture: Capture) -> None:
    report = capture(f'N(59,0-90,"data_load"), R {LAUNCH} 80-85 corr=5, K 100-200 corr=5')
    assert explained(report, "0/200") == [
        [("host code", None, "data_load", 80), ("launch latency", LAUNCH, "data_load", 20)]
    ]
    assert first_gaps(report, "0/200")[1].kind.tolist() == [GapKind.LEADING]


def test_host_code_is_split_by_phase(capture: Capture) -> None:
    report = capture(
        'K 0-100, N(59,90-400,"step"), N(59,150-250,"data_to_gpu"),'
        f" R {LAUNCH} 300-305 corr=5, K 350-400 corr=5"
    )
    assert explained(report) == [
        [
            ("host code", None, "step", 50),
            ("host code", None, "data_to_gpu", 100),
            ("host code", None, "step", 50),
            ("launch latency", LAUNCH, "step", 50),
        ]
    ]


def test_a_kernel_without_launch_falls_back_on_the_midpoint(capture: Capture) -> None:
    report = capture("K 0-100, R cudaStreamSynchronize 140-160, K 200-300 corr=77")
    index, gaps = first_gaps(report)
    assert explained(report) == [[("synchronisation", "cudaStreamSynchronize", None, 100)]]
    assert find_blame(index, gaps).by_midpoint.tolist() == [True]
    assert "2 of 2 ops have no recorded launch call" in capture_notes(index)


def test_a_launch_on_an_unknown_thread_falls_back_too(export: Export, capture: Capture) -> None:
    export.kernel(0, 100)
    export.runtime("cudaLaunchKernel_v7000", 180, 185, corr=5, globalTid=None)
    export.runtime("cudaFree_v3020", 140, 160, tid=2)
    export.push_pop("nobody's", 0, 400, globalTid=None)
    export.kernel(200, 300, corr=5)
    report = capture(export)
    assert [p[0] for p in explained(report)[0]] == ["memory management"]
    index, gaps = first_gaps(report)
    (elsewhere,) = other_ranges(index, gaps.start, np.array([-1]))
    assert [o.thread for o in elsewhere] == [-1]
    assert not find_steps(index)


def test_without_an_api_table_the_cause_is_unknown(capture: Capture) -> None:
    assert explained(capture("K 0-100, K 200-300")) == [[("unknown", None, None, 100)]]


def test_of_ops_that_start_together_the_first_launched_owns_the_gap(capture: Capture) -> None:
    report = capture(
        f"K 0-100, R {LAUNCH} 180-185 corr=5, R cudaGraphLaunch 150-160 corr=6,"
        " K(0,7,200-300) corr=5, K(0,9,200-300) corr=6, K(0,11,200-210) corr=99"
    )
    assert explained(report) == [
        [("host code", None, None, 50), ("launch latency", "cudaGraphLaunch", None, 50)]
    ]


def test_a_row_of_no_length_ends_no_gap(capture: Capture) -> None:
    report = capture(
        f"K 0-100, R {LAUNCH} 110-115 corr=5, K 150-150 corr=5, R {LAUNCH} 180-185 corr=6, K 200-300 corr=6"
    )
    assert sum(p[3] for p in explained(report)[0] if p[0] == "launch latency") == 20


def test_midpoint_names_the_call_of_any_thread(capture: Capture) -> None:
    report = capture(
        f"K 0-100, R cudaFree 140-160 tid=2, R {LAUNCH} 180-185 corr=5 tid=1, K 200-300 corr=5,"
        ' N(59,0-300,"loader") tid=2, N(59,0-300,"train") tid=1'
    )
    assert explained(report, method=BlameMethod.MIDPOINT) == [
        [("memory management", "cudaFree", "loader", 100)]
    ]


def test_midpoint_without_a_call_is_host_code(capture: Capture) -> None:
    report = capture(f'K 0-100, R {LAUNCH} 180-185 corr=5 tid=1, K 200-300 corr=5, N(59,0-300,"train") tid=1')
    assert explained(report, method=BlameMethod.MIDPOINT) == [[("host code", None, "train", 100)]]


def test_midpoint_takes_the_first_row_of_the_file(capture: Capture) -> None:
    report = capture(
        f"K 0-100, R cudaEventQuery 130-170 tid=2, R cudaFree 120-180 tid=1, R {LAUNCH} 190-195 corr=5,"
        " K 200-300 corr=5"
    )
    assert explained(report, method=BlameMethod.MIDPOINT) == [
        [("other CUDA call", "cudaEventQuery", None, 100)]
    ]


def test_midpoint_bounds_are_inclusive_and_halves_count(capture: Capture) -> None:
    # the gap 100-201 has its middle at 150.5: a call up to 150 misses it, one from 150 to 151 does not
    missed = capture(f"K 0-100, R cudaFree 120-150, R {LAUNCH} 190-195 corr=5, K 201-300 corr=5")
    assert explained(missed, method=BlameMethod.MIDPOINT)[0][0][0] == "host code"


def test_midpoint_hits_a_call_around_the_half(capture: Capture) -> None:
    hit = capture(f"K 0-100, R cudaFree 150-151, R {LAUNCH} 190-195 corr=5, K 201-300 corr=5")
    assert explained(hit, method=BlameMethod.MIDPOINT)[0][0][0] == "memory management"


def test_outer_phase_is_the_range_just_inside_the_step(export: Export, capture: Capture) -> None:
    for step in (0, 1000):
        export.push_pop(f"step {step // 1000}", step, step + 900)
        export.push_pop("forward", step + 10, step + 500)
        export.push_pop("aten::mm, seq = 3", step + 100, step + 400)
        export.launch((step + 200, step + 210), (step + 300, step + 400))
    report = capture(export)
    index = Index(report)
    outer = idle_time(index, make_scope(report), IdleChoices(0, phase=Phase.OUTER)).devices[0]
    inner = idle_time(index, make_scope(report), IdleChoices(0)).devices[0]

    def table(rows: object) -> list[tuple[str, str | None, int]]:
        return [(t.cause.words, t.phase, t.idle_ns) for t in rows]  # type: ignore[attr-defined]

    # gap 0-300: the step to 10, forward to 200, then its launch; gap 400-1300: forward to 500, the step to
    # 900, nothing to 1000, the step to 1010, forward to 1200, its launch; 1400-1900: the last step's rest
    assert table(outer.totals) == [
        ("no later work", None, 500),
        ("host code", "forward", 480),
        ("host code", "step", 420),
        ("launch latency", "forward", 200),
        ("host code", None, 100),
    ]
    assert table(inner.totals) == [
        ("no later work", None, 500),
        ("host code", "step", 420),
        ("host code", "forward", 280),
        ("host code", "aten::mm", 200),
        ("launch latency", "aten::mm", 200),
        ("host code", None, 100),
    ]
    assert find_steps(index).name == "step"


def test_a_gap_has_neighbours_and_a_path(export: Export, capture: Capture) -> None:
    export.push_pop("train", 0, 1000)
    export.push_pop("forward", 150, 900)
    export.kernel(0, 100, name="before")
    export.kernel(0, 60, stream=9, name="not this one")
    export.launch((200, 210), (300, 400), name="after")
    report = capture(export)
    index, gaps = first_gaps(report)
    around = neighbours(index, gaps)

    def names(ops: np.ndarray) -> list[str]:
        return [report.strings[int(report.ops.name[o])] for o in ops.tolist()]

    assert (names(around.before), names(around.after)) == (["before"], ["after"])
    idle = idle_time(index, make_scope(report), IdleChoices(0)).devices[0]
    paths = range_paths(index, idle.main_ranges())
    assert [[report.strings[int(report.ranges.name[r])] for r in p] for p in paths] == [["train", "forward"]]


@pytest.mark.parametrize(("traced", "said"), [("", True), (", O poll 120-160", False)])
def test_host_code_may_be_os_calls_where_those_were_not_traced(
    capture: Capture, traced: str, said: bool
) -> None:
    report = capture(f"K 0-100, R {LAUNCH} 190-195 corr=5, K 200-300 corr=5{traced}")
    note = "no OS calls recorded: host code includes waiting in them (nsys profile --trace=osrt)"
    assert (note in capture_notes(Index(report))) is said
