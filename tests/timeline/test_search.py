"""Search over the names of slices."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import synthetic
from tests.support.export import Export
from tests.timeline.conftest import Opened
from tui.browse.search import matching_names, search
from tui.report import open_report
from tui.timeline.slices import SliceId

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
