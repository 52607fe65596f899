"""Run the user's own `nsys` on a report: an argument list, a folder of its own, and an end in any case."""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from tui.errors import ReportError
from tui.report.progress import Meter, Progress
from tui.report.recognise import REPORT_SUFFIXES, export_command
from tui.text import safe

_PAUSE = 0.1
"""Seconds between two looks at whether the result is still wanted."""
_GRACE = 0.5
"""Seconds that nsys gets to end by itself."""
_TAIL = 8192
_LONGEST = 300
_FULL = 1 << 20
"""A disk with fewer bytes free is full."""
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_BAR = re.compile(r"\d{1,3}\s*%")
_SAYS = re.compile(r"(?:tag_message\*\] = |Exportation error: )(.+)")
_FAULTS = ("Exportation error:", "Dynamic exception type:", "Failed to close database", "disk is full")
"""What nsys prints where it has failed: after a full disk it still ends with exit code 0."""


def find_nsys() -> tuple[str | None, str]:
    """Find `nsys` on the PATH; else why what is there can't be run, empty where nothing is.

    Folders that are relative to the current one are left out: it may be that of somebody else's report.
    """
    folders = [f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(f).is_absolute()]
    if program := shutil.which("nsys", path=os.pathsep.join(folders)):
        return program, ""
    found = next((p for f in folders if (p := Path(f, "nsys")).is_file()), None)
    return None, f"{found} can't be executed" if found else ""


def run_nsys(program: str, report: Path, output: Path, meter: Meter) -> str:
    """Have nsys write the SQLite export of ``report`` to ``output``, in a folder where it may leave anything.

    Returns the last that it said, empty where that was only how far it was. Raises ReportError where it
    fails, ImportCancelled where ``meter`` says so. Whatever happens, it has ended by then.
    """
    talk = _Talk()
    with _started(_command(program, report, output), report, output.parent) as process:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while process.poll() is None:
                if selector.get_map() and selector.select(_PAUSE):
                    if chunk := os.read(process.stdout.fileno(), 1 << 16):
                        talk.hear(chunk)
                    else:
                        selector.unregister(process.stdout)  # closed; it may still be at work
                elif not selector.get_map():
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_PAUSE)
                meter.show(talk.progress)
            if selector.get_map() and selector.select(0):  # no more: a child of its own may hold the pipe
                talk.hear(os.read(process.stdout.fileno(), 1 << 16))
    status = process.returncode
    if status or talk.tells_of_a_fault or not output.is_file():
        raise ReportError(f"{report}: nsys export {_failure(status, talk)}{_no_room(talk, output.parent)}")
    return talk.last_words


def _command(program: str, report: Path, output: Path) -> list[str]:
    source = report.absolute()  # nsys works in another folder; such a path begins with no dash
    if source.suffix.lower() not in REPORT_SUFFIXES:
        with suppress(OSError):  # else nsys has to do with the name as it is
            link = output.with_name("report.nsys-rep")
            link.symlink_to(source)
            source = link
    return [program, *export_command(source, output.absolute())[1:]]


@contextmanager
def _started(command: list[str], report: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start nsys in a session of its own; it and all that it has started end with this context."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder.absolute())},
            start_new_session=True,
        )
    except OSError as error:
        raise ReportError(f"{report}: {command[0]} can't be run: {error.strerror or error}") from None
    try:
        yield process
    finally:
        try:
            if process.poll() is None:
                _signal(process, signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_GRACE)
        finally:
            if process.returncode is None:
                _signal(process, signal.SIGKILL)
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)  # not reaped yet: the number is still its own


class _Killed(BaseException):
    """This process was told to end."""


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end this process only after what is in the context has been cleaned up.

    Does nothing on other threads than the first, nor for a signal that the program handles by itself.
    """
    caught: list[int] = []

    def leave(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        raise _Killed

    ours = []
    if threading.current_thread() is threading.main_thread():
        ours = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        if caught:
            os.kill(os.getpid(), caught[0])


class _Talk:
    """What nsys prints: how far it is, and why it failed. Keeps the end of it only."""

    def __init__(self) -> None:
        self._tail = b""
        self._percent: int | None = None
        self._events = 0
        self.tells_of_a_fault = False

    def hear(self, chunk: bytes) -> None:
        """Take in what was printed."""
        self._tail = (self._tail + chunk)[-_TAIL:]
        if events := re.findall(rb"Processing (\d{1,15}) events", self._tail):
            self._events = int(events[-1])
        if percents := re.findall(rb"(\d{1,3})%", self._tail):
            self._percent = min(int(percents[-1]), 100)
        self.tells_of_a_fault |= any(fault.encode() in self._tail for fault in _FAULTS)

    @property
    def progress(self) -> Progress:
        """How far it is, as far as it says."""
        if self._percent is None:
            return Progress("the report with nsys", 0, 0)
        total, unit = (self._events, "events") if self._events else (100, "")
        return Progress("the report with nsys", total * self._percent // 100, total, unit)

    @property
    def last_words(self) -> str:
        """The line that says best what went wrong, safe for a terminal; empty where there is none."""
        text = _ESCAPE.sub("", self._tail.decode(errors="replace"))
        lines = [line.strip() for line in re.split(r"[\r\n]+", text)]
        said = [line for line in lines if line and not _BAR.search(line)]
        told = [found.group(1) for line in said if (found := _SAYS.search(line))]
        line = safe((told or said or [""])[-1])
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _failure(status: int, talk: _Talk) -> str:
    how = "" if status or talk.last_words else " (it wrote no file)"
    if status > 0:
        how = f" (exit code {status})"
    elif status < 0:
        how = f" (killed by signal {-status})"
        with suppress(ValueError):
            how = f" (killed by {signal.Signals(-status).name})"
    return f"failed{how}{talk.last_words and f': {talk.last_words}'}"


def _no_room(talk: _Talk, folder: Path) -> str:
    """Say where there was no room for the export, if that is what failed."""
    full = any(word in talk.last_words.lower() for word in ("disk is full", "no space left", "quota"))
    with suppress(OSError):
        free = os.statvfs(folder)
        full |= free.f_bavail * free.f_frsize < _FULL
    place = safe(str(folder.parent))
    return f"; there is no room in {place}: --cache-dir or TMPDIR names another place" if full else ""
