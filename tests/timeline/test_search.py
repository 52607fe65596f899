"""Search over the names of slices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import synthetic
from tests.support.export import Export
from tests.timeline.conftest import Opened
from tui.browse.details import name_of
from tui.browse.search import Wanted, matching_names, search, search_for, wanted_of
from tui.errors import UsageError
from tui.report import open_report
from tui.report.model import Report
from tui.timeline.found import Found
from tui.timeline.lane import LaneLine
from tui.timeline.lane_building import build_lanes
from tui.timeline.overlay import pointed_out
from tui.timeline.runs import Run
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

EVENTS = (
    "K 300-400 name=gemm_kernel; K 100-200 name=relu; N gemm_step 0-500; R cudaLaunchKernel 10-20;"
    'N(34,50-NULL,"GEMM done"); O poll 0-9; Y 0-5'
)


def test_matches_come_by_start_from_all_tables(opened: Opened) -> None:
    report = opened(EVENTS)
    found = search(report, "gemm")
    assert [found.id(i).table for i in range(len(found))] == ["ranges", "marks", "ops"]
    assert found.start.tolist() == [0, 50, 300]
    assert found.position(SliceId("ops", 1)) == 2
    assert found.position(SliceId("ops", 0)) is None


def test_next_and_previous_wrap_around(opened: Opened) -> None:
    found = search(opened(EVENTS), "GEMM")
    assert [found.after(t) for t in (-1, 0, 50, 300)] == [0, 1, 2, 0]
    assert [found.before(t) for t in (0, 50, 51, 999)] == [2, 0, 1, 2]


def test_no_match(opened: Opened) -> None:
    found = search(opened(EVENTS), "no such name")
    assert len(found) == 0
    assert len(search(opened(EVENTS), "")) == 0


def test_synchronisations_are_found_by_kind(opened: Opened) -> None:
    found = search(opened(EVENTS), "stream")
    assert [found.id(i).table for i in range(len(found))] == ["syncs"]


def test_markup_and_expressions_are_plain_text(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10, name="[bold red]x[/] k<float, 4>(int*)")
    report = open_report(export.write(), use_store=False)
    assert len(search(report, "[bold red]")) == 1
    assert len(search(report, "K<FLOAT, 4>(INT*)")) == 1


@given(
    st.lists(st.text(alphabet="abAB.çÇ名", max_size=6), max_size=12),
    st.text(alphabet="abAB.ç名", min_size=1, max_size=3),
)
def test_names_match_as_in_python(names: list[str], text: str) -> None:
    hit = matching_names(synthetic.strings(names), text)
    if text.isascii():
        assert hit.tolist() == [text.lower() in name.lower() for name in names]
    else:
        assert all(h == (text.lower() in name.lower()) for h, name in zip(hit, names, strict=True))


# -- kinds, lanes, expressions ----------------------------------------------------------------------------

MANY = (
    "K 100-200 name=flash_fwd; K 300-400 name=gemm; M(0,7,210-220); N fwd 0-90; N flash_bwd 95-190;"
    "R cudaLaunchKernel 10-20; R flashAttr 30-40; O flash_poll 0-9; Y 0-5"
)


def found(report: Report, text: str) -> list[str]:
    matches = search_for(report, wanted_of(text))
    return [name_of(report, matches.id(i)) for i in range(len(matches))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("flash", ["flash_poll", "flashAttr", "flash_bwd", "flash_fwd"]),
        ("k:flash", ["flash_fwd"]),
        ("K: FLASH", ["flash_fwd"]),
        ("n:flash", ["flash_bwd"]),
        ("a:flash", ["flashAttr"]),
        ("o:flash", ["flash_poll"]),
        ("c:", ["[CUDA memcpy Host-to-Device]"]),
        ("k:", ["flash_fwd", "gemm"]),
        ("n:/^f/", ["fwd", "flash_bwd"]),
        ("/wd$/", ["fwd", "flash_bwd", "flash_fwd"]),
        ("k:/^fwd/", []),
        ("z:flash", []),  # no kind: a text as any other
    ],
)
def test_kinds_and_expressions(opened: Opened, text: str, names: list[str]) -> None:
    assert found(opened(MANY), text) == names


def test_a_lane_is_named_behind_an_at_sign() -> None:
    assert wanted_of("gemm @GPU 1") == Wanted("gemm", None, "", "GPU 1")
    assert wanted_of("@s7").all_names
    assert wanted_of("k: x @s7") == Wanted("x", None, "k", "s7")
    assert wanted_of("user@host") == Wanted("user@host")
    assert wanted_of("std::sort") == Wanted("std::sort")
    assert wanted_of("n::x") == Wanted("n::x")
    assert wanted_of("/a @b/").lane == ""
    with pytest.raises(UsageError, match="no regular expression"):
        wanted_of("/(/")


def test_what_is_found_is_pointed_out_cell_by_cell(opened: Opened) -> None:
    report = opened(MANY)
    matches = search_for(report, wanted_of("k:flash"))
    marked = Found(matches.start, matches.hits())
    device = build_lanes(report).roots[0]
    stream = next(lane for lane in device.children if lane.table == "ops" and "copies" not in lane.title)
    held = marked.cells(LaneLine(stream, 0, False), report, Viewport(0, 50), 10)
    assert held is not None
    assert np.flatnonzero(held).tolist() == [2, 3]  # 100 to 200
    folded = marked.cells(LaneLine(device, 0, True), report, Viewport(0, 50), 10)
    assert folded is not None
    assert np.flatnonzero(folded).tolist() == [2, 3]
    assert marked.cells(LaneLine(device, 0, False), report, Viewport(0, 50), 10) is None
    assert marked.cells(LaneLine(stream, 0, False), report, Viewport(250, 50), 10) is None
    assert np.flatnonzero(marked.in_bins((0, 400), 4)).tolist() == [1]


def test_pointed_out_cells_keep_their_glyphs() -> None:
    line = [Run("ab", "kernel.0"), Run("▌", "kernel.1|"), Run("  ", "")]
    held = np.array([True, False, True, True, False])
    assert pointed_out(line, held, "▁") == [
        Run("a", "found"), Run("b", "kernel.0"), Run("▌▁", "found|"), Run(" ", "")
    ]  # fmt: skip
