"""The list of reports with which the explorer begins where none is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.conftest import training
from tests.support.export import Export
from tui.app.looks import Looks
from tui.app.picker import Picker
from tui.browse.capture import open_capture
from tui.browse.found_reports import Known, find_reports, known_of
from tui.cli import main
from tui.commands.shared import terminal
from tui.timeline.style_colours import Depth


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three exports of different age, one below; a report beside its export, one alone; and other files."""
    root = tmp_path / "runs"
    (root / "night" / "deep" / "deeper").mkdir(parents=True)
    (root / ".hidden").mkdir()
    training(root / "new.sqlite")
    Export(root / "night" / "old.sqlite").notation("K 0-10", 1000).write()
    for name in (
        "new.nsys-rep",
        "alone.nsys-rep",
        "notes.txt",
        ".hidden/x.sqlite",
        "night/deep/deeper/y.sqlite",
    ):
        (root / name).write_bytes(b"NSYSREP" if name.endswith("rep") else b"x")
    (root / "loop").symlink_to(root)
    for age, name in enumerate(("new.sqlite", "alone.nsys-rep", "night/old.sqlite"), 1):
        os.utime(root / name, (2_000_000_000 - age, 2_000_000_000 - age))
    return root


def names(folder: Path) -> list[str]:
    return [str(found.path.relative_to(folder)) for found in find_reports(folder)]


def test_what_is_found_and_in_which_order(folder: Path) -> None:
    assert names(folder) == ["new.sqlite", "alone.nsys-rep", "night/old.sqlite"]
    assert find_reports(folder / "nowhere") == []


def test_only_what_the_store_holds_is_known(folder: Path, tmp_path: Path) -> None:
    path, store = folder / "new.sqlite", tmp_path / "store"
    assert known_of(path, store) == Known()
    open_capture(path, cache_dir=store)
    known = known_of(path, store)
    # From the first op at 305 us to the last at 2600: three times 293 us of work.
    assert known.busy_pct == pytest.approx(100 * 3 * 293 / 2295)
    assert known.devices
    assert (
        "no SQLite" in known_of(folder / "notes.txt", store).fault
        or known_of(folder / "notes.txt", store).fault
    )


def test_a_capture_without_gpu_work_says_so(tmp_path: Path) -> None:
    export = Export(tmp_path / "host.sqlite")
    export.osrt("read", 0, 100)
    open_capture(export.write(), cache_dir=tmp_path / "store")
    assert known_of(tmp_path / "host.sqlite", tmp_path / "store") == Known("no GPU work", None)


def text(app: Picker) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def test_type_to_filter_and_enter_opens(folder: Path) -> None:
    app = Picker(folder, find_reports(folder), Looks(), lambda path: Known("2 x H100", 12.5))
    async with app.run_test(size=(100, 20)) as pilot:
        for _ in range(200):
            await pilot.pause(0.01)
            if not app.looking:
                break
        await pilot.pause(0.3)
        lines = "\n".join(text(app))
        assert "which report?" in lines
        assert "3 reports below" in lines
        assert "2033-05-18" in lines
        assert "2 x H100" in lines
        assert "12.5" in lines
        await pilot.press(*"old")
        assert "new.sqlite" not in "\n".join(text(app))
        await pilot.press("enter")
    assert app.chosen == [folder / "night" / "old.sqlite"]


async def test_space_marks_several_which_open_as_a_set(folder: Path) -> None:
    app = Picker(folder, find_reports(folder), Looks(Depth.NONE, True), lambda path: Known())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space", "space", "up", "space")  # the first two, the second one no more
        await pilot.press("down", "space")
        lines = text(app)
        assert "".join(lines).isascii()
        assert any("2 reports marked: enter opens them as one set" in line for line in lines), lines
        assert any(line.lstrip(" >").startswith("* new.sqlite") for line in lines)
        await pilot.press("enter")
    assert app.chosen == [folder / "new.sqlite", folder / "night" / "old.sqlite"]


async def test_escape_opens_nothing_and_an_error_of_one_stays_in_its_row(folder: Path) -> None:
    def broken(path: Path) -> Known:
        raise OSError("gone")

    app = Picker(folder, find_reports(folder), Looks(), broken)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause(0.5)
        await pilot.press("ctrl+o", "pagedown", "escape")
    assert app.chosen == []
    assert app.crash is None


def test_without_a_terminal_help_is_printed_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage:" in capsys.readouterr().err
    assert main(["explore"]) == 2
    assert "which report?" in capsys.readouterr().err


def test_a_folder_without_reports_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "places_cursor", lambda stream: True)
    assert main([]) == 2
    assert f"no reports below {tmp_path}: name one, or see `nsystui demo`" in capsys.readouterr().err
