"""The lanes of CPU states and samples: which there are, and what their cells hold."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.cpu.conftest import index_of
from tests.support.export import Export
from tui.timeline.extra.cpu_lanes import cpu_lanes
from tui.timeline.extra.sampled_names import SampledNames
from tui.timeline.series import OnCpu, Sampled


def lanes(export: Export) -> dict[tuple[int, str], tuple[OnCpu | Sampled, ...]]:
    """The lines of each lane, by tid and title."""
    index = index_of(export.write())
    report = index.report
    return {
        (report.threads[lane.thread].tid, lane.title): lane.late(index)  # type: ignore[misc]
        for lane in cpu_lanes(report)
    }


def test_a_thread_has_a_line_of_states_and_one_of_samples(export: Export) -> None:
    export.kernel(0, 10_000)
    export.runtime("cudaStreamSynchronize_v3020", 1_000, 4_000)
    export.osrt("read", 3_500, 4_500)
    export.on_cpu(None, 1_500)
    export.on_cpu(3_800, 9_000)
    export.on_cpu(100, 200, tid=2)  # its heading shows this already
    for at in (4_600, 4_700, 5_000):
        export.sample(at, ["postprocess(float const*)", "main"])
    export.sample(5_500, ["decode"])
    export.sample(6_000, [("enabled", "/opt/nsys/libToolsInjection64.so")])
    found = lanes(export)
    assert list(found) == [(1, "CPU"), (1, "samples"), (2, "samples")]
    (state,) = found[1, "CPU"]
    assert isinstance(state, OnCpu)
    edges = np.array([0, 1_000, 2_000, 3_000, 4_000, 5_000, 10_000])
    assert state.running.over(edges).tolist() == [1_000, 500, 0, 200, 1_000, 4_000]
    assert state.in_call.over(edges).tolist() == [0, 1_000, 1_000, 1_000, 500, 0]
    assert state.known == (0, 10_000)
    (taken,) = found[1, "samples"]
    assert isinstance(taken, Sampled)
    seen = taken.names.over(np.array([0, 4_600, 5_000, 5_001, 5_600, 7_000]))
    assert seen.seen.tolist() == [0, 2, 1, 1, 1]
    words = [taken.names.word(code) if code >= 0 else None for code in seen.code.tolist()]
    assert words == [None, "postprocess(float const*)", "postprocess(float const*)", "decode", None]
    assert np.isnan(seen.share[0])
    assert seen.share[1:].tolist() == [1, 1, 1, 0]
    assert {taken.style(int(code)) for code in seen.code[1:4]} == {"series.6"}
    assert found[2, "samples"] == ()


def test_without_scheduling_data_any_thread_may_have_samples(export: Export) -> None:
    export.launch((0, 10), (20, 1_000))
    export.launch((0, 10), (20, 1_000), tid=7)
    export.sample(500, ["f"], tid=7)
    assert [key for key, rows in lanes(export).items() if rows] == [(7, "samples")]


def test_without_either_table_there_are_no_lanes(export: Export) -> None:
    export.launch((0, 10), (20, 1_000))
    export.empty("SCHED_EVENTS", "COMPOSITE_EVENTS")
    assert lanes(export) == {}


NAMES = ["a", "b", "c"]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(-1, 2)), max_size=600),
    st.lists(st.integers(-5, 45), min_size=2, max_size=8),
)
def test_cells_count_what_a_loop_counts(samples: list[tuple[int, int]], edges: list[int]) -> None:
    samples, edges = sorted(samples), sorted(edges)
    names = SampledNames(np.array([at for at, _ in samples], np.int64), leaves(samples), NAMES)
    names._block = 7  # many blocks of few samples
    names._sums = names._summed()
    found = names.over(np.array(edges, np.int64))
    for cell, (low, high) in enumerate(pairwise(edges)):
        inside = [leaf for at, leaf in samples if low <= at < high]
        named = Counter(NAMES[leaf] for leaf in inside if leaf >= 0)
        assert found.seen[cell] == len(inside)
        if named:
            word = names.word(int(found.code[cell]))
            assert named[word] == max(named.values())
            assert found.share[cell] == named[word] / len(inside)
        else:
            assert found.code[cell] == -1


def leaves(samples: list[tuple[int, int]]) -> np.ndarray:
    return np.array([leaf for _, leaf in samples], np.intp)
