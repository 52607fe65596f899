"""The communicators that NCCL's own ranges tell, where the export has their payloads as JSON."""

from __future__ import annotations

import re

from tui.report import schema
from tui.report.importing.global_ids import pid_of
from tui.report.importing.name_pool import NamePool
from tui.report.sqlite.source import Source

_MADE_BY = b"ncclComm"
"""What the ranges are called that make a communicator."""
_SIZE, _RANK = "No. of ranks", "Rank"
_MOST = 10_000
"""Rows that are looked at: a process makes some dozens."""


def read_communicators(source: Source, pool: NamePool) -> tuple[tuple[int, int, int], ...]:
    """``(pid, rank, ranks)`` of each communicator; none where the export has no payloads, or none of NCCL.

    Whatever else a payload holds, and however it is nested, these two members are looked for.
    """
    if not source.has(schema.NVTX, "jsonText", "globalTid") or not pool.holds(_MADE_BY):
        return ()
    found: set[tuple[int, int, int]] = set()
    for row in source.records_with(schema.NVTX, ["globalTid", "jsonText"], "jsonText", _SIZE, _MOST):
        thread, text = row.get("globalTid"), row.get("jsonText")
        rank, ranks = _member(text, _RANK), _member(text, _SIZE)
        if isinstance(thread, int) and rank is not None and ranks is not None and rank < ranks:
            found.add((pid_of(thread), rank, ranks))
    return tuple(sorted(found))


def _member(text: object, name: str) -> int | None:
    """The whole number that a member of that name has, anywhere in a JSON text."""
    match = (
        re.search(rf'"{re.escape(name)}"\s*:\s*"?([0-9]{{1,9}})\b', text) if isinstance(text, str) else None
    )
    return None if match is None else int(match[1])
