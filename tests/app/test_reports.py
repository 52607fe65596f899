"""Opening, switching, changing and failing reports, and writing events out."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.app.conftest import US, Session, Start, training
from tests.support.export import Export
from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.browse.background import News
from tui.browse.capture import Capture
from tui.browse.loader import WHOLE, Load
from tui.errors import ReportError
from tui.report.progress import Progress


class Held(Load):
    """A load that ends when the test says so."""

    def start(self) -> Held:
        return self

    def end(self) -> None:
        super().start()


async def test_the_screen_is_there_before_the_report_and_says_loading(report: Path) -> None:
    load = Held(report, use_store=False)
    app = Explorer(load, [report], Config(), Looks(), lambda path: load)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause(0.3)
        load.progress = Progress("kernels", 25, 100)
        await pilot.pause(0.3)
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "loading train.sqlite" in text
        assert "25% of 100 rows" in text
        assert "idle" not in text
        await pilot.press(
            "right", "w", "right_curly_bracket", "f", "v", "e", "enter", "tab", "2", "c", "n", "y"
        )
        load.end()
        await opened(app, pilot)
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "GPU 0" in text
        assert "loading" not in text


async def test_the_only_report_that_cannot_be_opened_ends_the_explorer_with_its_error(tmp_path: Path) -> None:
    path = tmp_path / "no.sqlite"
    path.write_bytes(b"not a database" * 100)
    load = Load(path, use_store=False).start()
    app = Explorer(load, [path], Config(), Looks(), lambda p: load)
    async with app.run_test():
        for _ in range(200):
            if app.crash is not None:
                break
            await app.animator.wait_until_complete()
            await _tick()
    assert isinstance(app.crash, ReportError)


async def _tick() -> None:
    import asyncio

    await asyncio.sleep(0.01)


async def test_several_reports_are_switched_with_a_key(report: Path, explore: Start, tmp_path: Path) -> None:
    other = Export(tmp_path / "other.sqlite").notation("K 0-100 K 300-400", 1000).write()
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"")
    async with explore(report, other, broken) as session:
        assert "1/3" in session.screen[0]
        await session.press("R")
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert "2/3" in session.screen[0]
        assert "other.sqlite" in session.screen[0]
        await session.press("R")
        text = "\n".join(session.screen)
        assert "empty" in text
        assert "R opens the next report" in text
        await session.press("right", "enter", "R")
        await session.until(lambda: session.app.browse.capture is not None)
        assert "train.sqlite" in session.screen[0]


async def test_one_report_has_no_next(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("R")
        assert "only one report" in session.status


async def test_a_report_replaced_on_disk_is_noticed_and_reopened(
    report: Path, explore: Start, tmp_path: Path
) -> None:
    async with explore(report) as session:
        new = Export(tmp_path / "new.sqlite").notation("K 0-100 K 300-400", 1000).write()
        new.replace(report)
        session.app.check_file()
        await session.settle()
        assert "changed on disk" in session.status
        assert "ctrl+r" in session.status
        assert "steps 1-3 + GPU work 2.90 ms" in session.screen[0]
        await session.press("ctrl+r")
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert "400 us" in session.screen[0]


async def test_a_report_removed_from_disk_is_noticed(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        report.unlink()
        session.app.check_file()
        await session.settle()
        assert "was removed" in session.status
        await session.press("G")
        assert session.view.cursor == 600 * US


@pytest.mark.parametrize(
    "events",
    [
        "R cudaGetDeviceCount 0-10",
        'N(59,0-1000,"only")',
        "G 0-90 G 100-190",
        "K 100-100 K 100-100",
        "O poll 0-50",
    ],
)
async def test_captures_without_this_or_that_open_and_take_every_key(
    explore: Start, tmp_path: Path, events: str
) -> None:
    path = Export(tmp_path / "some.sqlite").notation(events, 1000).write()
    async with explore(path) as session:
        assert "some.sqlite" in session.screen[0]
        for key in (
            "}",
            "{",
            "]",
            "[",
            "f",
            "r",
            "v",
            "right",
            "v",
            "c",
            "full_stop",
            "comma",
            "enter",
            "escape",
        ):
            await session.pilot.press(key)
        for key in "123456780":
            await session.press(key)
        assert session.app.crash is None


async def test_an_empty_report_opens(explore: Start, tmp_path: Path) -> None:
    export = Export(tmp_path / "empty.sqlite")
    export.empty("CUPTI_ACTIVITY_KIND_KERNEL", "StringIds")
    async with explore(export.write()) as session:
        await session.press("}", "enter", "w", "f", "0", "2", "8", "1")
        assert session.app.crash is None
        assert "no GPU work recorded" in "\n".join([*session.screen, session.status])


# -- export -----------------------------------------------------------------------------------------------


async def test_export_writes_the_bytes_of_the_export_command(
    report: Path, explore: Start, tmp_path: Path
) -> None:
    async with explore(report) as session:
        await session.press("G", "r", "e")
        assert "the selection's events" in "\n".join(session.screen[-2:])
        await session.press("enter")
        assert "wrote " in session.status
    written = tmp_path / "train-600000-1305000.csv"
    command = [sys.executable, "-m", "tui", "export", str(report), "--range", "600000/1305000", "--no-cache"]
    expected = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[2])
    assert written.read_bytes() == expected.stdout
    assert b"read" in expected.stdout


async def test_export_never_overwrites_unasked(report: Path, explore: Start, tmp_path: Path) -> None:
    taken = tmp_path / "taken.csv"
    taken.write_text("mine")
    async with explore(report) as session:
        for answer, kept in (("n", True), ("", True), ("y", False)):
            await session.press("e", "ctrl+u", *"taken.csv", "enter")
            assert "replace it?" in "\n".join(session.screen[-2:])
            await session.press(*answer, "enter")
            assert (taken.read_text() == "mine") is kept


async def test_export_offers_a_free_name_and_can_be_left(
    report: Path, explore: Start, tmp_path: Path
) -> None:
    (tmp_path / "train.csv").write_text("mine")
    async with explore(report) as session:
        await session.press("e")
        assert "train-2.csv" in "\n".join(session.screen[-2:])
        assert "ALL events" in "\n".join(session.screen[-2:])
        await session.press("escape")
        assert not (tmp_path / "train-2.csv").exists()


async def test_export_to_nowhere_says_why(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("e", "ctrl+u", *"no/such/x.csv", "enter")
        assert "can't write" in session.status
        await session.press("e", "ctrl+u", *"train.sqlite", "enter", "y", "enter")
        assert "is the report itself" in session.status


def test_a_load_tells_its_outcome_to_whoever_asks_late(tmp_path: Path) -> None:
    load = Load(training(tmp_path / "x.sqlite"), use_store=False).start()
    assert load.wait() is not None
    heard: list[News] = []
    load.listen(heard.append)
    assert [news.kind for news in heard] == [WHOLE]
    assert heard[0].answer.capture is not None


# -- what the command line chooses --------------------------------------------------------------------------


async def opened_with(path: Path, *words: str) -> tuple[Explorer, Load]:
    """The explorer as the command line with these ``words`` makes it."""
    import argparse

    from tui.commands.shared import opening, options
    from tui.report.model import Report

    parser = argparse.ArgumentParser()
    options.add_scope(parser)
    args = parser.parse_args(list(words))

    def choose(report: Report, index: object) -> object:
        return opening.scope(report, args, index=index)

    load = Load(path, use_store=False, choose=choose, step_name=args.step).start()  # type: ignore[arg-type]
    return Explorer(load, [path], Config(), Looks(), lambda p: load), load


async def opened(app: Explorer, pilot: Pilot[None]) -> None:
    """Wait until the report is on the screen with all its figures."""
    session = Session(app, pilot)
    await session.until(lambda: app.browse.capture is not None or app.crash is not None)
    assert app.crash is None
    await session.settle()


async def test_range_opens_selected_and_fitted(report: Path) -> None:
    app, _ = await opened_with(report, "--range", "gap:3")
    async with app.run_test(size=(160, 48)) as pilot:
        await opened(app, pilot)
        await pilot.pause()
        view = app.browse.view
        assert view is not None
        assert view.chosen == (600 * US, 1305 * US)
        assert view.viewport.start <= 600 * US
        assert view.viewport.end(view.cells) < 1500 * US


async def test_devices_and_processes_narrow_lanes_and_figures(tmp_path: Path) -> None:
    path = Export(tmp_path / "two.sqlite").notation(
        "K(0,7,0-100) pid=100 K(1,7,0-50) pid=200 K(1,7,80-100) pid=200 "
        "R cudaFree 0-10 pid=100 R cudaFree 0-10 pid=200",
        1000,
    )
    app, _ = await opened_with(path.write(), "--device", "1", "--process", "200")
    async with app.run_test(size=(160, 48)) as pilot:
        await opened(app, pilot)
        await pilot.pause()
        assert app.browse.view is not None
        titles = [line.lane.title for line in app.browse.view.lines]
        assert "GPU 1" in titles
        assert "GPU 0" not in titles
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        assert "kernel 70.0%" in lines[0]
        assert not any("pid 100" in line for line in lines)


async def test_a_step_of_ones_own(report: Path) -> None:
    app, _ = await opened_with(report, "--step", "forward")
    async with app.run_test(size=(160, 48)) as pilot:
        await opened(app, pilot)
        await pilot.press("right_square_bracket")
        assert app.browse.view is not None
        assert app.browse.view.cursor == 310 * US


async def test_a_range_that_is_not_there_ends_with_its_line(report: Path) -> None:
    app, _ = await opened_with(report, "--range", "step:99")
    async with app.run_test() as pilot:
        await Session(app, pilot).until(lambda: app.crash is not None)
    assert "99" in str(app.crash)


def test_a_load_leaves_no_thread_behind(tmp_path: Path) -> None:
    load = Load(training(tmp_path / "x.sqlite"), use_store=False).start()
    assert load.wait(20) is not None
    for thread in threading.enumerate():
        if thread.name == "nsystui-load":
            thread.join(5)
            assert not thread.is_alive()


async def test_exports_asked_for_together_are_all_written(
    report: Path, explore: Start, tmp_path: Path
) -> None:
    async with explore(report) as session:
        capture = session.app.browse.capture
        assert capture is not None
        with capture.lookups():  # none can begin
            for name in ("a", "b", "c"):
                await session.pilot.press("e", "ctrl+u", *f"{name}.csv", "enter")
                await session.pilot.pause()
        await session.settle()
        assert "to c.csv" in session.status
    written = [(tmp_path / f"{name}.csv").read_bytes() for name in ("a", "b", "c")]
    assert written[0] == written[1] == written[2]
    assert written[0].startswith(b"start_ns,duration_ns,kind,name")


async def test_a_failure_beside_the_screen_ends_the_explorer_with_it(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(Capture, "books", fail)
    load = Load(report, use_store=False).start()
    app = Explorer(load, [report], Config(), Looks(), lambda p: load)
    with pytest.raises(RuntimeError, match="broken on purpose"):
        async with app.run_test() as pilot:
            await Session(app, pilot).until(lambda: app.crash is not None)
    assert str(app.crash) == "broken on purpose"


async def test_a_row_that_was_walked_is_forgotten_with_its_report(
    report: Path, tmp_path: Path, explore: Start
) -> None:
    other = Export(tmp_path / "other.sqlite").notation("K(0,7,0-10)", US).write()
    async with explore(report, other) as session:
        await session.press("3", "enter", "n", "n", "tab", "R")
        await session.until(lambda: session.app.browse.place.position == 1 and not session.app.computing)
        await session.press("n")
        assert "nothing searched for yet" in session.status


async def test_a_click_beside_a_prompt_leaves_the_keys_to_the_prompt(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("/", "g")
        await session.pilot.click("Timeline", offset=(60, 6))
        await session.press("e", "m", "enter")
        assert session.main.search.needle == "gem"
        await session.press("?")
        assert len(session.app.screen_stack) > 2
