"""What is a report of nsys, and how its name reaches nsys."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.report.nsys_opening import exported, failure
from tests.support.fake_nsys import FakeNsys, report_at
from tui.report import NeedsExport, open_report

pytestmark = pytest.mark.usefixtures("own_temporary")


NAMES = [
    b"-x.nsys-rep", b"--help.nsys-rep", b"a b.nsys-rep", b"it's \"q\".nsys-rep", b"new\nline.nsys-rep",
    b"inv\xff\xfealid.nsys-rep", "Ünïcode 日本.nsys-rep".encode(), b"%s %n {} * ? ~.nsys-rep",
    b"$HOME `id`;.QDREP", b"\x1b[31mred.nsys-rep",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("relative", [True, False])
def test_names_reach_nsys_as_they_are(
    name: bytes,
    relative: bool,
    tmp_path: Path,
    nsys: FakeNsys,
    store_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = report_at(tmp_path / "reports" / os.fsdecode(name))
    monkeypatch.chdir(path.parent)
    asked = Path(path.name) if relative else path
    assert len(exported(asked, store_dir).ops) == 500
    (call,) = nsys.calls
    assert len(call["args"]) == 6
    assert call["args"][5] == str(path)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_the_command_that_is_advised_takes_no_name_for_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_at(tmp_path / "-x.nsys-rep")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NeedsExport) as caught:
        open_report("-x.nsys-rep", use_store=False)
    assert caught.value.command[4:] == ["--output", "./-x.sqlite", "./-x.nsys-rep"]


@pytest.mark.parametrize("name", ["run.sqlite", "run", "run.db", "run.nsys-rep.bak", ".sqlite"])
def test_a_report_by_its_content(name: str, tmp_path: Path, nsys: FakeNsys, store_dir: Path) -> None:
    path = report_at(tmp_path / "reports" / name)
    with pytest.raises(NeedsExport) as caught:
        open_report(path, cache_dir=store_dir)
    assert caught.value.command[5] != str(path)  # it would be written over
    report = exported(path, store_dir)
    assert (report.path, len(report.ops)) == (path, 500)
    (call,) = nsys.calls
    assert call["args"][5].endswith(".nsys-rep")
    assert [p.name for p in path.parent.iterdir()] == [name]


def test_an_export_that_is_called_a_report(tmp_path: Path, nsys: FakeNsys, store_dir: Path) -> None:
    path = Path(shutil.copy(nsys.ready, tmp_path / "run.nsys-rep"))
    assert len(exported(path, store_dir).ops) == 500
    assert nsys.calls == []


def test_what_is_called_a_report_and_is_none(tmp_path: Path, nsys: FakeNsys, store_dir: Path) -> None:
    path = tmp_path / "run.nsys-rep"
    path.touch()
    assert "empty: the capture did not get that far" in failure(path, store_dir)
    path.write_bytes(b"\x1f\x8b" + bytes(50))
    assert "gzip-compressed" in failure(path, store_dir)
    path.unlink()
    path.mkdir()
    assert "a directory" in failure(path, store_dir)
    path.rmdir()
    os.mkfifo(path)
    assert "a pipe, not a file" in failure(path, store_dir)
    path.unlink()
    path.symlink_to("nowhere")
    assert "a link to a file that does not exist" in failure(path, store_dir)
    path.unlink()
    assert "no such file" in failure(path, store_dir)
    assert nsys.calls == []
    assert not store_dir.exists()


def test_a_link_to_a_report(tmp_path: Path, rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(rep)
    assert len(exported(link, store_dir).ops) == 500
    assert len(open_report(rep, cache_dir=store_dir).ops) == 500
