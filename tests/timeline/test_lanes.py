"""Which lanes a report has, in which order, and what they are called."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.export import Export, global_id
from tests.support.real import EXPORTS, needs_real
from tests.timeline.conftest import Opened
from tui.analysis.index import Index
from tui.analysis.scope import Scope, Window
from tui.browse.capture import chosen_lanes
from tui.report import Report, open_report
from tui.report.model import OpKind, RangeStyle
from tui.timeline import row_groups as groups_module
from tui.timeline.coming import coming_lanes, coming_words
from tui.timeline.kept_lanes import hand_over, load, save
from tui.timeline.lane import LaneTree
from tui.timeline.lane_building import build_lanes
from tui.timeline.row_groups import RowGroups


def outline(tree: LaneTree) -> list[str]:
    return [f"{'  ' * lane.depth}{lane.title}" for lane in tree.walk()]


def test_devices_first_then_threads_that_launch_then_the_rest(opened: Opened) -> None:
    report = opened(
        "R cudaLaunchKernel_v7000 0-5 corr=1 tid=5; K(0,7,10-20) corr=1; M(0,7,20-30); S(0,7,30-40);"
        "K(1,9,10-20); N step 0-50 tid=5; N fwd 1-40 tid=5; N loader 0-50 tid=4;"
        "O poll 0-50 tid=3; R cudaGetDevice 0-5 tid=4"
    )
    tree = build_lanes(report)
    assert [lane.title for lane in tree.roots[:2]] == ["GPU 0", "GPU 1"]
    assert [lane.title for lane in tree.roots[0].children] == ["s7", "copies", "memsets"]
    assert [lane.detail.rpartition(" ")[2] for lane in tree.roots[2:]] == ["5", "4", "3"]
    assert [lane.title for lane in tree.roots[2].children] == ["NVTX", "API"]
    assert [lane.title for lane in tree.roots[3].children] == ["API"]
    assert tree.roots[4].title.endswith("· OS")


def test_threads_without_work_come_after_all_processes(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite").notation("O poll 0-9 pid=200 tid=5; N a 0-9 pid=300 tid=6")
    export.overhead("flush", 0, 5, pid=100, tid=4)
    tree = build_lanes(open_report(export.write(), use_store=False))
    assert [root.key for root in tree.roots] == ["t200/5", "t300/6", "t100/4"]


def test_streams_are_told_apart_by_what_differs(opened: Opened) -> None:
    plain = build_lanes(opened("K(0,7,0-10) K(0,9,0-10)"))
    assert [lane.title for lane in plain.roots[0].children] == ["s7", "s9"]
    shared = build_lanes(opened("K(0,7,0-10) pid=100; K(0,7,0-10) pid=200; K(0,8,0-10) pid=200"))
    assert [lane.title for lane in shared.roots[0].children] == ["s7 100", "s7 200", "s8"]
    contexts = build_lanes(opened("K(0,7,0-10) contextId=1; K(0,7,20-30) contextId=2"))
    assert [lane.title for lane in contexts.roots[0].children] == ["s7 c1", "s7 c2"]


def test_keys_are_unique(opened: Opened) -> None:
    report = opened(
        "K(0,7,0-10) pid=100; K(0,7,0-10) pid=200; K(1,7,0-10); M 0-5; Y 0-5; R cudaFree 0-3; N a 0-9 pid=200"
    )
    keys = [lane.key for lane in build_lanes(report).walk()]
    assert len(keys) == len(set(keys))


def test_a_level_is_a_row(opened: Opened) -> None:
    tree = build_lanes(opened("N a 0-100; N b 0-50; N c 10-20; N d 60-90"))
    head = tree.roots[0]
    assert head.height == 1
    assert [len(row) for row in head.children[0].rows] == [2, 1]


def test_folding_hides_what_is_below(opened: Opened) -> None:
    tree = build_lanes(opened("K 0-10; M 0-5; N a 0-100; N b 0-50; N c 10-20"))
    assert len(tree.lines()) == 3 + 1 + 2
    assert len(tree.lines(frozenset({"gpu0"}))) == 1 + 1 + 2
    nvtx = tree.roots[1].children[0]
    assert len(tree.lines(frozenset({nvtx.key}))) == 3 + 1 + 1
    assert tree.foldable(nvtx)
    assert not tree.foldable(tree.roots[0].children[0])


def test_selecting_lanes_keeps_their_headings(opened: Opened) -> None:
    tree = build_lanes(opened("K(0,7,0-10); M 0-5; K(1,9,0-10); N a 0-100; N b 0-50"))
    assert outline(tree.select(["copies"])) == ["GPU 0", "  copies"]
    assert outline(tree.select(["gpu1"])) == ["GPU 1", "  s9"]
    assert outline(tree.select(["NVTX"]))[1:] == ["  NVTX"]
    assert tree.select(["nothing of this name"]).roots == ()


def test_lanes_of_some_devices_and_processes_only(opened: Opened) -> None:
    report = opened(
        "K(0,7,0-10) pid=100; K(0,8,0-10) pid=200; M 20-30 pid=100; K(1,7,0-10) pid=200;"
        "R cudaFree 0-5 pid=100; R cudaFree 0-5 pid=200 tid=2"
    )
    tree, index, window = build_lanes(report), Index(report), Window(0, 30)
    assert outline(chosen_lanes(tree, index, Scope(window, devices=(1,))))[:2] == ["GPU 1", "  s7"]
    mine = chosen_lanes(tree, index, Scope(window, processes=(0,)))
    assert outline(mine)[:3] == ["GPU 0", "  s7", "  copies"]
    assert [lane.process for lane in mine.roots] == [-1, 0]
    summary = mine.roots[0].summary
    assert summary is not None
    assert (summary.busy.start.tolist(), summary.busy.end.tolist()) == ([0, 20], [10, 30])
    assert chosen_lanes(tree, index, Scope(window)) is tree


def test_quiet_threads_start_folded_unless_there_is_nothing_else(opened: Opened) -> None:
    busy = build_lanes(opened("R cudaLaunchKernel 0-5 tid=2; N a 0-9 tid=3; O poll 0-5 tid=3"))
    assert len(busy.folded_first) == 1
    quiet = build_lanes(opened("N a 0-9 tid=3; O poll 0-5 tid=3"))
    assert quiet.folded_first == frozenset()


def test_no_device_is_invented(opened: Opened) -> None:
    tree = build_lanes(opened("R cudaGetDeviceCount 0-100"))
    assert [lane.title.partition(" · ")[2] for lane in tree.roots] == ["API"]


def test_titles_are_safe(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.runtime("cudaFree", 0, 5, pid=100, tid=1)
    export.row("ThreadNames", globalTid=100 << 24 | 1, nameId=export_name(export), priority=0)
    tree = build_lanes(open_report(export.write(), use_store=False))
    assert all(character.isprintable() for lane in tree.walk() for character in lane.title)


def export_name(export: Export) -> int:
    return export.string("evil\x1b[31m\n", 900_001)


def test_what_is_still_to_come_has_placeholders() -> None:
    loading = {"os_calls", "ranges", "marks"}
    lanes = coming_lanes(loading)
    assert [lane.title for lane in lanes] == ["NVTX", "OS"]
    assert all(not lane.ready and not lane.loaded and lane.height == 1 for lane in lanes)
    assert coming_words(loading) == "NVTX, OS"


def test_lanes_of_a_report_that_is_still_being_read(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite").notation(
        "K(0,7,10-20) corr=1 pid=100; R cudaLaunchKernel 0-5 corr=1 pid=100;"
        "N a 0-30 pid=100; O poll 0-9 pid=50"
    )
    parts: list[Report] = []
    whole = open_report(export.write(), use_store=False, partial=parts.append)
    trees = [build_lanes(report) for report in (*parts, whole)]
    assert [[lane.title.partition(" · ")[0] for lane in tree.roots if not lane.ready] for tree in trees] == [
        ["NVTX", "API", "OS"],
        ["NVTX", "OS"],
        ["OS"],
        [],
    ]
    # Lanes keep their keys though another process has come, and so their places on the screen.
    for before, after in pairwise(trees):
        keys = [lane.key for lane in after.walk()]
        assert all(lane.key in keys for lane in before.walk() if lane.ready)
    # What was gathered is used again: the device's work of the first stage is in the last.
    for lane in trees[0].walk():
        if lane.ready:
            lane.load()
    hand_over(trees[0], trees[-1])
    assert [lane.key for lane in trees[-1].walk() if lane.loaded] == ["gpu0", "gpu0/p100/c1/s7"]


def test_lanes_of_one_table_are_not_mixed_up_when_they_are_handed_over(tmp_path: Path) -> None:
    """A thread's heading shows its outermost ranges, another of its lanes the start/end ones."""
    export = Export(tmp_path / "x.sqlite").notation("N a 0-30; N b 10-20; O poll 0-9")
    export.start_end("c", 5, 25)
    parts: list[Report] = []
    whole = open_report(export.write(), use_store=False, partial=parts.append)
    before, after = build_lanes(parts[-1]), build_lanes(whole)
    for lane in before.walk():
        if lane.ready:
            lane.load()
    hand_over(before, after)
    thread = after.roots[0]
    shown = {lane.title: [row.index.tolist() for row in lane.rows] for lane in thread.children if lane.loaded}
    assert thread.loaded
    assert [row.index.tolist() for row in thread.rows] == [[0]]
    assert shown == {"NVTX": [[2]], "start/end": [[1]]}


def test_lanes_from_the_store_know_what_they_show(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite").notation(
        "K 0-10; M 0-5; N a 0-30; N b 10-20; R cudaFree 0-3; Y 3-4"
    )
    export.start_end("c", 5, 25)
    tree = build_lanes(open_report(export.write(), use_store=False))
    arrays: dict[str, np.ndarray] = {}  # type: ignore[type-arg]
    facts = save(tree, arrays.__setitem__)
    assert tree.catalogue is not None
    kept = load(facts, arrays.__getitem__, tree.catalogue.report)
    assert [(lane.key, lane.table, lane.shape) for lane in kept.walk()] == [
        ("gpu0", "", ""),
        ("gpu0/p100/c1/s7", "ops", "stream"),
        ("gpu0/copies", "ops", "copies"),
        ("gpu0/sync", "syncs", "sync"),
        ("t100/1", "ranges", ""),
        ("t100/1/NVTX", "ranges", "NVTX"),
        ("t100/1/start/end", "ranges", "start/end"),
        ("t100/1/API", "calls", "API"),
    ]


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.sampled_from([0, 7, 10**12, -(10**15)]), st.booleans()), max_size=60
    ),
    st.sampled_from([1, 7, 1000]),
    st.sampled_from([0, 64]),
    st.sampled_from([0, 5, 1 << 20]),
)
def test_groups_are_those_of_a_dictionary(
    rows: list[tuple[int, int, bool]], block: int, few: int, small: int
) -> None:
    columns = [np.array([r[c] for r in rows], np.int64) for c in range(2)]
    mask = np.array([r[2] for r in rows], bool)
    expected: dict[tuple[int, int], list[int]] = {}
    for i, (a, b, wanted) in enumerate(rows):
        if wanted:
            expected.setdefault((a, b), []).append(i)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups_module, "BLOCK", block)
        patch.setattr(groups_module, "FEW", few)
        patch.setattr(groups_module, "SMALL", small)
        groups = RowGroups(columns, mask)
        assert groups.keys == sorted(expected)
        assert groups.sizes.tolist() == [len(expected[k]) for k in sorted(expected)]
        assert [groups.members(g).tolist() for g in range(len(groups.keys))] == [
            expected[k] for k in sorted(expected)
        ]


def drawn_rows(report: Report) -> dict[str, set[int]]:
    """Every (table, row) that some lane draws; complains about one drawn twice."""
    seen: dict[str, set[int]] = {}
    for lane in build_lanes(report).walk():
        for row in lane.rows:
            drawn = [*row.index.tolist(), *row.point_index.tolist()]
            known = seen.setdefault(row.table, set())
            assert not known.intersection(drawn)
            known.update(drawn)
            assert (row.start[1:] >= row.end[:-1]).all()
    return seen


@needs_real
def test_every_event_of_the_real_exports_is_drawn_once(tmp_path: Path) -> None:
    for path in EXPORTS:
        report = open_report(path, cache_dir=tmp_path)
        seen = drawn_rows(report)
        for table in ("ops", "calls", "ranges", "marks", "os_calls", "syncs"):
            assert seen.get(table, set()) == set(range(len(getattr(report, table)))), (path.name, table)
        for name, events in report.others.items():
            assert len(seen.get(f"other:{name}", set())) == len(events), (path.name, name)
        tree = build_lanes(report)
        keys = [lane.key for lane in tree.walk()]
        assert len(keys) == len(set(keys))


def test_every_kind_of_op_and_range_has_its_lane(opened: Opened) -> None:
    report = opened(
        'K 0-5; M 6-9; S 10-12; G 20-30; N(60,0-9,"x"); N(34,3-NULL,"m"); N p 0-9; Y 0-5; O poll 0-9'
    )
    assert {int(k) for k in report.ops.kind} == {k.value for k in OpKind}
    assert {int(s) for s in report.ranges.style} == {s.value for s in RangeStyle}
    seen = drawn_rows(report)
    assert len(seen["ops"]) == 4
    assert len(seen["ranges"]) == 2
    assert len(seen["marks"]) == len(seen["syncs"]) == len(seen["os_calls"]) == 1


def test_lanes_of_other_tables_are_named_by_what_they_hold(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.notation("O poll 0-9; R cudaFree 0-3")
    export.sql(
        "CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER)"
    )
    export.sql("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (2, 5, ?, NULL)", global_id(100, 1))
    tree = build_lanes(open_report(export.write(), use_store=False))
    assert [lane.title for lane in tree.roots[0].children] == ["OS", "MPI collectives"]
