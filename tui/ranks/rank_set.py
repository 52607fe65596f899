"""A set: everything on the command line, as runs of a job, and the ranks of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tui.ranks.summary import RankSummary, ReportSummary


class RankSource(Enum):
    """How a rank got its number."""

    GIVEN = "given"
    MPI = "mpi"
    ENVIRONMENT = "environment"
    NCCL = "nccl"
    NAME = "name"
    ORDER = "order"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Member:
    """One report of a set: its summary, or the line that says why there is none."""

    path: Path
    summary: ReportSummary | None
    error: str | None = None


@dataclass(frozen=True)
class Rank:
    """One rank of a set."""

    number: int | None
    """None: unknown; it is called :attr:`name` then."""
    source: RankSource
    host: str | None
    local_rank: int | None
    node: int | None
    member: int
    """Position in :attr:`RankSet.members`."""
    summary: RankSummary
    name: str
    """What people call it: its number, `node.i`, or `host:pid`."""


@dataclass(frozen=True)
class Run:
    """One execution of a job: ranks that ran together, by number, unknown ones last."""

    label: str
    """The launcher's id; empty where it is not known."""
    ranks: tuple[Rank, ...]
    source: RankSource
    variable: str | None
    """The environment variable that numbers came from, for people."""
    expected: int | None
    """How many ranks there should be; None: not recorded."""
    missing: tuple[int, ...]
    """The numbers of those that have no report."""


@dataclass(frozen=True)
class RankSet:
    """All members and the runs that they make."""

    members: tuple[Member, ...]
    runs: tuple[Run, ...]
    notes: tuple[str, ...]

    @property
    def ranks(self) -> Sequence[Rank]:
        """The ranks of all runs."""
        return [rank for run in self.runs for rank in run.ranks]

    @property
    def broken(self) -> Sequence[Member]:
        """The members that can't be read."""
        return [member for member in self.members if member.summary is None]

    def report_of(self, rank: Rank) -> ReportSummary:
        """The summary of the report that holds ``rank``."""
        summary = self.members[rank.member].summary
        assert summary is not None
        return summary
