"""Whatever nsys does when it is asked for an export: one line, and nothing half-made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.report.nsys_opening import exported, exports, failure, nothing_half_made
from tests.support.fake_nsys import EXPORTS, WAITS, FakeNsys, ends
from tui.report import ImportCancelled, NeedsExport, Progress, open_report
from tui.report.exported import may_need_nsys

pytestmark = pytest.mark.usefixtures("own_temporary")


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
    kind: str, use_store: bool, rep: Path, nsys: FakeNsys, store_dir: Path, own_temporary: Path
) -> None:
    code, expected = FAILURES[kind]
    nsys.does(code)
    text = failure(rep, store_dir, use_store=use_store)
    assert text.startswith(f"{rep}: ")
    assert expected in text
    assert len(text) < len(str(rep)) + 600
    assert not any(ord(c) < 32 or ord(c) == 127 for c in text)
    assert exports(store_dir) == []
    assert list(own_temporary.iterdir()) == []
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
