"""What an export says of itself: its host, what its launcher said, its ranks as MPI and NCCL count them, and
its clocks. One mapping that JSON can hold; what is not recorded is None or absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tui.report.extra.tables import MPI_RANKS
from tui.report.importing.global_ids import pid_of
from tui.report.launch_names import HARDWARE, PURPOSES, SLURM_STEP
from tui.report.model import Report

TEXTS = ("run", "visible")
"""Purposes whose values are no numbers."""
NO_RUN = ("none",)
"""What torchrun writes where nobody named the run."""
_PROGRESS = re.compile(r"NCCL Progress\s*\[?\s*(\d{1,9})\s*/\s*(\d{1,9})")


def read_identity(report: Report, nccl: Iterable[tuple[int, int, int]] = ()) -> dict[str, Any]:
    """What ``report`` says of itself; raises ReportError where the file is damaged or has changed.

    ``host``; ``variables``: the launcher's, by name; ``environment``: by purpose (`rank`, `ranks`,
    `local_rank`, `node`, `run`, `visible`) the first that answers, as `variable` and `value`; ``mpi_ranks``
    and ``nccl``: by pid, as text, the rank and the list of `{rank, ranks}`; ``expected``: how many ranks the
    environment says there are; ``hw_id``. Clocks: ``utc_ns``, ``system_ns`` and ``counter`` at time 0 of the
    capture, and ``shift_ns``, which the export added to all its times.

    ``nccl``: (pid, rank, ranks) of more communicators than the import found.
    """
    origin = report.origin
    environment = by_purpose(origin.variables)
    ranks = environment.get("ranks")
    return {
        "host": origin.host,
        "variables": dict(origin.variables),
        "environment": environment,
        "mpi_ranks": _mpi_ranks(report),
        "nccl": _nccl_ranks(report, nccl),
        "expected": ranks["value"] if ranks else None,
        "hw_id": next((origin.variables[name] for name in HARDWARE if origin.variables.get(name)), None),
        "utc_ns": report.session_start_utc_ns,
        "system_ns": origin.system_ns,
        "counter": origin.counter,
        "shift_ns": origin.shift_ns,
    }


def by_purpose(variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """For each purpose the first variable that answers."""
    found = {}
    for purpose, names in PURPOSES.items():
        for name in names:
            value = run_of(variables, name) if purpose == "run" else value_of(variables, name, purpose)
            if value is not None:
                found[purpose] = {"variable": name, "value": value}
                break
    return found


def value_of(variables: Mapping[str, str], name: str, purpose: str) -> int | str | None:
    """What the variable ``name`` says; None where it is absent, empty, or no number where one is needed."""
    text = variables.get(name, "").strip()
    if purpose in TEXTS:
        return text or None
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def run_of(variables: Mapping[str, str], name: str) -> str | None:
    """The run that the variable ``name`` names; a step of Slurm is a run of its own."""
    text = variables.get(name, "").strip()
    if not text or text.lower() in NO_RUN:
        return None
    step = variables.get(SLURM_STEP, "").strip() if name == "SLURM_JOB_ID" else ""
    return f"{text}.{step}" if step else text


def _mpi_ranks(report: Report) -> dict[str, int]:
    """The ranks that MPI told the profiler, by pid; a process of which it tells two has none."""
    rows = report.extra_rows(MPI_RANKS)
    pids = pid_of(rows["globalTid"])
    return _single(zip(pids.tolist(), rows["rank"].tolist(), strict=True))


def _single(pairs: Iterable[tuple[int, int]]) -> dict[str, int]:
    found: dict[int, set[int]] = {}
    for pid, rank in pairs:
        if rank >= 0:
            found.setdefault(pid, set()).add(rank)
    return {str(pid): next(iter(ranks)) for pid, ranks in sorted(found.items()) if len(ranks) == 1}


def _nccl_ranks(report: Report, more: Iterable[tuple[int, int, int]]) -> dict[str, list[dict[str, int]]]:
    """The ranks in NCCL's communicators, by pid: of their payloads, and of the names of NCCL's threads."""
    found: dict[int, set[tuple[int, int]]] = {}
    for pid, rank, ranks in (*report.origin.communicators, *more):
        found.setdefault(pid, set()).add((rank, ranks))
    for thread in report.threads:
        match = _PROGRESS.search(thread.name or "")
        if match and int(match[1]) < int(match[2]):
            found.setdefault(thread.pid, set()).add((int(match[1]), int(match[2])))
    return {
        str(pid): [{"rank": rank, "ranks": ranks} for rank, ranks in sorted(pairs)]
        for pid, pairs in sorted(found.items())
    }
