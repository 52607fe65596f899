"""A measurement in a process of its own, its memory watched from outside."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EVERY_S = 0.01


@dataclass
class Peak:
    """Most memory ever held, in bytes, children included.

    ``anonymous`` is what the process itself asked for; ``resident`` counts mapped pages of files too,
    which the system takes back whenever it needs room.
    """

    anonymous: int = 0
    resident: int = 0


class Watch:
    """Samples the memory of a process and its children until :meth:`stop`."""

    def __init__(self, pid: int) -> None:
        self.peak = Peak()
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> Peak:
        self._over.set()
        self._thread.join()
        return self.peak

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            held = [status(pid) for pid in family(self._pid)]
            self.peak.anonymous = max(self.peak.anonymous, sum(s.get("RssAnon", 0) for s in held))
            self.peak.resident = max(self.peak.resident, sum(s.get("VmRSS", 0) for s in held))


def family(pid: int) -> list[int]:
    """The process and all below it."""
    found, ask = [pid], [pid]
    while ask:
        at = ask.pop()
        try:
            below = [(task / "children").read_text() for task in Path(f"/proc/{at}/task").iterdir()]
        except OSError:
            continue
        children = [int(child) for text in below for child in text.split()]
        found += children
        ask += children
    return found


def status(pid: int) -> dict[str, int]:
    """The sizes in /proc/PID/status, in bytes; empty when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    lines = (line.split() for line in text.splitlines() if line.endswith(" kB"))
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}


def run(task: str, **arguments: Any) -> tuple[dict[str, Any], Peak]:
    """The result of a function of :mod:`tests.benchmarks.tasks` in a fresh interpreter, and its memory."""
    command = [sys.executable, "-m", "tests.benchmarks.tasks", task, json.dumps(arguments)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        watch = Watch(child.pid)
        assert child.stdout is not None
        text = child.stdout.read()
        status = child.wait()
        peak = watch.stop()
    if status:
        raise RuntimeError(f"{task} failed with status {status}")
    result: dict[str, Any] = json.loads(text)
    return result, peak


def best(task: str, repeats: int, **arguments: Any) -> tuple[dict[str, Any], Peak]:
    """The least of several runs, figure by figure: what is above it is the machine's noise."""
    runs = [run(task, **arguments) for _ in range(repeats)]
    least = {
        key: min(r[key] for r, _ in runs) if isinstance(value, int | float) else value
        for key, value in runs[0][0].items()
    }
    return least, Peak(min(p.anonymous for _, p in runs), min(p.resident for _, p in runs))
