"""Windows and steps: literal cases."""

from __future__ import annotations

import pytest

from tests.cases.conftest import Capture
from tests.support.export import Export
from tui.analysis.busy import device_busy
from tui.analysis.index import Index
from tui.analysis.step_table import step_rows
from tui.analysis.steps import find_steps
from tui.analysis.window import make_scope
from tui.errors import NothingThere, UsageError

THREE = "K 0-100, K 150-250, K 300-400"
MS = 1_000_000


def test_a_chosen_window_clips(capture: Capture) -> None:
    report = capture(THREE)
    index = Index(report)
    (row,) = device_busy(index, make_scope(report, "50/320"))
    assert (row.busy_ns, row.idle_ns, row.window_ns) == (170, 100, 270)


def test_a_window_partly_outside_is_clamped_and_says_so(capture: Capture) -> None:
    window = make_scope(capture(THREE), "0/60000").window
    assert (window.start, window.end) == (0, 400)
    assert window.note is not None
    assert "clamped to 0/400" in window.note


@pytest.mark.parametrize("text", ["900/1000", "300/200", "100/100", "-50/-20"])
def test_a_window_outside_or_backwards_states_the_bounds(capture: Capture, text: str) -> None:
    with pytest.raises(UsageError, match="0/400 ns"):
        make_scope(capture(THREE), text)


def test_each_device_has_its_own_span_and_the_common_window(capture: Capture) -> None:
    report = capture("K(0,7,0-6) K(1,7,0-60)", unit=10**9)
    first, second = device_busy(Index(report), make_scope(report))
    assert (first.busy_pct, first.span_busy_pct, first.span) == (10.0, 100.0, (0, 6 * 10**9))
    assert (second.busy_pct, second.span_busy_pct) == (100.0, 100.0)


def test_library_ranges_are_no_steps(export: Export, capture: Capture) -> None:
    at = 0
    for i in range(300):
        if i % 75 == 0:
            export.push_pop("cub::DeviceReduce", at, at + 5)
        export.launch((at + 1, at + 3), (at + 10, at + 40))
        at += 50 + (i * 7919) % 101
    report = capture(export)
    assert not find_steps(Index(report))
    with pytest.raises(NothingThere, match="no steps found"):
        make_scope(report, "step:1")


def test_a_step_by_name_is_that_name_alone(export: Export, capture: Capture) -> None:
    for i in range(3):
        export.push_pop("sample_0", 200 * MS * i, 200 * MS * i + 100 * MS)
    for i in range(200):
        export.push_pop("aten::sample_0_copy", 20_000 * i, 20_000 * i + 10_000, tid=2)
    export.kernel(0, 1)
    report = capture(export)
    index = Index(report)
    (rows,) = step_rows(index, find_steps(index, "sample_0"), make_scope(report))
    assert len(rows) == 3
    assert rows.spread is not None
    assert rows.spread.median_ns == 100 * MS


def test_every_process_has_its_own_steps(export: Export, capture: Capture) -> None:
    for rank in range(8):
        for step in range(2):
            start = 100 * step + rank
            export.push_pop("step", start, start + 95, pid=1000 + rank)
    export.kernel(0, 1, pid=1000)
    report = capture(export)
    steps = find_steps(Index(report))
    assert steps.name == "step"
    assert [len(s) for s in steps.sequences] == [2] * 8


def test_a_device_that_was_not_seen_to_work_has_no_shares(export: Export, capture: Capture) -> None:
    for step in range(3):
        export.push_pop("step", 100 * step, 100 * step + 90)
    report = capture(export)
    index = Index(report)
    (rows,) = step_rows(index, find_steps(index), make_scope(report))
    assert (rows.busy, rows.idle, rows.comm) == (None, None, None)
