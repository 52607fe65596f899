"""Files, folders and lists of files: which reports the command line means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.errors import UsageError
from tui.ranks.sources import expand_inputs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Reports as jobs leave them."""
    for name in (
        "rank10.sqlite", "rank2.sqlite", "rank2.nsys-rep", "alone.nsys-rep", "notes.txt", "empty/readme",
        "deep/er/rank3.sqlite", "deep/rank4.sqlite",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*paths: str, recursive: bool = False) -> tuple[list[str], tuple[str, ...]]:
    files, notes = expand_inputs(paths, recursive)
    return [str(path) for path in files], notes


def test_files_as_they_are_said(folder: Path) -> None:
    assert found("rank10.sqlite", "rank2.sqlite") == (["rank10.sqlite", "rank2.sqlite"], ())
    assert found("not-there.sqlite") == (["not-there.sqlite"], ())


def test_a_folder_means_its_exports_by_name_and_not_deeper(folder: Path) -> None:
    assert found(".") == (["alone.nsys-rep", "rank2.sqlite", "rank10.sqlite"], ())
    assert found("deep") == (["deep/rank4.sqlite"], ())


def test_deeper(folder: Path) -> None:
    assert found("deep", recursive=True) == (["deep/rank4.sqlite", "deep/er/rank3.sqlite"], ())


def test_a_link_to_a_folder_is_not_followed_deeper(folder: Path) -> None:
    (folder / "deep" / "loop").symlink_to(folder / "deep")
    assert found("deep", recursive=True)[0] == ["deep/rank4.sqlite", "deep/er/rank3.sqlite"]


def test_a_list(folder: Path) -> None:
    (folder / "list").write_bytes(b"rank10.sqlite\r\n\ndeep\nrank2.sqlite")
    assert found("@list") == (["rank10.sqlite", "deep/rank4.sqlite", "rank2.sqlite"], ())
    (folder / "@list").write_bytes(b"a file of that name")
    assert found("@list") == (["@list"], ())


def test_a_report_is_no_list(folder: Path) -> None:
    (folder / "rank2.sqlite").write_bytes(b"SQLite format 3\x00\x10")
    with pytest.raises(UsageError) as error:
        found("@rank2.sqlite")
    assert str(error.value) == "rank2.sqlite: is no list of reports, one path a line"


def test_the_same_file_twice_counts_once(folder: Path) -> None:
    (folder / "link.sqlite").symlink_to("rank2.sqlite")
    (folder / "hard.sqlite").hardlink_to("rank2.sqlite")
    files, notes = found("rank2.sqlite", "./rank2.sqlite", "link.sqlite", "hard.sqlite", "rank10.sqlite")
    assert (files, notes) == (["rank2.sqlite", "rank10.sqlite"], ("3 files given twice: each is read once",))


def test_a_report_beside_its_export_is_left_out(folder: Path) -> None:
    assert found("rank2.nsys-rep", "rank2.sqlite") == (
        ["rank2.sqlite"],
        ("1 report beside an export: the export is read",),
    )
    assert found("rank2.nsys-rep") == (["rank2.nsys-rep"], ())


def test_nothing_at_all(folder: Path) -> None:
    with pytest.raises(UsageError, match="no exports: empty holds no exports"):
        expand_inputs(["empty"])
    (folder / "list").write_bytes(b"\n")
    with pytest.raises(UsageError, match="the list is empty"):
        expand_inputs(["@list"])
    with pytest.raises(UsageError, match="nowhere: can't be read as a list of reports"):
        expand_inputs(["@nowhere"])


def test_an_empty_folder_among_others_is_noted(folder: Path) -> None:
    assert found("empty", "rank2.sqlite") == (["rank2.sqlite"], ("empty holds no exports",))
