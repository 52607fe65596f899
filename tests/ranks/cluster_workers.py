"""What workers of the tests' clusters do instead of reading, importable there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tui.ranks import cluster_work
from tui.ranks.cluster_work import Remote
from tui.ranks.one_report import Choices


def die_on_poison(
    path: str, key: str, choices: Choices, expected: tuple[str, int, int], shared: str | None
) -> Remote:
    """Read a report, but for those named `poison`, which kill whoever reads them."""
    if Path(path).stem.startswith("poison"):
        os.kill(os.getpid(), signal.SIGKILL)
    return cluster_work.read_for_client(path, key, choices, expected, shared)


def fail(path: str, key: str, choices: Choices, expected: tuple[str, int, int], shared: str | None) -> Remote:
    """Fail as a fault of the program does."""
    raise ValueError("a fault\nof two lines")


def see_nothing(
    path: str, key: str, choices: Choices, expected: tuple[str, int, int], shared: str | None
) -> Remote:
    """Do as a worker that sees another file of that name."""
    return cluster_work.read_for_client(path, "0" * 32, choices, expected, shared)


def all_to_a_file(
    path: str, key: str, choices: Choices, expected: tuple[str, int, int], shared: str | None
) -> Remote:
    """Read a report as if every summary were large."""
    cluster_work.MESSAGE_BYTES = 0
    return cluster_work.read_for_client(path, key, choices, expected, shared)


def other_version() -> tuple[str, int, int]:
    return "0.0.7", 1, 2
