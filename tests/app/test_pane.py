"""The side pane: tabs, rows, sorting, filters, jumps, and where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import US, Session, Start
from tests.support.export import Export


def tab_line(session: Session) -> str:
    return session.screen[1]


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("1", "Window: steps 1-3 + GPU work"),
        ("2", "GPU 0: why it was idle"),
        ("3", "Kernels by name"),
        ("4", "Copies by direction and memory"),
        ("5", "NVTX ranges by label (GPU: from first to last op)"),
        ("6", "CUDA calls by name (host time)"),
        ("7", "OS calls by name (all threads)"),
        ("8", "Steps of pid 100"),
        ("9", "What slows it down, most costly first"),
    ],
)
async def test_every_tab_has_its_page(report: Path, explore: Start, key: str, title: str) -> None:
    async with explore(report) as session:
        await session.press(key)
        assert session.page.pane.blocks[0].section.title.startswith(title)


async def test_kernels_are_those_of_the_stats_command(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3")
        rows = session.rows()
        assert rows[0][:5] == ["gemm<float>[x]", "510 us", "63.0", "3", "170 us"]
        assert rows[1][:5] == ["relu", "300 us", "37.0", "3", "100 us"]
        assert any(" gemm[x] " in line for line in session.screen)


async def test_copies_show_bytes_rate_and_pageable_memory(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("4")
        # 3 copies of 1 MB in 23 us each: 43.5 bytes a ns.
        assert session.rows()[0] == ["Host-to-Device", "Pageable > Device", "69.0 us", "3", "3.00 MB", "43.5"]
        assert "3 copies use pageable memory" in session.page.pane.blocks[0].section.lines[0]


async def test_steps_have_their_figures(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("8")
        assert [row[:2] for row in session.rows()] == [["1", "900 us"], ["2", "900 us"], ["3", "900 us"]]
        assert "3 steps, median 900 us" in session.page.pane.blocks[0].section.lines[0]


async def test_enter_jumps_to_the_longest_and_n_walks_instances(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3", "down", "enter")
        assert session.view.cursor == 500 * US
        assert "longest: 1 of 3" in session.status
        await session.press("n")
        assert session.view.cursor == 1500 * US
        await session.press("N", "N")
        assert session.view.cursor == 2500 * US
        assert session.page.has_focus


async def test_enter_on_a_gap_jumps_there(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("2")
        await session.press("end")
        assert session.page.pane.selected is not None
        await session.press("enter")
        assert session.view.cursor == 2328 * US  # the last of those of 2 us
        assert session.view.at is not None
        assert session.view.at.lane.key == "gpu0"


async def test_blame_says_why_of_the_short_gaps_too(tmp_path: Path, explore: Start) -> None:
    export = Export(tmp_path / "twelve.sqlite")
    for at in range(0, 12_000 * US, 1000 * US):  # idle from 500 us to the next one's copy: eleven listed gaps
        copy = export.runtime("cudaMemcpyAsync_v3020", at + 302 * US, at + 308 * US)
        export.memcpy(at + 305 * US, at + 328 * US, corr=copy, bytes=1_000_000, kind=1, src=0)
        gemm = export.runtime("cudaLaunchKernel_v7000", at + 310 * US, at + 320 * US)
        export.kernel(at + 330 * US, at + 500 * US, corr=gemm, name="gemm")
    async with explore(export.write()) as session:
        await session.press("2")
        # Twelve holes of 2 us between a copy and its kernel, all launched before: queued behind the copy.
        assert session.page.pane.blocks[0].section.lines[1] == "shorter gaps: queued 100.0%"


async def test_sort_and_reverse(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("6", "o")
        assert [row[0] for row in session.rows()] == ["cudaMemcpyAsync", "cudaLaunchKernel"]
        await session.press("O")
        assert [row[0] for row in session.rows()] == ["cudaLaunchKernel", "cudaMemcpyAsync"]
        await session.press("o", "o", "o")
        assert [row[3] for row in session.rows()] == ["6", "3"]


async def test_filter_narrows_as_one_types_and_escape_clears_it(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3", "slash", *"REL")
        assert [row[0] for row in session.rows()] == ["relu"]
        await session.press("enter")
        assert session.page.has_focus
        assert "filter 'REL': 1 of 2" in "\n".join(session.screen)
        await session.press("escape")
        assert len(session.rows()) == 2
        await session.press("escape")
        assert session.main.pane.timeline.has_focus


async def test_brackets_in_a_filter_are_just_text(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3", "slash", *"[x]", "enter")
        assert [row[0] for row in session.rows()] == ["gemm<float>[x]"]


async def test_space_shows_the_row_in_full(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3", "space")
        text = "\n".join(session.screen)
        assert "stddev" in text
        assert "gemm<float>[x]" in text


async def test_timeline_keys_work_from_the_pane(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("tab")
        scale = session.view.viewport.ns_per_cell
        await session.press("w", "G")
        assert session.view.viewport.ns_per_cell < scale
        assert session.view.cursor == 600 * US


async def test_z_gives_the_pane_the_screen_and_takes_it_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("z")
        assert not session.main.pane.timeline.display
        assert session.page.size.width > 150
        await session.press("z")
        assert session.main.pane.timeline.display
        assert session.main.pane.timeline.has_focus


async def test_a_narrow_screen_opens_the_pane_over_the_timeline(report: Path, explore: Start) -> None:
    async with explore(report, size=(80, 24)) as session:
        assert not session.main.query_one("#pane").display
        await session.press("tab")
        assert session.main.query_one("#pane").display
        assert not session.main.pane.timeline.display
        await session.press("tab")
        assert session.main.pane.timeline.display
        await session.press("3", "down", "enter")
        assert session.main.pane.timeline.display
        assert session.view.cursor == 500 * US
        await session.press("n")
        assert session.view.cursor == 1500 * US


async def test_the_pane_says_computing_until_its_figures_are_there(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        capture = session.app.browse.capture
        assert capture is not None
        with capture.lookups():  # the worker can't begin
            await session.pilot.press("3")
            await session.pilot.pause()
            assert "computing" in "\n".join(session.screen)
            await session.pilot.press("w")
            assert session.view.viewport.ns_per_cell > 0
        await session.settle()
        assert session.rows()[0][0] == "gemm<float>[x]"


async def test_a_click_on_a_tab_and_on_a_row(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        tabs = session.main.query_one("Tabs")
        at = tab_line(session).index("Kernels") - tabs.region.x
        await session.pilot.click("Tabs", offset=(at + 1, 0))
        await session.settle()
        assert session.page.pane.blocks[0].section.title == "Kernels by name"
        await session.pilot.click("PageView", offset=(3, 3))
        await session.settle()
        assert session.page.pane.selected is not None
        assert session.page.pane.selected[1] == 1


async def test_diagnosis_lists_findings_and_enter_walks_their_evidence(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("9")
        section = session.page.pane.blocks[0].section
        assert section.title == "What slows it down, most costly first"
        assert section.find is not None
        first = section.find(0)
        assert first is not None
        seen = []
        for _ in range(len(first) + 1):
            await session.press("enter")
            seen.append(session.view.highlight)
        assert seen[0] == (int(first.start[0]), int(first.end[0]))
        assert seen[-1] == seen[0]
        assert first.words[0] in session.status
        await session.press("space")
        text = "\n".join(session.screen)
        assert "confidence" in text
        assert "nsystui " in text
        await session.press("escape", "escape", "escape")
        assert session.view.highlight is None
