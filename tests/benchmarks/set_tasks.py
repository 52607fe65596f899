"""Measurements of sets of reports, each run alone. Seconds unless said."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

Result = dict[str, Any]


def set_cold(folder: str, cache: str, count: int, jobs: int | None) -> Result:
    """Read the first reports of a folder into an empty store."""
    from tui.ranks.collecting import collect

    shutil.rmtree(cache, ignore_errors=True)
    paths = _paths(folder)[:count]
    begun = time.perf_counter()
    members = collect(paths, cache_dir=Path(cache), jobs=jobs)
    seconds = time.perf_counter() - begun
    assert all(member.error is None for member in members)
    return {"seconds": seconds}


def set_warm(folder: str, cache: str, count: int) -> Result:
    """Open a set whose summaries are kept, and make all tables of it; how many files were open at most."""
    from tui.ranks.collecting import collect

    before = _open_files()
    begun, worked = time.perf_counter(), time.process_time()
    members = collect(_paths(folder)[:count], cache_dir=Path(cache))
    found: Result = {"open": time.perf_counter() - begun, "open_cpu": time.process_time() - worked}
    found["files"] = _open_files() - before
    assert all(member.summary is not None for member in members)
    begun = time.perf_counter()
    instances = 0
    for member in members:
        assert member.summary is not None
        instances += sum(len(rank.collectives) for rank in member.summary.ranks)
        found["files"] = max(found["files"], _open_files() - before)
    found |= {"pass": time.perf_counter() - begun, "instances": instances}
    found |= _judged(members)
    found["files"] = max(found["files"], _open_files() - before)
    return found


def _judged(members: list[Any]) -> Result:
    """All figures of a set."""
    from tui.ranks.reduce import judge
    from tui.ranks.runs import build_set

    begun, worked = time.perf_counter(), time.process_time()
    judged = judge(build_set(members))
    assert len(judged.runs) == 1
    return {"judge": time.perf_counter() - begun, "judge_cpu": time.process_time() - worked}


def _paths(folder: str) -> list[Path]:
    return sorted(Path(folder).glob("*.sqlite"))


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
