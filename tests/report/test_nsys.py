"""A .nsys-rep where nsys is at hand: exported once, into the store, whatever nsys does."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.report.same import assert_same
from tests.support.fake_nsys import EXPORTS, WAITS, FakeNsys, ends, report_at
from tui.errors import ReportError
from tui.output.cache_json import cache_document
from tui.report import ImportCancelled, NeedsExport, Progress, Report, has_changed, open_report
from tui.report.exported import may_need_nsys
from tui.report.store.folder import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary directory of this test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def nsys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNsys:
    """An `nsys` on the PATH."""
    fake = FakeNsys(tmp_path)
    monkeypatch.setenv("PATH", f"{fake.folder}:/usr/bin:/bin")
    return fake


@pytest.fixture
def rep(tmp_path: Path) -> Path:
    return report_at(tmp_path / "reports" / "my $(touch x) run.nsys-rep")


def exported(path: Path, store: Path, **more: object) -> Report:
    return open_report(path, cache_dir=store, use_nsys=True, **more)  # type: ignore[arg-type]


def failure(path: Path, store: Path, **more: object) -> str:
    """The one line that opening fails with; nothing half-made may be left."""
    with pytest.raises(ReportError) as caught:
        exported(path, store, **more)
    nothing_half_made(store)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def nothing_half_made(store: Path) -> None:
    assert [p.name for p in store.glob("*") if p.suffix not in (".columns", ".lock") and p.is_file()] == []
    assert [p.name for p in store.glob("*") if p.is_dir() and p.name != "exports"] == []


def looks(folder: Path) -> list[tuple[str, int, int]]:
    found = [folder, *sorted(folder.iterdir())]
    return [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in found]


def exports(store: Path) -> list[Path]:
    return sorted(store.glob("exports/*"))


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


def test_nothing_is_kept_without_a_store(rep: Path, nsys: FakeNsys, store_dir: Path, temporary: Path) -> None:
    report = exported(rep, store_dir, use_store=False)
    assert (report.path, len(report.ops)) == (rep, 500)
    assert not store_dir.exists()
    assert list(temporary.iterdir()) == []
    assert Path(nsys.calls[0]["cwd"]).parent == temporary


def test_large_exports_without_a_store(
    rep: Path, nsys: FakeNsys, store_dir: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.report.opening._LARGE", 1)
    assert len(exported(rep, store_dir, use_store=False).ops) == 500
    assert list(temporary.iterdir()) == []


def test_nsys_is_not_run_unless_allowed(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    for use_store in (True, False):
        with pytest.raises(NeedsExport) as caught:
            open_report(rep, cache_dir=store_dir, use_store=use_store)
    output = str(rep.with_suffix(".sqlite"))
    assert caught.value.command == ["nsys", "export", "--type", "sqlite", "--output", output, str(rep)]
    assert not store_dir.exists()
    assert nsys.calls == []


def test_without_nsys(rep: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "a report, not its SQLite export; run: nsys export" in failure(rep, store_dir)
    assert not may_need_nsys(rep, store_dir)
    assert not store_dir.exists()


def test_nsys_of_the_current_folder_is_not_run(
    rep: Path, nsys: FakeNsys, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder may be that of somebody else's report."""
    monkeypatch.chdir(nsys.folder)
    for path in ("", ".", ":/nowhere", "../bin"):
        monkeypatch.setenv("PATH", path)
        assert "not its SQLite export; run" in failure(rep, store_dir)
    assert nsys.calls == []


def test_nsys_that_cannot_be_run(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    nsys.program.chmod(0o644)
    text = failure(rep, store_dir)
    assert f"not its SQLite export, and {nsys.program} can't be executed; run: nsys export" in text
    nsys.program.chmod(0o755)
    nsys.program.write_text("no program at all")
    assert f"{rep}: {nsys.program} can't be run: Exec format error" == failure(rep, store_dir)
    nsys.program.write_text("#!/nowhere/python\n")
    assert "can't be run: No such file or directory" in failure(rep, store_dir)


NEWER = (
    "Report was created in Nsight Systems version (2026.1.1), newer than your current version (2023.4.4). "
    "Please update your Nsight Systems to the latest version to view this report."
)
BAR = 'say("\\rProcessing 19236 events: [====97%     ]\\rProcessing 19236 events: [====100%]\\n");'
FAILURES = {
    "says nothing": ("sys.exit(3)", "nsys export failed (exit code 3)"),
    "newer": (f'say("Exportation error: {NEWER}\\n"); sys.exit(1)', f"failed (exit code 1): {NEWER}"),
    "last words": (BAR + 'print("a\\nlast words"); sys.exit(9)', "failed (exit code 9): last words"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "nsys export failed (killed by SIGKILL)"),
    "half, killed": (
        "open(output, 'wb').write(open(ready, 'rb').read(5000)); os.kill(os.getpid(), signal.SIGUSR1)",
        "nsys export failed (killed by SIGUSR1)",
    ),
    "real-time signal": ("os.kill(os.getpid(), 40)", "nsys export failed (killed by signal 40)"),
    "no space": (
        "open(output, 'wb').write(open(ready, 'rb').read(5000)); "
        "raise OSError(28, 'No space left on device')",
        "failed (exit code 1): OSError: [Errno 28] No space left on device; there is no room in ",
    ),
    "full, and exit code 0": (
        f"{EXPORTS}; {BAR} say('Dynamic exception type: X\\nwhat: Y\\n[Q::tag_message*] = database or disk is"
        " full\\n')",
        "nsys export failed: database or disk is full; there is no room in ",
    ),
    "nothing": ("pass", "nsys export failed (it wrote no file)"),
    "nothing, and words": ("say('not today')", "nsys export failed: not today"),
    "a folder": ("os.mkdir(output)", "nsys export failed (it wrote no file)"),
    "empty": ("open(output, 'w').close()", "what nsys exported can't be read: empty"),
    "garbage": ("open(output, 'w').write('?' * 9000); say('hm')", "incomplete or not SQLite"),
    "half": ("open(output, 'wb').write(open(ready, 'rb').read(5000))", "damaged or truncated"),
    "zeros within": (
        "data = bytearray(open(ready, 'rb').read()); data[4096:] = bytes(len(data) - 4096);"
        "open(output, 'wb').write(data)",
        "what nsys exported can't be read: ",
    ),
    "another database": (
        "import sqlite3; db = sqlite3.connect(output); db.execute('CREATE TABLE books (id)'); db.commit()",
        "what nsys exported can't be read: SQLite, but not an Nsight Systems export",
    ),
    "still a journal": (
        f"{EXPORTS}; open(output + '-wal', 'w').write('x')",
        "what nsys exported can't be read: its latest changes are still in export.sqlite-wal",
    ),
    "escapes": (
        "say('\\x1b[2J\\x1b]0;title\\x07\\x1b[31mred\\x1b[0m \\u202e\\x00 \\xff'); sys.exit(1)",
        "failed (exit code 1): ␛]0;title␇red �␀ ÿ",
    ),
    "bytes": (
        "os.write(2, bytes(range(128, 256)) * 500); sys.exit(1)",
        "nsys export failed (exit code 1): �",
    ),
    "no end of it": ("print('x y ' * 10**6); sys.exit(1)", "nsys export failed (exit code 1): "),
    "deaf": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(1); os.close(2); os._exit(7)",
        "nsys export failed (exit code 7)",
    ),
}


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("use_store", [True, False])
def test_failing_nsys(
    kind: str, use_store: bool, rep: Path, nsys: FakeNsys, store_dir: Path, temporary: Path
) -> None:
    code, expected = FAILURES[kind]
    nsys.does(code)
    text = failure(rep, store_dir, use_store=use_store)
    assert text.startswith(f"{rep}: ")
    assert expected in text
    assert len(text) < len(str(rep)) + 600
    assert not any(ord(c) < 32 or ord(c) == 127 for c in text)
    assert exports(store_dir) == []
    assert list(temporary.iterdir()) == []
    assert not nsys.alive
    nsys.does(EXPORTS)
    assert len(exported(rep, store_dir, use_store=use_store).ops) == 500


def test_hanging_nsys_ends_with_its_opener(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    """It is deaf to SIGTERM, has a child that is, too, and has written half of its file."""
    nsys.does(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "open(output, 'w').write('x' * 5000)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "open(calls, 'a').write(json.dumps(dict(pid=child.pid)) + '\\n')\n"
        "say('ready')\n"
        "signal.pause()"
    )
    with pytest.raises(ImportCancelled):
        exported(rep, store_dir, cancelled=lambda: len(nsys.calls) == 2)
    nothing_half_made(store_dir)
    assert exports(store_dir) == []
    pid, child = (call["pid"] for call in nsys.calls)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert ends(child)


def test_a_child_that_keeps_the_pipe_holds_nobody_up(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    nsys.does(
        f"{EXPORTS}\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "open(calls, 'a').write(json.dumps(dict(pid=child.pid)) + '\\n')"
    )
    try:
        assert len(exported(rep, store_dir).ops) == 500
    finally:
        os.kill(nsys.calls[1]["pid"], 9)


def test_closed_pipes_are_no_end(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    """Nsys goes on after it has closed its outputs."""
    nsys.does(f"os.close(1); os.close(2); {WAITS}; {EXPORTS}; os._exit(0)")
    assert len(exported(rep, store_dir, progress=lambda _: nsys.go_on()).ops) == 500


def test_progress_is_what_nsys_says(rep: Path, nsys: FakeNsys, store_dir: Path) -> None:
    nsys.does(f"say('\\rProcessing 19236 events: [==50%   ]'); {WAITS}; {EXPORTS}")
    seen: list[Progress] = []

    def show(progress: Progress) -> None:
        seen.append(progress)
        if progress.share == "50% of 19,236 events":
            nsys.go_on()

    exported(rep, store_dir, progress=show)
    assert Progress("the report with nsys", 9618, 19236, "events") in seen
    assert Progress("x", 43, 100, "").share == "43%"


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


def test_a_cache_that_cannot_be_made(rep: Path, nsys: FakeNsys, tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "file").touch()
    told: list[str] = []
    report = exported(rep, tmp_path / "file" / "store", tell=told.append)
    assert len(report.ops) == 500
    assert len(told) == 1
    assert "Not a directory" in told[0]
    spare = temporary / f"nsystui-{os.geteuid()}"
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
