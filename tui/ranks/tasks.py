"""The reports of a set that must be read, and how they are read in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.ranks.one_report import Choices, Outcome, summarise_report
from tui.ranks.set_progress import SetMeter


@dataclass(frozen=True)
class Task:
    """A report that must be read."""

    place: int
    """Its position in the set."""
    path: Path
    size: int
    """Bytes of the file."""
    key: str
    """Names the content that it had when it was looked up; empty: it is not on this machine."""


@dataclass(frozen=True)
class DaskChoices:
    """The cluster that reads the reports."""

    scheduler: str
    """Its address, the path of a scheduler file, or `env`."""
    store: Path | None = None
    """A folder that client and workers share, for summaries too large for a message."""
    fallback: bool = False
    """Whether the rest is read here where the scheduler is lost."""


def read_here(tasks: Sequence[Task], choices: Choices, meter: SetMeter) -> Iterator[tuple[Task, Outcome]]:
    """Read reports in this process, one after another."""
    for task in tasks:
        meter.begun(task)
        outcome = summarise_report(task.path, choices)
        meter.ended(task)
        yield task, outcome
