"""What an analyst does most, in keys from opening; and what the first screen says without any."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.conftest import US, Session, Start
from tests.app.test_step_pair import three_steps
from tests.support.export import Export
from tests.support.real import real_export
from tui.browse.page import Section

GOLDENS = Path(__file__).parent / "goldens"


def far(path: Path) -> Path:
    """A launch whose kernel of 100 us starts 0.9 s later; another kernel first."""
    export = Export(path)
    export.launch((0, 10 * US), (20 * US, 40 * US), name="first")
    export.launch((50 * US, 60 * US), (900_000 * US, 900_100 * US), name="late")
    return export.write()


def in_view(session: Session, *times: int) -> bool:
    view = session.view
    return all(view.viewport.shows(time, view.cells) for time in times)


def section(session: Session) -> Section:
    return session.page.pane.blocks[0].section


async def test_the_longest_gap_framed_is_one_key(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("G")
        assert session.view.cursor == 600 * US
        assert in_view(session, 600 * US, 1305 * US - 1)
        assert session.view.viewport.ns_per_cell * session.view.cells < 1_000 * US


async def test_a_kernel_and_its_launch_in_view_are_one_key(tmp_path: Path, explore: Start) -> None:
    async with explore(far(tmp_path / "far.sqlite")) as session:
        view = session.view
        view.go_line(next(n for n, line in enumerate(view.lines) if line.lane.title == "s7"))
        view.fit(900_000 * US, 900_100 * US)
        view.go(900_000 * US)
        await session.press("c")
        assert session.view.cursor == 50 * US
        assert in_view(session, 50 * US, 900_100 * US - 1)
        assert any("queued 900 ms" in line for line in session.screen)


async def test_a_step_selected_and_framed_is_three_keys(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("]", "r", "f")
        assert session.view.chosen == (1000 * US, 1900 * US)
        assert in_view(session, 1000 * US, 1900 * US - 1)
        assert session.view.viewport.ns_per_cell * session.view.cells < 1_300 * US


async def test_two_steps_compared_are_four_keys(tmp_path: Path, explore: Start) -> None:
    async with explore(three_steps(tmp_path / "three.sqlite")) as session:
        await session.press("]", "C", "]", "C")
        assert "step 1 against step 2" in "\n".join(session.screen)


async def test_the_instances_of_a_kernel_are_two_keys(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3", "i")
        assert section(session).title == "Events"
        assert len(session.rows()) == 3
        assert {row[2] for row in session.rows()} == {"gemm<float>[x]"}


async def test_going_to_a_time_is_two_keys_and_the_time(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("g", *"1.2ms", "enter")
        assert session.view.cursor == 1200 * US


async def test_a_digit_leads_into_the_rows_and_escape_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3")
        assert session.page.has_focus
        await session.press("down", "enter")
        assert session.view.cursor == 500 * US
        await session.press("escape")
        assert session.main.pane.timeline.has_focus


# -- what a step is ---------------------------------------------------------------------------------------


async def test_a_range_is_made_the_step_and_taken_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        view.go_line(next(n for n, line in enumerate(view.lines) if line.lane.title == "NVTX"))
        view.go(400 * US)
        before = view.viewport
        await session.press("M")
        await session.until(lambda: "step = forward" in session.status)
        assert session.app.browse.capture is not None
        await session.press("8")
        assert [row[:2] for row in session.rows()] == [["1", "290 us"], ["2", "290 us"], ["3", "290 us"]]
        view = session.view
        assert (view.cursor, view.viewport) == (400 * US, before)
        await session.press("escape")
        view.go_line(next(n for n, line in enumerate(view.lines) if line.lane.title == "NVTX"))
        await session.press("M")
        await session.until(lambda: "the step is found by rule again" in session.status)
        await session.press("8")
        assert [row[1] for row in session.rows()] == ["900 us"] * 3


async def test_what_is_no_range_is_no_step(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("M")
        assert "put the cursor on an NVTX range: M makes it the step" in session.status


# -- the first screen -------------------------------------------------------------------------------------


def leading_gap(path: Path) -> Path:
    """Steps from 0 on; the device does nothing before 535 ms: the host reads a file."""
    export = Export(path)
    ms = 1000 * US
    for n, at in enumerate((0, 600, 700)):
        export.push_pop(f"step {n}", at * ms, (at + (590 if n == 0 else 90)) * ms)
        first = (535 if n == 0 else at + 10) * ms
        export.launch((first - ms, first - ms // 2), (first, first + 50 * ms), name="gemm")
    export.osrt("read", 10 * ms, 530 * ms)
    return export.write()


def nearly_idle(path: Path) -> Path:
    """A decode loop: a kernel of 3 us every 100 us, 97 % idle, and no gap of 100 us."""
    export = Export(path)
    for n in range(40):
        at = n * 100 * US
        export.launch((at, at + 20 * US), (at + 30 * US, at + 33 * US), name="decode")
    return export.write()


def host_only(path: Path) -> Path:
    """Two threads with NVTX ranges alone: the second one does most, in steps."""
    export = Export(path)
    export.push_pop("poll", 0, 20 * US, tid=1)
    for n in range(4):
        export.push_pop(f"step {n}", n * 1000 * US, (n * 1000 + 900) * US, tid=2)
        export.push_pop("parse", (n * 1000 + 10) * US, (n * 1000 + 700) * US, tid=2)
    return export.write()


def check(session: Session, name: str) -> None:
    """Compare the screen with the golden ``name``, or write it where that is asked for."""
    text = "\n".join(session.screen) + "\n"
    path = GOLDENS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


async def test_a_leading_gap_is_the_first_thing_said(tmp_path: Path, explore: Start) -> None:
    async with explore(leading_gap(tmp_path / "leading.sqlite")) as session:
        check(session, "opens-leading-gap")
        text = "\n".join(session.screen)
        assert "steps 1-3 + GPU work" in text
        assert "idle 535 ms" in text
        assert "before the first work" in text or "read" in text


async def test_a_loop_that_is_nearly_idle_shows_it(tmp_path: Path, explore: Start) -> None:
    async with explore(nearly_idle(tmp_path / "decode.sqlite")) as session:
        check(session, "opens-nearly-idle")
        text = "\n".join(session.screen)
        assert "idle 96.9%" in text
        assert "10 longest gaps" in text


async def test_a_launch_bound_capture_shows_it(explore: Start) -> None:
    async with explore(real_export("graph-mode-2025.5")) as session:
        text = "\n".join(session.screen)
        assert "idle 95.8%" in text
        assert "launch latency" in text
        assert "5 longest gaps" in text


async def test_a_capture_without_gpu_work_shows_what_it_has(tmp_path: Path, explore: Start) -> None:
    async with explore(host_only(tmp_path / "host.sqlite")) as session:
        check(session, "opens-host-only")
        text = "\n".join(session.screen)
        assert "Top NVTX ranges, by path" in text
        assert "step = step: the outermost repeated range" in text
        threads = [line.lane.thread for line in session.view.lines if line.lane.thread >= 0]
        report = session.app.browse.capture.report  # type: ignore[union-attr]
        assert report.threads[threads[0]].tid == 2


@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
async def test_a_real_capture_without_gpu_work(explore: Start, size: tuple[int, int]) -> None:
    async with explore(real_export("nvtx-only-startend-2022.4"), size=size) as session:
        if size[0] > 100:
            assert "find_centers" in "\n".join(session.screen)
        assert session.app.crash is None
