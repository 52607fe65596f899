"""Lanes of values among those of events: where they stand, what folding keeps, and that they are not kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import training
from tests.support import values
from tests.support.export import Export
from tests.support.values import level
from tui.browse.capture import Capture, open_capture
from tui.browse.late_lanes import gathered
from tui.browse.view import View
from tui.report.model import Report
from tui.timeline.extra_building import with_extra_lanes
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.lane_building import build_lanes
from tui.timeline.series import Failed

EVENTS = ["GPU 0", "s7", "copies", "thread", "NVTX", "API", "OS"]


@pytest.fixture
def provided(monkeypatch: pytest.MonkeyPatch) -> None:
    values.install(monkeypatch)


def titles(tree: LaneTree) -> list[str]:
    return [f"{' ' * lane.depth}{lane.title}" for lane in tree.walk()]


def opened(path: Path, store: Path | None = None) -> Capture:
    return open_capture(path, cache_dir=store, use_store=store is not None)


@pytest.mark.usefixtures("provided")
def test_below_their_device_and_thread_and_after_the_devices(tmp_path: Path) -> None:
    capture = opened(training(tmp_path / "x.sqlite"))
    assert titles(capture.shown) == [
        "GPU 0", " s7", " copies", " metrics", " memory", "network", "broken", "empty",
        "thread", " NVTX", " API", " OS", " CPU",
    ]  # fmt: skip
    assert {"gpu0/metrics", "t/cpu", "host/network"} <= capture.shown.folded_first
    assert not any(lane.loaded for lane in capture.shown.walk() if lane.kind is LaneKind.SERIES)


def test_an_owner_without_events_has_a_heading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values.install(monkeypatch)
    export = Export(tmp_path / "x.sqlite")
    export.osrt("poll", 0, 10)
    export.kernel(0, 1000, device=1)
    report = opened(export.write()).report
    number = report.devices[0].index

    def lanes(_: Report) -> Iterator[Lane]:
        yield Lane("a", LaneKind.SERIES, "metrics", late=lambda index: (), device=number)
        yield Lane("b", LaneKind.SERIES, "samples", late=lambda index: (), thread=0)

    monkeypatch.setattr("tui.timeline.extra_building.extra_lanes", lanes)
    found = with_extra_lanes(LaneTree(()), report)
    assert titles(found) == ["GPU 1", " metrics", "thread", " samples"]
    assert [(line.title, line.folded) for line in found.lines(found.folded_first)] == [
        ("GPU 1", False), ("metrics", True), ("thread", False), ("samples", True),
    ]  # fmt: skip
    whole = with_extra_lanes(build_lanes(report), report)
    assert titles(whole) == ["GPU 1", " s7", " metrics", "thread · OS", " samples"]


@pytest.mark.usefixtures("provided")
def test_the_lines_of_a_folded_lane_and_of_one_that_is_not(tmp_path: Path) -> None:
    capture = opened(training(tmp_path / "x.sqlite"))
    view = View(capture.shown, capture.span, (capture.home.start, capture.home.end))

    def lines(key: str) -> list[tuple[str, int, int, bool]]:
        return [
            (line.title, line.part, line.rows, line.folded) for line in view.lines if line.lane.key == key
        ]

    assert lines("gpu0/metrics") == [("metrics", 0, 1, True)] * 3  # the room for what comes
    for lane in capture.shown.walk():
        if lane.waits:
            lane.take(gathered(capture, lane))
    view.lay_out()
    assert lines("gpu0/metrics") == [("SM active", 0, 1, True), ("tensor", 0, 1, True), ("PCIe", 0, 1, True)]
    assert lines("gpu0/memory") == [("memory", 0, 1, True)]
    assert lines("host/empty") == []
    view.reveal_lane("gpu0/metrics", 3)
    assert view.at is not None
    assert view.at.title == "GPC 0"
    assert lines("gpu0/metrics") == [
        ("SM active", 0, 1, False), *(("tensor", part, 4, False) for part in range(4)), ("PCIe", 0, 1, False),
        ("GPC 0", 0, 1, False), ("GPC 1", 0, 1, False),
    ]  # fmt: skip
    # Without more lines to show, space folds the owner.
    assert view.reveal_lane("host/network")
    assert not view.toggle_fold()
    broken = next(lane for lane in capture.shown.walk() if lane.title == "broken")
    assert broken.series == (Failed(title="", words="can't be read: the table is torn"),)


def test_the_height_of_a_line_is_the_users(tmp_path: Path) -> None:
    lane = Lane("a", LaneKind.SERIES, "a")
    lane.take((level("one", [1.0], "series.0"), level("two", [1.0], "series.0", tall=3)))
    other = Lane("b", LaneKind.SERIES, "b")
    other.take((level("three", [1.0], "series.0"),))
    view = View(LaneTree((lane, other)), (0, 10), (0, 10))
    view.go_line(0)
    assert [view.grow_line(1), view.grow_line(1), view.grow_line(-1), view.grow_line(-5)] == [2, 3, 2, 1]
    view.go_line(3)
    assert (view.at and view.at.title, view.at and view.at.part) == ("two", 2)
    assert view.grow_line(-1) == 2
    assert (view.at and view.at.title, view.at and view.at.part) == ("two", 1)
    assert [view.grow_line(20), len(view.lines)] == [8, 10]


@pytest.mark.usefixtures("provided")
def test_lanes_of_values_are_not_kept_and_come_again(tmp_path: Path) -> None:
    path = training(tmp_path / "x.sqlite")
    first = opened(path, tmp_path / "store")
    metrics = next(lane for lane in first.shown.walk() if lane.title == "metrics")
    metrics.take(gathered(first, metrics))
    first.keep_lanes()
    assert [row.title for row in metrics.series][:2] == ["SM active", "tensor"]
    again = opened(path, tmp_path / "store")
    assert again.lanes_kept
    assert titles(again.shown) == titles(first.shown)
    assert again.shown.folded_first == first.shown.folded_first
    assert next(lane for lane in again.shown.walk() if lane.title == "metrics").waits


@pytest.mark.usefixtures("provided")
def test_a_store_without_providers_has_events_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = training(tmp_path / "x.sqlite")
    opened(path, tmp_path / "store").keep_lanes()
    monkeypatch.setattr("tui.timeline.extra.PROVIDERS", ())
    again = opened(path, tmp_path / "store")
    assert [lane.title for lane in again.shown.walk()] == EVENTS
    assert again.shown.folded_first == frozenset()


def test_a_lane_of_values_has_its_events_below_it_and_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values.install(monkeypatch)

    def lanes(_: Report) -> Iterator[Lane]:
        yield Lane("t/waits", LaneKind.SERIES, "waits", late=lambda index: (), thread=0, table="os_calls")

    monkeypatch.setattr(values, "provide", lanes)
    path = training(tmp_path / "x.sqlite")
    capture = opened(path, tmp_path / "store")
    assert titles(capture.shown)[-4:] == [" NVTX", " API", " waits", "  OS"]
    assert [line.title for line in capture.shown.lines(capture.shown.folded_first)][-2:] == ["API", "waits"]
    capture.keep_lanes()
    again = opened(path, tmp_path / "store")
    assert again.lanes_kept
    assert titles(again.shown)[-4:] == [" NVTX", " API", " waits", "  OS"]
    monkeypatch.setattr("tui.timeline.extra.PROVIDERS", ())
    assert titles(opened(path, tmp_path / "store").shown)[-3:] == [" NVTX", " API", " OS"]
