"""From a place to what lies there, and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.timeline.conftest import Opened
from tests.timeline.test_compose import disjoint, row_of
from tests.timeline.test_summary import gaps
from tui.intervals import Coverage, next_index, previous_index
from tui.timeline.hits import busy_at, gap_at, idle_at, locate, position_of, slice_at
from tui.timeline.lane_building import build_lanes
from tui.timeline.slices import SliceId


@given(disjoint(), st.integers(-100, 2000), st.sampled_from([1, 7, 50, 400]))
def test_a_cell_yields_the_longest_slice_in_it(slices: list[tuple[int, int]], time: int, cell: int) -> None:
    parts = [max(0, min(e, time + cell) - max(s, time)) for s, e in slices]
    hit = slice_at(row_of(slices), time, cell)
    if not max(parts):
        assert hit is None
        return
    assert hit is not None
    assert hit.id == SliceId("ops", parts.index(max(parts)))
    assert (hit.start, hit.end) == slices[hit.id.index]


def test_an_event_without_length_can_be_hit(opened: Opened) -> None:
    tree = build_lanes(opened("K 0-1000, K 500-500"))
    (row,) = tree.roots[0].children[0].rows
    hit = slice_at(row, 490, 20)
    assert hit is not None
    assert (hit.id, hit.start, hit.end) == (SliceId("ops", 1), 500, 500)
    assert slice_at(row, 510, 20) == (SliceId("ops", 0), 0, 1000)
    assert position_of(row, SliceId("ops", 1)) == hit
    assert position_of(row, SliceId("ops", 7)) is None
    assert position_of(row, SliceId("calls", 0)) is None


def test_every_event_is_found_in_its_lane(opened: Opened) -> None:
    report = opened(
        "K(0,7,0-10) pid=100; K(0,7,5-20) pid=100; K(1,7,0-10) pid=200; M 0-5; Y 0-5; N a 0-50; N b 5-10;"
        'N(60,0-40,"s"); N(34,7-NULL,"m"); R cudaFree 1-2; O poll 0-9'
    )
    tree = build_lanes(report)
    for table, count in (
        ("ops", 4),
        ("calls", 1),
        ("ranges", 3),
        ("marks", 1),
        ("os_calls", 1),
        ("syncs", 1),
    ):
        for index in range(count):
            found = locate(tree, SliceId(table, index))
            assert found is not None
            lane, sub = found
            assert position_of(lane.rows[sub], SliceId(table, index)) is not None


def test_busy_and_idle_stretches() -> None:
    device = Coverage([0, 100], [50, 200])
    assert busy_at(device, 120) == (100, 200)
    assert busy_at(device, 50) is None
    assert idle_at(device, 50) == (50, 100)
    assert idle_at(device, 100) is None
    assert idle_at(device, -5) is None
    assert idle_at(device, 300) is None


def test_gaps_before_at_and_after() -> None:
    marks = gaps((100, 200), (300, 900))
    assert gap_at(marks, 150) == 0
    assert gap_at(marks, 200) is None
    assert gap_at(marks, 190, 200) == 1
    assert [next_index(marks.start, t) for t in (0, 100, 300)] == [0, 1, -1]
    assert [previous_index(marks.start, t) for t in (0, 100, 301)] == [-1, -1, 1]
