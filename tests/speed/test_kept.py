"""Lanes from the store are the lanes that would be gathered, and cost no event to open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.real import EXPORTS
from tui.browse.capture import Capture, open_capture
from tui.report.store.folder import Store
from tui.timeline.canvas import DrawOptions
from tui.timeline.draw import draw_lane_row
from tui.timeline.extra_building import with_extra_lanes
from tui.timeline.lane import LaneTree
from tui.timeline.lane_building import build_lanes
from tui.timeline.quiet import with_quiet_threads
from tui.timeline.slices import Row
from tui.timeline.viewport import Viewport


def lanes_of(capture: Capture) -> LaneTree:
    """All lanes, gathered again; those of quiet threads lie as deep as they are drawn."""
    tree = with_extra_lanes(build_lanes(capture.report), capture.report)
    with_quiet_threads(tree, (capture.home.start, capture.home.end))
    return tree


def reopened(path: Path, cache: Path) -> Capture:
    first = open_capture(path, cache_dir=cache)
    assert not first.lanes_kept
    first.keep_lanes()
    again = open_capture(path, cache_dir=cache)
    assert again.lanes_kept
    return again


def drawn(tree: LaneTree, span: tuple[int, int]) -> list[object]:
    views = [Viewport.fit(*span, 90), Viewport.at(sum(span) // 2, max((span[1] - span[0]) // 5000, 1))]
    return [draw_lane_row(line, v, 90, tree.catalogue, DrawOptions()) for v in views for line in tree.lines()]


def same_lanes(kept: LaneTree, gathered: LaneTree, span: tuple[int, int]) -> None:
    pairs = list(zip(kept.walk(), gathered.walk(), strict=True))
    for a, b in pairs:
        assert (a.key, a.kind, a.title, a.detail, a.depth) == (b.key, b.kind, b.title, b.detail, b.depth)
        assert (a.device, a.thread, a.process) == (b.device, b.thread, b.process)
        for ours, theirs in zip(a.load(), b.load(), strict=True):
            assert np.array_equal(ours.point, theirs.point)
            assert np.array_equal(ours.point_index, theirs.point_index)
            if isinstance(ours, Row) and isinstance(theirs, Row):
                assert ours.table == theirs.table
                for name in ("start", "end", "index", "before"):
                    assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert kept.folded_first == gathered.folded_first
    assert drawn(kept, span) == drawn(gathered, span)


def test_generated(small: Path, tmp_path: Path) -> None:
    capture = reopened(small, tmp_path)
    same_lanes(capture.tree, lanes_of(capture), capture.span)


@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_real(path: Path, tmp_path: Path) -> None:
    capture = reopened(path, tmp_path)
    same_lanes(capture.tree, lanes_of(capture), capture.span)


def test_the_open_tree_goes_on_with_what_is_kept(small: Path, tmp_path: Path) -> None:
    capture = open_capture(small, cache_dir=tmp_path)
    before = drawn(capture.tree, capture.span)
    capture.keep_lanes()
    for lane in capture.tree.walk():
        assert lane.loader is None
        for row in lane.load():
            if isinstance(row, Row):
                assert not row.start.flags.owndata
                assert not row.index.flags.owndata
    assert drawn(capture.tree, capture.span) == before


def test_nothing_is_kept_without_a_store(small: Path) -> None:
    capture = open_capture(small, use_store=False)
    capture.keep_lanes()
    assert not capture.lanes_kept


def test_it_goes_with_the_report(small: Path, tmp_path: Path) -> None:
    capture = open_capture(small, cache_dir=tmp_path)
    alone = Store(tmp_path).entries()[0].size
    capture.keep_lanes()
    (entry,) = Store(tmp_path).entries()
    assert entry.size > alone
    assert len(Store(tmp_path).clear()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_one_is_gathered_anew(small: Path, tmp_path: Path) -> None:
    open_capture(small, cache_dir=tmp_path).keep_lanes()
    (kept,) = tmp_path.glob("*.lanes-*.derived")
    data = bytearray(kept.read_bytes())
    data[len(data) // 2] ^= 0xFF
    kept.write_bytes(data)
    capture = open_capture(small, cache_dir=tmp_path)
    assert not capture.lanes_kept
    same_lanes(capture.tree, lanes_of(capture), capture.span)


def test_where_the_store_is_gone_the_lanes_stay(small: Path, tmp_path: Path) -> None:
    capture = open_capture(small, cache_dir=tmp_path)
    Store(tmp_path).clear()
    before = drawn(capture.tree, capture.span)
    capture.keep_lanes()
    assert list(tmp_path.iterdir()) == []
    assert drawn(capture.tree, capture.span) == before


def test_busy_time_of_the_lanes_is_the_one_that_is_analysed(small: Path, tmp_path: Path) -> None:
    kept = reopened(small, tmp_path)
    fresh = open_capture(small, cache_dir=tmp_path / "other")
    for device in range(len(kept.report.devices)):
        with kept.lookups() as index, fresh.lookups() as other:
            ours, theirs = index.coverage(device), other.coverage(device)
        assert not ours.start.flags.owndata
        assert np.array_equal(ours.start, theirs.start)
        assert np.array_equal(ours.end, theirs.end)
        assert np.array_equal(ours.before, theirs.before)


def test_leaving_stops_it_and_leaves_nothing(small: Path, tmp_path: Path) -> None:
    capture = open_capture(small, cache_dir=tmp_path)
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 5

    capture.keep_lanes(cancelled)
    assert len(asked) == 6
    assert sorted(p.name.split(".", 2)[2] for p in tmp_path.iterdir()) == ["columns", "window-1.derived"]
    assert not open_capture(small, cache_dir=tmp_path).lanes_kept
