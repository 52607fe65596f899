"""Files that are no export, or not yet, or not any more: one line says what is wrong and what to do."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.errors import ReportError
from tui.report import NeedsExport, has_changed, open_report
from tui.report.progress import Meter
from tui.report.recognise import examine
from tui.report.sqlite.connect import connected


@pytest.fixture
def good(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    export = Export(folder / "good.sqlite")
    for i in range(2000):
        export.launch((100 * i, 100 * i + 5), (100 * i + 10, 100 * i + 50))
    return export.write()


def failure(path: Path | str | bytes) -> str:
    """The one line."""
    with pytest.raises(ReportError) as caught:
        open_report(path, use_store=False)
    assert caught.value.exit_code == 2
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_first_hundred_bytes_zeroed(good: Path) -> None:
    data = bytearray(good.read_bytes())
    data[:100] = bytes(100)
    good.write_bytes(data)
    assert "incomplete or not SQLite; export it again" in failure(good)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9, 0.999])
def test_first_part_of_a_file(good: Path, share: float) -> None:
    data = good.read_bytes()
    good.write_bytes(data[: int(len(data) * share)])
    assert "damaged or truncated" in failure(good)


def test_first_half_on_a_page_boundary_with_a_silent_header(good: Path) -> None:
    data = bytearray(good.read_bytes())
    data[28:32] = bytes(4)  # the header no longer vouches for a length
    good.write_bytes(data[: len(data) // 8192 * 4096])
    assert "damaged or truncated" in failure(good)


def test_a_damaged_page_gives_no_partial_totals(good: Path) -> None:
    data = bytearray(good.read_bytes())
    pages = len(data) // 4096
    for page in range(pages // 2, pages // 2 + 3):
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    good.write_bytes(data)
    assert "damaged or truncated" in failure(good)


def test_swapped_pages_are_noticed(good: Path) -> None:
    """SQLite reads a table whose leaves have changed places without a word."""
    data = bytearray(good.read_bytes())
    leaves = [p for p in range(1, len(data) // 4096) if data[p * 4096] == 0x0D]
    a, b = leaves[len(leaves) // 2 : len(leaves) // 2 + 2]
    data[a * 4096 : (a + 1) * 4096], data[b * 4096 : (b + 1) * 4096] = (
        data[b * 4096 : (b + 1) * 4096],
        data[a * 4096 : (a + 1) * 4096],
    )
    good.write_bytes(data)
    assert "damaged or truncated" in failure(good)


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.touch()
    assert "empty" in failure(path)


def test_missing_path_creates_nothing(good: Path) -> None:
    before = sorted(good.parent.iterdir())
    text = failure(good.with_name("goof.sqlite"))
    assert "no such file; did you mean" in text
    assert "good.sqlite" in text
    assert sorted(good.parent.iterdir()) == before
    assert "no such file" in failure("/nowhere/at/all.sqlite")


def test_report_of_nsys(tmp_path: Path) -> None:
    path = tmp_path / "a b.nsys-rep"
    path.write_bytes(b"\x13\x37" * 100)
    with pytest.raises(NeedsExport) as caught:
        open_report(path, use_store=False)
    output = str(tmp_path / "a b.sqlite")
    assert caught.value.command == ["nsys", "export", "--type", "sqlite", "--output", output, str(path)]
    assert f"nsys export --type sqlite --output '{output}' '{path}'" in str(caught.value)


def test_report_of_nsys_by_name_that_is_an_export(good: Path) -> None:
    renamed = good.rename(good.with_suffix(".nsys-rep"))
    assert len(open_report(renamed, use_store=False).ops) == 2000


def database(path: Path, *statements: str) -> Path:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    return path


def test_databases_of_others(tmp_path: Path) -> None:
    nvprof = database(
        tmp_path / "a.nvprof",
        "CREATE TABLE StringTable (_id_ INTEGER, value TEXT)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INT)",
    )
    assert "an nvprof database" in failure(nvprof)
    perfetto = database(
        tmp_path / "p.db", "CREATE TABLE slice (ts INT)", "CREATE TABLE thread_track (id INT)"
    )
    assert "Perfetto" in failure(perfetto)
    other = database(tmp_path / "o.db", "CREATE TABLE books (id INT)")
    assert "not an Nsight Systems export (its tables: books" in failure(other)
    none = database(tmp_path / "n.db", "CREATE TABLE t (id INT)", "DROP TABLE t")
    assert "without tables" in failure(none)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.json", json.dumps({"traceEvents": []}).encode(), "JSON (a Chrome, Perfetto or PyTorch trace?)"),
        ("t.json", b"\xef\xbb\xbf [1]", "JSON"),
        ("t.json.gz", gzip.compress(b"{}", mtime=0), "gzip-compressed"),
        ("t.h5", b"\x89HDF\r\n\x1a\n", "HDF5"),
        ("t.bin", b"PAR1....", "a Parquet file"),
        ("t.arrow", b"ARROW1..", "Arrow"),
        ("t.ncu-rep", b"NVR\x00", "Nsight Compute"),
        ("t.qdstrm", b"....", "a raw capture that was not finished"),
        ("t.pftrace", b"\x0a\x10....", "Perfetto"),
        ("t.sqlite-wal", b"\x37\x7f\x06\x82", "a companion of an SQLite file"),
        ("t.txt", b"hello", "incomplete or not SQLite"),
    ],
)
def test_near_misses_are_named(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert words in failure(path)


def test_directories(good: Path, tmp_path: Path) -> None:
    assert "a directory; name the export in it (good.sqlite)" in failure(good.parent)
    parquet = tmp_path / "out_pqtdir"
    parquet.mkdir()
    (parquet / "KERNEL.parquet").touch()
    assert "a directory of parquet tables" in failure(parquet)
    (tmp_path / "void").mkdir()
    assert "there is no export in it" in failure(tmp_path / "void")


def test_pipe_device_and_dangling_link_are_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "a pipe, not a file" in failure(pipe)
    assert "a device, not a file" in failure("/dev/zero")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "gone")
    assert "a link to a file that does not exist" in failure(link)


def test_path_with_a_nul() -> None:
    assert "can't be read" in failure("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(good: Path) -> None:
    good.chmod(0)
    assert "Permission denied" in failure(good)


@pytest.mark.parametrize(
    "name", ["a b.sqlite", "q?mode=memory", "x#y", "100%41.db", "'\"`;.db", "new\nline", "ünï"]
)
def test_odd_names(good: Path, name: str) -> None:
    path = good.rename(good.with_name(name))
    assert len(open_report(path, use_store=False).ops) == 2000
    assert [p.name for p in path.parent.iterdir()] == [name]


def test_name_that_is_no_utf8(good: Path) -> None:
    target = os.fsencode(good.parent) + b"/\xff\xfe.sqlite"
    os.rename(os.fsencode(good), target)  # noqa: PTH104 - bytes
    report = open_report(target, use_store=False)
    assert len(report.ops) == 2000
    assert os.fsencode(report.path) == target


def test_symlink(good: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(good)
    report = open_report(link, use_store=False)
    assert (report.path, len(report.ops)) == (link, 2000)


def test_wal_mode_without_pending_changes_leaves_nothing_behind(good: Path) -> None:
    db = sqlite3.connect(good)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE another (x INT)")
    db.close()
    good.parent.chmod(0o555)
    try:
        assert len(open_report(good, use_store=False).ops) == 2000
        assert [p.name for p in good.parent.iterdir()] == ["good.sqlite"]
    finally:
        good.parent.chmod(0o755)


def test_pending_wal_is_refused(good: Path, store_dir: Path) -> None:
    open_report(good, cache_dir=store_dir)  # the older content is in the store
    db = sqlite3.connect(good)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
    db.commit()
    try:
        assert good.with_name("good.sqlite-wal").stat().st_size > 0
        text = failure(good)
        assert "its latest changes are still in good.sqlite-wal" in text
        with pytest.raises(ReportError, match=r"good\.sqlite-wal"):
            open_report(good, cache_dir=store_dir)
    finally:
        db.close()


def test_pending_wal_behind_a_link_is_refused(good: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(good)
    good.with_name("good.sqlite-wal").write_bytes(b"x" * 100)
    assert "good.sqlite-wal" in failure(link)


def test_hot_journal_is_refused_and_a_spent_one_is_not(good: Path) -> None:
    journal = good.with_name("good.sqlite-journal")
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(504))
    assert "still being written, or its writer died" in failure(good)
    journal.write_bytes(bytes(512))
    assert len(open_report(good, use_store=False).ops) == 2000


def test_locked_by_a_writer(good: Path) -> None:
    writer = sqlite3.connect(good, isolation_level=None)
    writer.execute("PRAGMA locking_mode = EXCLUSIVE")
    writer.execute("BEGIN EXCLUSIVE")
    waits: list[float] = []
    with (
        pytest.raises(ReportError, match="still being written"),
        connected(examine(good), Meter(), patience=0.5, sleep=waits.append),
    ):
        pass
    assert 0 < sum(waits) <= 0.6
    writer.execute("ROLLBACK")
    writer.close()


def test_a_writer_that_ends_in_time(good: Path) -> None:
    writer = sqlite3.connect(good, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN EXCLUSIVE")
    ended = threading.Event()

    def sleep(_: float) -> None:
        if not ended.is_set():
            writer.execute("COMMIT")
            writer.close()
            ended.set()

    with connected(examine(good), Meter(), sleep=sleep) as source:
        assert source.count("CUPTI_ACTIVITY_KIND_KERNEL") == 2000


def test_report_that_changes_while_read(good: Path) -> None:
    def touch(_: object) -> None:
        os.utime(good, ns=(1, 1))

    with pytest.raises(ReportError, match="changed while it was being read"):
        open_report(good, use_store=False, progress=touch)


def test_an_open_report_notices_a_change(good: Path) -> None:
    report = open_report(good, use_store=False)
    assert not has_changed(report)
    os.utime(good, ns=(1, 1))
    assert has_changed(report)
    good.unlink()
    assert has_changed(report)


def test_replaced_report_shows_the_new_one(good: Path, store_dir: Path, tmp_path: Path) -> None:
    assert len(open_report(good, cache_dir=store_dir).ops) == 2000
    other = Export(tmp_path / "other.sqlite")
    other.kernel(0, 10)
    times = (good.stat().st_atime_ns, good.stat().st_mtime_ns)
    shutil.copy(other.write(), good)
    os.utime(good, ns=times)
    assert len(open_report(good, cache_dir=store_dir).ops) == 1
