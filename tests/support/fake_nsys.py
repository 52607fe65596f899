"""An `nsys` on the PATH that does what a test says, and writes down how it was called."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.export import Export

MAGIC = b"NVIDIA Tegra Profiler Report 2026@1@1@1-0v0.\n"
EXPORTS = "shutil.copy(ready, output)"
"""What a good nsys does."""
WAITS = "open(gate).read()"
"""What it does where a test lets it go on: see :meth:`FakeNsys.go_on`."""

_PREAMBLE = """\
#!{python}
import json, os, shutil, signal, subprocess, sys
calls, ready, gate = {calls!r}, {ready!r}, {gate!r}
with open(calls, "a") as stream:
    seen = dict(args=sys.argv[1:], cwd=os.getcwd(), tmp=os.environ["TMPDIR"], pid=os.getpid())
    stream.write(json.dumps(seen) + "\\n")
output = sys.argv[sys.argv.index("--output") + 1]
report = sys.argv[-1]
def say(text):
    sys.stderr.write(text)
    sys.stderr.flush()
"""


class FakeNsys:
    """The program; ``ready`` is what a good one exports: 500 launches and their kernels."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self._calls = folder / "calls.json"
        self.gate = folder / "gate"
        os.mkfifo(self.gate)
        export = Export(folder / "ready.sqlite")
        for i in range(500):
            export.launch((100 * i, 100 * i + 5), (100 * i + 10, 100 * i + 50), name=f"k{i % 7}")
        self.ready = export.write()
        self.does(EXPORTS)

    @property
    def program(self) -> Path:
        """The script."""
        return self.folder / "nsys"

    def does(self, code: str) -> None:
        """From now on it runs ``code``, which finds ``output``, ``report``, ``ready`` and ``say``."""
        known = {"calls": str(self._calls), "ready": str(self.ready), "gate": str(self.gate)}
        self.program.write_text(_PREAMBLE.format(python=sys.executable, **known) + code + "\n")
        self.program.chmod(0o755)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """How it was called: arguments, folder, TMPDIR, process."""
        if not self._calls.exists():
            return []
        return [json.loads(line) for line in self._calls.read_text().splitlines()]

    def go_on(self) -> None:
        """Let it go on if it waits."""
        with suppress(OSError):  # it does not wait yet
            os.close(os.open(self.gate, os.O_WRONLY | os.O_NONBLOCK))

    @property
    def alive(self) -> bool:
        """Whether one of its processes is still there."""
        return not all(ends(call["pid"], 0) for call in self.calls)


def ends(pid: int, patience_s: float = 10) -> bool:
    """Whether a process that was told to end has done so, within some seconds."""
    late = time.monotonic() + patience_s
    while _state(pid) not in "ZX":
        if time.monotonic() > late:
            return False
        os.sched_yield()
    return True


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def report_at(path: Path) -> Path:
    """A file that begins as the reports of nsys do."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(MAGIC + bytes(range(256)) * 16)
    return path
