"""Members of sets with ranks of a few words: what numbering and grouping look at, and nothing else."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.export import Export
from tui.analysis.index import Index
from tui.ranks.identity import by_purpose
from tui.ranks.numbering import Unnumbered
from tui.ranks.rank_set import Member
from tui.ranks.summarise import summarise
from tui.ranks.summary import DeviceFacts, RankSummary, ReportSummary
from tui.report import open_report


@functools.cache
def template() -> ReportSummary:
    """The summary of an export with one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "one.sqlite")
        export.kernel(0, 10)
        return summarise(Index(open_report(export.write(), use_store=False)))


def identity(
    env: Mapping[str, str] | None = None,
    *,
    mpi: Mapping[int, int] | None = None,
    nccl: Mapping[int, list[tuple[int, int]]] | None = None,
    host: str | None = None,
    utc: int | None = None,
) -> dict[str, Any]:
    """What an export says of itself; `nccl`: by pid pairs of rank and ranks."""
    groups = {str(p): [{"rank": r, "ranks": n} for r, n in pairs] for p, pairs in (nccl or {}).items()}
    return {
        "host": host,
        "variables": dict(env or {}),
        "environment": by_purpose(env or {}),
        "mpi_ranks": {str(pid): rank for pid, rank in (mpi or {}).items()},
        "nccl": groups,
        "utc_ns": utc,
    }


def bare(
    name: str,
    env: Mapping[str, str] | None = None,
    *,
    pid: int = 100,
    devices: tuple[int, ...] = (0,),
    member: int = 0,
    alone: bool = True,
    **said: Any,
) -> Unnumbered:
    """A rank without a number."""
    return Unnumbered(member, Path(name), pid, devices, identity(env, **said), alone)


def rank(pid: int = 100, *devices: int) -> RankSummary:
    """A rank's summary: of these GPUs, or of GPU 0."""
    facts = tuple(DeviceFacts(d, None, None, None, 10, 10) for d in devices or (0,))
    return replace(template().ranks[0], pid=pid, devices=facts)


def member(
    name: str,
    env: Mapping[str, str] | None = None,
    *ranks: RankSummary,
    key: str | None = None,
    nsys: str | None = "2026.2",
    tables: tuple[str, ...] = ("CUPTI_ACTIVITY_KIND_KERNEL",),
    **said: Any,
) -> Member:
    """A report of one rank, or of those that are given."""
    summary = replace(
        template(),
        key=key or name,
        identity=identity(env, **said),
        versions={"nsys": nsys, "schema": None},
        tables=tables,
        ranks=ranks or (rank(),),
    )
    return Member(Path(name), summary)
