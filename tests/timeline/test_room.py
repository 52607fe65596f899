"""What a screen of lanes does with too little room, and with more than enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.timeline.conftest import Opened, Picture
from tui.browse.view import View
from tui.intervals import Coverage
from tui.timeline.arrangement import Arrangement
from tui.timeline.canvas import DeviceTime, DrawOptions, GapMarks
from tui.timeline.draw import draw_lane_row
from tui.timeline.lane import Lane, LaneKind, LaneLine, LaneTree
from tui.timeline.lane_building import build_lanes
from tui.timeline.quiet import with_quiet_threads
from tui.timeline.runs import text_of
from tui.timeline.slices import Row, Summary
from tui.timeline.viewport import Viewport

NONE = np.zeros(0, np.int64)


def events(key: str, **fields: object) -> Lane:
    lane = Lane(key, LaneKind.EVENTS, key, depth=1, **fields)  # type: ignore[arg-type]
    lane.take((Row("calls", NONE, NONE, NONE, NONE, NONE),))
    return lane


def device(number: int, streams: int) -> Lane:
    children = tuple(events(f"g{number}s{i}", shape="stream", device=number) for i in range(streams))
    lane = Lane(f"g{number}", LaneKind.DEVICE, f"G{number}", device=number, children=children)
    lane.take((Summary(Coverage(NONE, NONE), Coverage(NONE, NONE), NONE, NONE),))
    return lane


def thread(key: str, lanes: int = 2) -> Lane:
    children = tuple(events(f"{key}/{i}", table="calls") for i in range(lanes))
    lane = Lane(key, LaneKind.THREAD, key, children=children, table="ranges")
    lane.take((Row("ranges", NONE, NONE, NONE, NONE, NONE),))
    return lane


def view_of(*roots: Lane, height: int) -> View:
    view = View(LaneTree(roots), (0, 100), (0, 100))
    view.resize(40, height)
    return view


def titles(view: View) -> list[str]:
    return [line.lane.key + ("+" if line.folded else "") for line in view.lines if line.part == 0]


def seen(view: View) -> list[str]:
    return [line.lane.key for line in view.seen]


def test_devices_fold_so_that_all_of_them_and_the_threads_are_in_sight() -> None:
    view = view_of(*(device(n, 4) for n in range(4)), thread("a"), thread("b"), height=14)
    # Open they would take 26 lines; with all but the first device folded b is the last of 14.
    assert titles(view) == [
        "g0", "g0s0", "g0s1", "g0s2", "g0s3", "g1+", "g2+", "g3+", "a", "a/0", "a/1", "b", "b/0", "b/1",
    ]  # fmt: skip


def test_the_device_under_the_cursor_unfolds_and_the_one_before_folds() -> None:
    view = view_of(*(device(n, 4) for n in range(4)), thread("a"), height=12)
    for _ in range(10):
        view.move_line(1)
    assert view.at is not None
    assert view.at.lane.key == "g2"
    assert titles(view)[:7] == ["g0+", "g1+", "g2", "g2s0", "g2s1", "g2s2", "g2s3"]
    view.move_line(-1)
    assert view.at.lane.key == "g1"
    assert titles(view)[:3] == ["g0+", "g1", "g1s0"]


def test_then_threads_fold_and_at_last_everything() -> None:
    roots = [device(0, 4), device(1, 4), thread("a", 3), thread("b", 3), thread("c", 3)]
    in_nine = ["g0", "g0s0", "g0s1", "g0s2", "g0s3", "g1+", "a+", "b+", "c+"]
    assert titles(view_of(*roots, height=9)) == in_nine
    view = view_of(*roots, height=7)
    assert titles(view) == ["g0+", "g1+", "a+", "b+", "c+"]
    view.move_line(1)
    assert titles(view) == ["g0+", "g1+", "a+", "b+", "c+"]  # nothing opens by itself


def test_what_is_folded_by_hand_stays_so() -> None:
    view = view_of(*(device(n, 4) for n in range(4)), thread("a"), height=12)
    view.toggle_fold()
    assert titles(view)[:2] == ["g0+", "g1+"]
    view.move_line(1)
    view.move_line(-1)
    assert titles(view)[:2] == ["g0+", "g1+"]
    view.toggle_fold()
    view.resize(40, 11)
    assert titles(view)[:2] == ["g0", "g0s0"]
    view.toggle_fold_all()
    view.toggle_fold_all()
    view.resize(40, 10)
    assert not any("+" in title for title in titles(view))


def test_one_group_is_folded_for_nobody() -> None:
    assert titles(view_of(device(0, 9), height=4))[:2] == ["g0", "g0s0"]


def rows(view: View) -> dict[str, int]:
    return {line.lane.key: line.rows for line in view.lines}


def test_heights_follow_the_room() -> None:
    def made(height: int) -> dict[str, int]:
        return rows(view_of(device(0, 2), device(1, 1), thread("a", 1), height=height))

    # Seven lines; two devices and three streams.
    assert set(made(8).values()) == {1}
    assert made(9) == {"g0": 2, "g0s0": 1, "g0s1": 1, "g1": 2, "g1s0": 1, "a": 1, "a/0": 1}
    assert made(12) == {"g0": 2, "g0s0": 2, "g0s1": 2, "g1": 2, "g1s0": 2, "a": 1, "a/0": 1}
    assert made(14)["g0"] == 3
    assert made(99) == {**made(12), "g0": 3, "g1": 3}


def test_a_height_by_hand_is_the_users() -> None:
    view = view_of(device(0, 1), thread("a", 1), height=20)
    assert view.grow_line(-1) == 2
    assert rows(view)["g0"] == 2
    view.resize(40, 30)
    assert rows(view)["g0"] == 2


def test_devices_stay_in_sight_while_threads_scroll() -> None:
    view = view_of(device(0, 2), device(1, 1), *(thread(k, 2) for k in "abc"), height=8)
    view.make_no_room()
    view.fit_room()
    assert len(view.lines) == 14
    assert seen(view) == ["g0", "g0s0", "g0s1", "g1", "g1s0", "a", "a/0", "a/1"]
    assert view.below == 6
    view.go_line(9)
    assert seen(view) == ["g0", "g1", "g1s0", "a", "a/0", "a/1", "b", "b/0"]
    view.go_line(13)
    assert seen(view) == ["g0", "g1", "b", "b/0", "b/1", "c", "c/0", "c/1"]
    assert view.below == 0
    assert [view.number_at(y) for y in (0, 1, 2, 7)] == [0, 3, 8, 13]
    view.go_line(0)  # it is in sight already
    assert seen(view)[-1] == "c/1"
    view.go_line(1)
    assert seen(view)[:2] == ["g0", "g0s0"]
    view.scroll(100)
    assert (seen(view)[-1], view.line) == ("c/1", 8)
    view.scroll(-100)
    assert seen(view)[:2] == ["g0", "g0s0"]


def test_pinned_lanes_stay_in_sight_too_and_at_most_half_of_the_screen_does() -> None:
    view = view_of(*(device(n, 1) for n in range(5)), thread("a", 2), height=6)
    view.make_no_room()
    view.arrange(Arrangement(pinned=("a/1",)))
    view.go_line(len(view.lines) - 1)
    assert seen(view) == ["a/1", "g0", "g1", "g4s0", "a", "a/0"]


def test_quiet_threads_share_a_row(opened: Opened) -> None:
    report = opened(
        "K 0-1000; R cudaLaunchKernel 0-5 tid=1 corr=1; N a 0-900 tid=2; N early 0-1 tid=6;"
        "O poll 0-900 tid=3; O poll 0-900 tid=4; O futex 5-9 tid=5; N late 5000-6000 tid=7; O read 0-9 tid=7"
    )
    tree = build_lanes(report)
    assert len([root for root in tree.roots if root.kind is LaneKind.THREAD]) == 7
    shown = with_quiet_threads(tree, (100, 1000))
    assert [root.kind for root in shown.roots].count(LaneKind.THREAD) == 2
    group = shown.roots[-1]
    assert (group.title, group.key in shown.folded_first) == ("5 quiet threads", True)
    assert sorted(lane.key.rpartition("/")[2] for lane in group.children) == ["3", "4", "5", "6", "7"]
    assert {lane.depth for lane in group.walk()} == {0, 1, 2}
    # Two have their own rows.
    assert with_quiet_threads(LaneTree(tree.roots[:4], tree.catalogue), (100, 1000)).roots == tree.roots[:4]
    # Within everything recorded the threads with ranges are no quiet ones.
    assert with_quiet_threads(build_lanes(report), (0, 6000)).roots[-1].title == "3 quiet threads"


def test_not_all_threads_are_quiet(opened: Opened) -> None:
    """Without device work the one that ran on a CPU most has its own row, else the first."""
    report = opened("; ".join(f"O poll 0-900 tid={tid}" for tid in (1, 2, 3, 4)))
    roots = with_quiet_threads(build_lanes(report), (0, 900)).roots
    assert [root.title for root in roots] == ["thread 1 · OS", "3 quiet threads"]


def test_a_thread_of_the_group_is_a_place_like_any_other(opened: Opened) -> None:
    quiet = "; ".join(f"O poll 0-900 tid={tid}" for tid in (1, 2, 3))
    report = opened(f"R cudaLaunchKernel 0-5 tid=9; {quiet}")
    tree = with_quiet_threads(build_lanes(report), (0, 900))
    view = View(tree, (0, 900), (0, 900))
    assert [line.title for line in view.lines] == ["thread 9 · API", "3 quiet threads"]
    key = tree.roots[1].children[1].key
    assert view.reveal_lane(key)
    assert view.at is not None
    assert view.root_of(view.at.lane).key == key
    assert view.toggle_fold()  # the group of a thread that has nothing to fold itself
    assert [line.title for line in view.lines] == ["thread 9 · API", "3 quiet threads"]
    assert view.at.lane.key == "quiet"


@pytest.mark.parametrize("rows", [2, 3])
def test_shares_are_as_high_as_all_lines_of_a_row(picture: Callable[..., Picture], rows: int) -> None:
    # Cells of 100 ns: a full one; 45 covered by three kernels; 3; nothing.
    made = picture("K 0-100 name=a; K 100-115; K 120-140; K 150-160; K 210-211; K 220-221; K 230-231", 100, 4)
    lane = made.lane("s7")

    def line(part: int, options: DrawOptions) -> str:
        at = LaneLine(lane, 0, False, part, rows)
        return text_of(draw_lane_row(at, made.viewport, 4, made.tree.catalogue, options))

    drawn = [line(part, DrawOptions(fill=False)) for part in range(rows)]
    # 45 of 100 are 7.2 of 16 and 10.8 of 24 eighths; 3 are half an eighth, and one at least.
    assert drawn == (["█   ", "█▇▁ "] if rows == 2 else ["█   ", "█▃  ", "██▁ "])


def test_a_device_in_three_lines(opened: Opened) -> None:
    report = opened("K 0-100; K 100-150; K 900-1000")
    tree = build_lanes(report)
    busy = tree.roots[0].summary
    assert busy is not None
    time = DeviceTime((0, 1000), busy.busy, busy.busy, Coverage(NONE, NONE))
    marks = GapMarks(np.array([150]), np.array([900]), lambda gap: "host code", time=time)
    options = DrawOptions(fill=False, gaps={0: marks})

    def line(part: int) -> str:
        at = LaneLine(tree.roots[0], 0, False, part, 3)
        return text_of(draw_lane_row(at, Viewport(0, 100), 10, tree.catalogue, options))

    assert [line(part) for part in range(3)] == ["█        █", "█▄750 ns █", "██╌╌╌╌╌╌╌█"]
