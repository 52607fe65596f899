"""The measurements of metrics, each run in a process of its own; see :mod:`tests.benchmarks.tasks`."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Result = dict[str, Any]


def metric_scan(path: str) -> Result:
    """SQLite's own sum of the table's columns."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        sql = (
            "SELECT total(timestamp), total(typeId), total(metricId), total(value), count(*) FROM GPU_METRICS"
        )
        return {"seconds": min(_clock(lambda: db.execute(sql).fetchone()) for _ in range(2))}


def metric_open(path: str, cache: str) -> Result:
    """Open a report cold, then warm; metrics are not asked for."""
    from tui.browse.capture import capture_of
    from tui.report import open_report

    shutil.rmtree(cache, ignore_errors=True)
    cold = _clock(lambda: open_report(path, cache_dir=Path(cache)))
    warm = min(_clock(lambda: capture_of(open_report(path, cache_dir=Path(cache)))) for _ in range(5))
    return {"cold": cold, "warm": warm}


def metric_import(path: str, cache: str) -> Result:
    """Read the metrics of an opened report: into the store, then from it."""
    from tui.analysis.index import Index
    from tui.analysis.metrics.capture import metrics_of
    from tui.report import open_report

    for kept in Path(cache).glob("*.metrics-*"):
        kept.unlink()
    report = open_report(path, cache_dir=Path(cache))
    first = _clock(lambda: metrics_of(Index(report)))
    kept = sum(file.stat().st_size for file in Path(cache).glob("*.metrics-*"))
    again = open_report(path, cache_dir=Path(cache))
    return {"first": first, "again": _clock(lambda: metrics_of(Index(again))), "kept": kept}


def metric_frame(path: str, cache: str, lanes: int = 40, cells: int = 160) -> Result:
    """Work out the cells of ``lanes`` lines at three scales."""
    import numpy as np

    from tui.analysis.index import Index
    from tui.analysis.metrics.capture import metrics_of
    from tui.report import open_report

    report = open_report(path, cache_dir=Path(cache))
    lines = [metric.quantity for metric in metrics_of(Index(report)).all][:lanes]
    assert len(lines) == lanes, len(lines)
    assert report.op_span is not None
    low, high = report.op_span[0], max(int(line.axis.end[-1]) for line in lines)
    result: Result = {}
    for name, share in (("whole", 1.0), ("middle", 0.3), ("near", 0.01)):
        edges = np.linspace(low, low + (high - low) * share, cells + 1).astype(np.int64)
        result[name] = min(_clock(lambda edges=edges: [line.over(edges) for line in lines]) for _ in range(9))
    return result


def _clock(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
