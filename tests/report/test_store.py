"""The store: built once, whole or not at all, private, bounded; the report itself is never touched."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from tests.report.same import assert_same
from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real
from tui.errors import UsageError
from tui.report import ImportCancelled, Progress, open_report
from tui.report.store import folder as store_module
from tui.report.store.folder import Store, cache_limit, default_folder

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary directory of this test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def report_file(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    export = Export(folder / "run.sqlite")
    for i in range(500):
        export.launch((100 * i, 100 * i + 5), (100 * i + 10, 100 * i + 50), name=f"k{i % 7}", stream=i % 3)
        export.push_pop(f"step {i}", 100 * i, 100 * i + 60)
    return export.write()


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.columns"))


def python(code: str, *args: object, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_stored_and_mapped_equal_read_anew(path: Path, store_dir: Path) -> None:
    fresh = open_report(path, use_store=False)
    assert_same(open_report(path, cache_dir=store_dir), fresh)
    assert_same(open_report(path, cache_dir=store_dir), fresh)


def test_second_open_reads_no_sqlite(
    report_file: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_report(report_file, cache_dir=store_dir)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the second open asked SQLite")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    second = open_report(report_file, cache_dir=store_dir)
    assert_same(second, first)
    assert not second.ops.start.flags.owndata
    assert not second.ops.start.flags.writeable


def test_a_copy_elsewhere_shares_the_store(report_file: Path, store_dir: Path, tmp_path: Path) -> None:
    open_report(report_file, cache_dir=store_dir)
    copy = tmp_path / "copy.sqlite"
    shutil.copy2(report_file, copy)
    assert open_report(copy, cache_dir=store_dir).path == copy
    assert len(stored(store_dir)) == 1


def test_private(report_file: Path, store_dir: Path) -> None:
    old = os.umask(0)
    try:
        open_report(report_file, cache_dir=store_dir)
    finally:
        os.umask(old)
    assert stat.S_IMODE(store_dir.stat().st_mode) == 0o700
    (path,) = store_dir.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_open_to_others_is_not_used(report_file: Path, store_dir: Path) -> None:
    store_dir.mkdir()
    store_dir.chmod(0o777)
    told: list[str] = []
    report = open_report(report_file, cache_dir=store_dir, tell=told.append)
    assert len(report.ops) == 500
    assert list(store_dir.iterdir()) == []
    assert told == [n for n in report.notes if "the opened report is kept in" in n]
    assert "can be written to by other users" in told[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_not_used(report_file: Path, store_dir: Path) -> None:
    open_report(report_file, cache_dir=store_dir)
    os.chown(store_dir, 12345, 12345)
    for path in store_dir.iterdir():
        os.chown(path, 12345, 12345)
    told: list[str] = []
    assert len(open_report(report_file, cache_dir=store_dir, tell=told.append).ops) == 500
    assert "belongs to another user" in told[0]


def test_folder_that_cannot_be_made(
    report_file: Path, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    told: list[str] = []
    report = open_report(report_file, cache_dir=tmp_path / "file" / "store", tell=told.append)
    assert len(report.ops) == 500
    assert len(told) == 1
    assert "Not a directory" in told[0]
    spare = temporary / f"nsystui-{os.geteuid()}"
    assert told[0].endswith(f"the opened report is kept in {spare}")
    assert stat.S_IMODE(spare.stat().st_mode) == 0o700
    monkeypatch.setattr(sqlite3, "connect", None)  # the second time it is there
    again = open_report(report_file, cache_dir=tmp_path / "file" / "store", tell=told.append)
    assert again.notes == report.notes
    assert told[0] == told[1]


def test_no_folder_anywhere(report_file: Path, tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (temporary / f"nsystui-{os.geteuid()}").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").touch()
    told: list[str] = []
    report = open_report(report_file, cache_dir=tmp_path / "file" / "store", tell=told.append)
    assert len(report.ops) == 500
    assert told[0].endswith("the opened report can't be kept for the next time")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def full_after(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file of the store refuse more than ``limit`` bytes."""
    original = store_module.Store.stream

    class Full:
        def __init__(self, stream: BinaryIO) -> None:
            self._stream = stream
            self._left = limit

        def write(self, data: bytes) -> int:
            self._left -= len(data)
            if self._left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return self._stream.write(data)

        def __getattr__(self, name: str) -> object:
            return getattr(self._stream, name)

    def stream(self: Store, key: str) -> object:
        import contextlib

        @contextlib.contextmanager
        def wrapped() -> Iterator[object]:
            with original(self, key) as (inner, publish):
                yield Full(inner), publish

        return wrapped()

    monkeypatch.setattr(store_module.Store, "stream", stream)


@pytest.mark.parametrize("limit", [10, 5_000, 40_000])
def test_full_disk(report_file: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    fresh = open_report(report_file, use_store=False)
    full_after(limit, monkeypatch)
    told: list[str] = []
    report = open_report(report_file, cache_dir=store_dir, tell=told.append)
    assert "No space left on device" in told[0]
    assert told[0].endswith("can't be kept for the next time")
    assert report.notes[:-1] == fresh.notes
    assert np.array_equal(report.ops.start, fresh.ops.start)
    assert list(store_dir.iterdir()) == []


def test_cancelled_import_leaves_nothing(report_file: Path, store_dir: Path) -> None:
    asked = iter([False] * 3 + [True] * 100)
    with pytest.raises(ImportCancelled):
        open_report(report_file, cache_dir=store_dir, cancelled=lambda: next(asked))
    assert list(store_dir.iterdir()) == []


def test_progress_counts_every_row(report_file: Path) -> None:
    seen: list[Progress] = []
    open_report(report_file, use_store=False, progress=seen.append)
    assert seen[-1].done == seen[-1].total == 1500
    assert [p.done for p in seen] == sorted(p.done for p in seen)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_store_is_built_again(report_file: Path, store_dir: Path, seed: int) -> None:
    fresh = open_report(report_file, cache_dir=store_dir)
    (path,) = stored(store_dir)
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    if seed % 4 == 0:
        data = data[: rng.randrange(len(data))]
    elif seed % 4 == 1:
        data += b"x"
    else:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    del fresh
    path.unlink()
    path.write_bytes(data)
    assert_same(open_report(report_file, cache_dir=store_dir), open_report(report_file, use_store=False))


def test_store_of_another_version_is_not_read_and_goes(report_file: Path, store_dir: Path) -> None:
    open_report(report_file, cache_dir=store_dir)
    (path,) = stored(store_dir)
    older = path.with_name(path.name.split(".")[0] + ".00000001.columns")
    path.rename(older)
    open_report(report_file, cache_dir=store_dir)
    assert stored(store_dir) == [path]


def test_least_recently_used_goes_first(
    tmp_path: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for i in range(3):
        export = Export(tmp_path / f"{i}.sqlite")
        export.kernel(i, i + 10)
        files.append(export.write())
    for i, path in enumerate(files[:2]):
        open_report(path, cache_dir=store_dir)
        newest = max(stored(store_dir), key=lambda p: p.stat().st_mtime_ns)
        os.utime(newest, (1000 + i, 1000 + i))
    open_report(files[0], cache_dir=store_dir)  # used again: now files[1] is the older one
    size = sum(p.stat().st_size for p in stored(store_dir))
    monkeypatch.setenv("NSYSTUI_CACHE_LIMIT", str(size))
    open_report(files[2], cache_dir=store_dir)
    left = {Store(store_dir).find(p.name.split(".")[0]).source for p in stored(store_dir)}  # type: ignore[union-attr]
    assert left == {str(files[0]), str(files[2])}


def test_limit_smaller_than_one_report(
    report_file: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSYSTUI_CACHE_LIMIT", "1")
    assert len(open_report(report_file, cache_dir=store_dir).ops) == 500


def test_limit_from_config(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert cache_limit(environ) == 20_000_000_000
    (tmp_path / "nsystui").mkdir()
    config = tmp_path / "nsystui" / "config.toml"
    config.write_text('cache_limit = "1.5 GB"\n[explorer]\nmouse = false\n')
    assert cache_limit(environ) == 1_500_000_000
    assert cache_limit({**environ, "NSYSTUI_CACHE_LIMIT": "300MB"}) == 300_000_000
    config.write_text("cache_limit = 'much'\n")
    with pytest.raises(UsageError, match=r"config.toml: cache_limit: 'much' is no size"):
        cache_limit(environ)
    config.write_text("no TOML at all")
    assert cache_limit(environ) == 20_000_000_000
    config.write_text("cache_limit = '1k'")
    assert cache_limit({"XDG_CONFIG_HOME": "relative", "HOME": "/nowhere"}) == 20_000_000_000


def test_default_folder(monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    monkeypatch.delenv("NSYSTUI_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert default_folder() == Path("/c/nsystui")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/h")
    assert default_folder() == Path("/h/.cache/nsystui")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError()))
    assert default_folder() == temporary / f"nsystui-{os.geteuid()}"
    monkeypatch.setenv("NSYSTUI_CACHE_DIR", "/d")
    assert default_folder() == Path("/d")


def test_clear(report_file: Path, store_dir: Path) -> None:
    report = open_report(report_file, cache_dir=store_dir)
    (store_dir / "abc.x.unfinished").touch()
    (store_dir / "mine.txt").touch()
    size = stored(store_dir)[0].stat().st_size
    assert [e.size for e in Store(store_dir).clear()] == [size]
    assert [p.name for p in store_dir.iterdir()] == ["mine.txt"]
    assert len(report.ops) == 500  # an open report keeps its map
    assert int(report.ops.end.max()) == 49_950


OPEN = """
import sys
from pathlib import Path
from tui.report import open_report
stages = set()
report = open_report(sys.argv[1], cache_dir=Path(sys.argv[2]), progress=lambda p: stages.add(p.stage))
import zlib
print(len(report.ops), zlib.crc32(report.ops.start.tobytes()), zlib.crc32(report.strings.blob.tobytes()),
      "built" if "saving" in stages else "waited" if any("waiting" in s for s in stages) else "found")
"""


def test_eight_openers_build_once(report_file: Path, store_dir: Path) -> None:
    openers = [python(OPEN, report_file, store_dir) for _ in range(8)]
    answers = []
    for opener in openers:
        out, err = opener.communicate(timeout=60)
        assert opener.returncode == 0, err
        answers.append(out.split())
    assert len({tuple(a[:3]) for a in answers}) == 1
    assert [a[3] for a in answers].count("built") == 1
    assert len(list(store_dir.iterdir())) == 1


KILLED = """
import os, random, signal, sys
from pathlib import Path
from tui.report import open_report
from tui.report.store import columnfile
left = int(sys.argv[3])
def step(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
original = columnfile.ColumnWriter._write
def write(self, data):
    step()
    half = len(data) // 2
    original(self, data[:half]) if len(data) > 1 else None
    self._stream.flush()
    step()
    original(self, data[half:]) if len(data) > 1 else original(self, data)
columnfile.ColumnWriter._write = write
open_report(sys.argv[1], cache_dir=Path(sys.argv[2]), progress=step)
"""


@pytest.mark.parametrize("moment", [1, 7, 12, 30, 50, 70])
def test_killed_import_loses_nothing(report_file: Path, store_dir: Path, moment: int) -> None:
    killed = python(KILLED, report_file, store_dir, moment)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert stored(store_dir) == []
    assert_same(open_report(report_file, cache_dir=store_dir), open_report(report_file, use_store=False))
    assert len(list(store_dir.iterdir())) == 1


def test_waits_for_the_one_that_builds(report_file: Path, store_dir: Path) -> None:
    store = Store(store_dir)
    store.prepare()
    from tui.report.recognise import examine

    key = examine(report_file).key
    with store.building(key, lambda: None):
        waiting = python(
            OPEN.replace("stages.add(p.stage)", "print(p.stage, flush=True)"), report_file, store_dir
        )
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "waiting for another nsystui to import it\n"
        assert stored(store_dir) == []
    out, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 0, err
    assert out.splitlines()[-1].split()[0] == "500"


STRACE = shutil.which("strace")


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
@pytest.mark.parametrize("warm", [False, True])
def test_nothing_is_written_in_the_reports_folder(
    report_file: Path, store_dir: Path, tmp_path: Path, warm: bool
) -> None:
    if warm:
        open_report(report_file, cache_dir=store_dir)
    log = tmp_path / "strace.log"
    before = {p.name: p.stat().st_mtime_ns for p in (report_file.parent, report_file)}
    done = subprocess.run(
        [
            str(STRACE), "-f", "-y", "-o", str(log),
            "-e", "trace=open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,"
            "write,pwrite64,truncate,ftruncate,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,utime,utimensat",
            sys.executable, "-c", OPEN, str(report_file), str(store_dir),
        ],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode and "ptrace" in done.stderr.lower():
        pytest.skip("tracing is not permitted here")
    assert done.returncode == 0, done.stderr
    folder = str(report_file.parent)
    touched = [line for line in log.read_text().splitlines() if folder in line]
    assert any("O_RDONLY" in line for line in touched)
    for line in touched:
        reading = ("openat(" in line or "open(" in line) and "O_RDONLY" in line and "O_CREAT" not in line
        assert reading, line
    assert {p.name: p.stat().st_mtime_ns for p in (report_file.parent, report_file)} == before
    assert [p.name for p in report_file.parent.iterdir()] == ["run.sqlite"]
