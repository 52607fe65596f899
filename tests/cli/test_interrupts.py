"""Ctrl-C at any instant: exit code 130, soon, without a word."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.support.export import Export
from tui import cli
from tui.commands.shared import interrupts

SETUP = """
import os, sys, time
from tui import __main__, cli
from tui.commands.shared import interrupts
interrupts.AGAIN_S = 0.05

def wait():
    print("at work", flush=True)
    time.sleep(60)

def command(arguments):
    {body}

cli.dispatch = command
sys.exit(__main__.run())
"""
BODIES = {
    "waits": "wait()",
    "swallows it and goes on": """
    try:
        wait()
    except KeyboardInterrupt:
        time.sleep(60)""",
    "swallows every one": """
    print("at work", flush=True)
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass""",
    "makes an error of it": """
    try:
        wait()
    except KeyboardInterrupt:
        raise ImportError("a broken installation") from None""",
    "makes a message of it": """
    from tui.errors import UsageError
    try:
        wait()
    except KeyboardInterrupt:
        raise UsageError("no such thing") from None""",
    "finishes": """
    try:
        wait()
    except KeyboardInterrupt:
        return 0""",
    "raises it in compiled code": """
    try:
        exec("wait()", {"wait": wait})
    except KeyboardInterrupt:
        raise""",
    "is in a destructor": """
    class Slow:
        def __del__(self):
            wait()
    sys.unraisablehook = lambda _: None
    Slow()
    time.sleep(60)""",
    "lets another thread take the signal": """
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    wait()""",
    "cleans up": """
    interrupts.AGAIN_S = 10
    try:
        wait()
    finally:
        time.sleep(0.02)
        print("cleaned up", flush=True)""",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_command_that(body: str, environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SETUP.replace("{body}", body.strip())],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"at work\n"
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"")
    assert time.monotonic() - begun < 10
    assert out == (b"cleaned up\n" if "finally" in body else b"")


@pytest.mark.parametrize("part", range(8))
def test_at_any_instant_after_the_first_line_of_ours(
    part: int, environment: dict[str, str], tmp_path: Path
) -> None:
    """An import hook sends the signal at the n-th import: the same instants in every run."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    script = f"""
import os, signal, sys
class Hook:
    count = 0
    def find_spec(self, *_):
        Hook.count += 1
        if Hook.count == {3 + part * 37}:
            os.kill(os.getpid(), signal.SIGINT)
from tui.__main__ import run
sys.meta_path.insert(0, Hook())
sys.argv[1:] = ["stats", {str(export.write())!r}, "--no-cache"]
sys.exit(run())
"""
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_nothing_is_left_behind_by_the_watch(capsys: pytest.CaptureFixture[str]) -> None:
    before = (threading.active_count(), open_files())
    for _ in range(3):
        assert cli.main(["--version"]) == 0
    assert (threading.active_count(), open_files()) == before
    assert signal.set_wakeup_fd(-1) == -1
    capsys.readouterr()


def open_files() -> list[str]:
    """The numbers of this process's open files, where the system tells."""
    folder = Path("/proc/self/fd")
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_in_another_thread_there_is_nothing_to_watch() -> None:
    found: list[bool] = []

    def look() -> None:
        with interrupts.watched() as interrupted:
            found.append(interrupted())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [False]
