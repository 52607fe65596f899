"""What the figures were taken on. No host names."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from pathlib import Path

import numpy as np
import textual


def description() -> list[tuple[str, str]]:
    """(what, value) pairs."""
    return [
        ("cores", str(len(os.sched_getaffinity(0)))),
        ("processor", _processor()),
        ("memory", f"{_memory_gb():.0f} GB"),
        ("system", f"{platform.system()} {platform.release().split('-')[0]}"),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("SQLite", sqlite3.sqlite_version),
        ("Textual", textual.__version__),
    ]


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def _memory_gb() -> float:
    found = re.search(r"^MemTotal:\s*(\d+) kB$", _read("/proc/meminfo"), re.MULTILINE)
    return int(found.group(1)) / 2**20 if found else 0.0


def _read(path: str) -> str:
    return Path(path).read_text() if Path(path).exists() else ""
