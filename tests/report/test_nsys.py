"""A .nsys-rep where nsys is at hand: exported once, into the store."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.report.nsys_opening import exported, exports, failure, nothing_half_made
from tests.report.same import assert_same
from tests.support.fake_nsys import EXPORTS, FakeNsys, report_at
from tui.output.cache_json import cache_document
from tui.report import NeedsExport, has_changed, open_report
from tui.report.exported import may_need_nsys
from tui.report.store.folder import Store

pytestmark = pytest.mark.usefixtures("own_temporary")

ROOT = Path(__file__).resolve().parents[2]


def looks(folder: Path) -> list[tuple[str, int, int]]:
    found = [folder, *sorted(folder.iterdir())]
    return [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in found]


def test_exported_once_into_the_store(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    before = looks(rep.parent)
    report = exported(rep, store_dir)
    assert (report.path, len(report.ops)) == (rep, 500)
    (call,) = nsys.calls
    assert call["args"][:4] == ["export", "--type", "sqlite", "--output"]
    assert call["args"][5:] == [str(rep)]
    work = Path(call["args"][4]).parent
    assert work.parent == store_dir
    assert call["cwd"] == call["tmp"] == str(work)
    (kept,) = exports(store_dir)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert kept.read_bytes() == nsys.ready.read_bytes()
    nothing_half_made(store_dir)
    assert looks(rep.parent) == before
    assert_same(exported(rep, store_dir), report)
    assert len(nsys.calls) == 1
    next(store_dir.glob("*.columns")).unlink()
    assert_same(open_report(rep, cache_dir=store_dir), report)  # of the export that is kept
    elsewhere = Path(shutil.copy2(rep, rep.with_name("copy.qdrep")))
    assert open_report(elsewhere, cache_dir=store_dir).path == elsewhere
    assert len(nsys.calls) == 1


def test_a_changed_report_is_exported_again(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    report = exported(rep, store_dir)
    assert not has_changed(report)
    rep.write_bytes(rep.read_bytes() + b"more")
    assert has_changed(report)
    with pytest.raises(NeedsExport):
        open_report(rep, cache_dir=store_dir)
    exported(rep, store_dir)
    assert len(nsys.calls) == 2


def test_one_entry_of_the_store(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    exported(rep, store_dir)
    store = Store(store_dir)
    (entry,) = store.entries()
    (columns,) = store_dir.glob("*.columns")
    assert entry.size == columns.stat().st_size + nsys.ready.stat().st_size
    document = cache_document(store, [entry], 10, cleared=False)
    assert [row["report"] for row in document["stored"]] == [str(rep)]
    columns.unlink()
    assert [(e.path, e.size, e.source()) for e in store.entries()] == [
        (exports(store_dir)[0], nsys.ready.stat().st_size, None)
    ]
    exported(rep, store_dir)
    assert len(store.clear()) == 1
    assert exports(store_dir) == []
    assert store.entries() == []


def test_bounded_like_the_rest(
    rep: Path, nsys: FakeNsys, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSYSTUI_CACHE_LIMIT", "1")
    exported(rep, store_dir)
    other = report_at(rep.with_name("other.nsys-rep"))
    exported(other, store_dir)
    assert [entry.source() for entry in Store(store_dir).entries()] == [str(other)]
    assert len(exports(store_dir)) == 1


def test_nothing_is_kept_without_a_store(
    rep: Path, nsys: FakeNsys, store_dir: Path, own_temporary: Path
) -> None:
    report = exported(rep, store_dir, use_store=False)
    assert (report.path, len(report.ops)) == (rep, 500)
    assert not store_dir.exists()
    assert list(own_temporary.iterdir()) == []
    assert Path(nsys.calls[0]["cwd"]).parent == own_temporary


def test_large_exports_without_a_store(
    rep: Path, nsys: FakeNsys, store_dir: Path, own_temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.report.opening._LARGE", 1)
    assert len(exported(rep, store_dir, use_store=False).ops) == 500
    assert list(own_temporary.iterdir()) == []


def test_as_the_real_nsys_exports_it(tmp_path: Path, store_dir: Path) -> None:
    program = shutil.which("nsys")
    if program is None:
        pytest.skip("nsys is not on the PATH")
    path, export = tmp_path / "real run.nsys-rep", tmp_path / "by hand.sqlite"
    for command in (
        ["profile", "--trace=osrt", "--sample=none", "--cpuctxsw=none", "-o", str(path), "sleep", "0.1"],
        ["export", "--type", "sqlite", "--output", str(export), str(path)],
    ):
        done = subprocess.run([program, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"nsys can't {command[0]} here: {done.stderr[-200:]}")
    report, by_hand = exported(path, store_dir), open_report(export, use_store=False)
    assert len(report.os_calls) > 0
    assert_same(report, by_hand)
    (kept,) = exports(store_dir)
    assert kept.stat().st_size == export.stat().st_size
    half = path.with_name("half.nsys-rep")
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert "half.nsys-rep: nsys export failed (exit code 1): " in failure(half, store_dir)


OPENER = """
import sys
from pathlib import Path
from tui.report import open_report
print("ready", flush=True)
sys.stdin.readline()
print(len(open_report(sys.argv[1], cache_dir=Path(sys.argv[2]), use_nsys=True).ops))
"""


def test_four_openers_export_once(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, str(rep), str(store_dir)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("\n")
        opener.stdin.flush()
    assert [opener.communicate()[0].strip() for opener in openers] == ["500"] * 4
    assert len(nsys.calls) == 1
    nothing_half_made(store_dir)


def test_a_cache_that_cannot_be_made(rep: Path, nsys: FakeNsys, tmp_path: Path, own_temporary: Path) -> None:
    (tmp_path / "file").touch()
    told: list[str] = []
    report = exported(rep, tmp_path / "file" / "store", tell=told.append)
    assert len(report.ops) == 500
    assert len(told) == 1
    assert "Not a directory" in told[0]
    spare = own_temporary / f"nsystui-{os.geteuid()}"
    assert len(exports(spare)) == 1
    assert_same(open_report(rep, cache_dir=tmp_path / "file" / "store"), report)
    assert len(nsys.calls) == 1


def test_no_place_at_all(rep: Path, nsys: FakeNsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    text = failure(rep, tmp_path / "file" / "store")
    assert "there is no place to export it to" in text
    assert nsys.calls == []


def test_a_report_that_changes_meanwhile(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    nsys.does(f"{EXPORTS}; open(report, 'ab').write(b'more')")
    assert "changed while nsys exported it" in failure(rep, store_dir)
    assert exports(store_dir) == []


def test_a_damaged_export_of_the_store_is_made_anew(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    exported(rep, store_dir)
    for damage in (b"", b"?" * 9000, nsys.ready.read_bytes()[:5000]):
        next(store_dir.glob("*.columns")).unlink()
        exports(store_dir)[0].write_bytes(damage)
        assert len(exported(rep, store_dir).ops) == 500
    assert len(nsys.calls) == 4


def test_an_export_put_there_by_others_is_not_used(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    exported(rep, store_dir)
    (kept,) = exports(store_dir)
    next(store_dir.glob("*.columns")).unlink()
    kept.unlink()
    kept.symlink_to(nsys.ready)
    assert may_need_nsys(rep, store_dir)
    exported(rep, store_dir)
    assert len(nsys.calls) == 2
    assert not exports(store_dir)[0].is_symlink()


def test_may_need_nsys(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    assert may_need_nsys(rep, store_dir)
    assert not may_need_nsys(nsys.ready, store_dir)
    assert not may_need_nsys(rep.with_name("missing"), store_dir)
    exported(rep, store_dir)
    assert not may_need_nsys(rep, store_dir)
    exports(store_dir)[0].unlink()
    assert not may_need_nsys(rep, store_dir)
    assert may_need_nsys(rep, store_dir, use_store=False)


def test_what_a_killed_export_left_is_swept(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    exported(rep, store_dir)
    key = exports(store_dir)[0].stem
    Store(store_dir).clear()
    left = store_dir / f"{key}.abc.unfinished"
    left.mkdir()
    (left / "export.sqlite").write_text("half")
    exported(rep, store_dir)
    assert not left.exists()
    left.mkdir()
    Store(store_dir).clear()
    assert not left.exists()
