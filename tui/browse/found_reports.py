"""The reports below a folder, and what is known of each without reading it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from tui.analysis.index import Index
from tui.analysis.table import Column, Unit
from tui.browse.lazy_columns import Written
from tui.browse.page import Page, Section, table_of
from tui.errors import ReportError
from tui.ranks.sources import EXPORT, REPORT
from tui.report import Report, kept_report
from tui.report.columns import NULL, Int64, distinct_values
from tui.text import safe
from tui.text.numbers import percent, plural

DEEPEST = 3
"""Levels of folders that are looked through."""
MOST = 2_000
"""Reports that are listed."""
MANY_OPS = 5_000_000
"""Of a report with more device work the busy share is not worked out for a list."""
NOT_OPENED = "-"
"""What is shown for what only an opened report tells."""


@dataclass(frozen=True)
class FoundReport:
    """A file that may be a report: its size in bytes, and when it was last written (ns since 1970)."""

    path: Path
    size: int
    written: int


@dataclass(frozen=True)
class Known:
    """What the store knows of a report. Empty and None: it holds nothing of it."""

    devices: str = ""
    busy_pct: float | None = None
    fault: str = ""
    """Why it can't be opened."""


def find_reports(folder: Path) -> list[FoundReport]:
    """Return the exports below a folder, and the reports without one beside them, the latest first."""
    found = []
    for path in _files(folder, DEEPEST):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append(FoundReport(path, stat.st_size, stat.st_mtime_ns))
        if len(found) == MOST:
            break
    return sorted(found, key=lambda report: (-report.written, str(report.path)))


def _files(folder: Path, levels: int) -> Iterator[Path]:
    """Yield the files of a folder, then those of its folders, but for hidden ones and links."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    names = {entry.name for entry in entries}
    for entry in entries:
        path = Path(entry.path)
        exported = path.suffix == REPORT and path.with_suffix(EXPORT).name in names
        if path.suffix in (EXPORT, REPORT) and not exported and entry.is_file():
            yield path
    for entry in entries:
        if levels > 1 and entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _files(Path(entry.path), levels - 1)


def known_of(path: Path, cache_dir: Path | None = None) -> Known:
    """Return what the store knows of a report; nothing is imported, and nothing written."""
    try:
        report = kept_report(path, cache_dir)
    except ReportError as error:
        return Known(fault=str(error).removeprefix(f"{path}: "))
    return Known() if report is None else Known(_devices(report), _busy_pct(report))


def _devices(report: Report) -> str:
    """``2 x NVIDIA H100``; ``no GPU work``."""
    models = Counter(safe(device.name or "GPU") for device in report.devices if device.ops)
    parts = [f"{count} x {model}" if count > 1 else model for model, count in models.items()]
    return ", ".join(parts) or "no GPU work"


def _busy_pct(report: Report) -> float | None:
    """Return the mean busy share of the devices from the first to the last device op; None: not known."""
    if report.op_span is None or not 0 < len(report.ops) <= MANY_OPS:
        return None
    index = Index(report)
    low, high = report.op_span
    devices = distinct_values(report.ops.device[report.ops.device >= 0]).tolist()
    busy = sum(index.coverage(device).length(low, high) for device in devices)
    return percent(busy, (high - low) * len(devices))


def reports_page(
    folder: Path, found: Sequence[FoundReport], known: Sequence[Known | None], marked: frozenset[int]
) -> Page:
    """Return the list; ``known``: None where it has not been looked up yet."""

    def name(report: FoundReport) -> str:
        inside = report.path.is_relative_to(folder)
        return str(report.path.relative_to(folder)) if inside else str(report.path)

    def devices(facts: Known | None) -> str:
        if facts is None:
            return ""
        return safe(facts.fault) or facts.devices or NOT_OPENED

    names = [("* " if number in marked else "  ") + name(report) for number, report in enumerate(found)]
    table = table_of(
        "reports",
        Column("report", "report", Unit.TEXT, names),
        Column("size", "size", Unit.BYTES, [report.size for report in found], 2),
        Column("written", "written", Unit.TEXT, Written(_dates(found), _date), 1),
        Column("GPUs", "gpus", Unit.TEXT, [devices(facts) for facts in known], 1, NOT_OPENED),
        Column("busy%", "busy", Unit.PCT, [facts and facts.busy_pct for facts in known], 2, NOT_OPENED),
    )
    waiting = sum(facts is None for facts in known)
    lines = [f"{plural(len(found), 'report')} below {folder}" + (", looking them up" if waiting else "")]
    if len(found) == MOST:
        lines.append(f"the first {MOST:,} that were found")
    if marked:
        lines.append(f"{plural(len(marked), 'report')} marked: enter opens them as one set")
    return [Section("Reports, the latest first", table, tuple(lines), empty="no reports", least=24)]


def _dates(found: Sequence[FoundReport]) -> Int64:
    return np.array([report.written or NULL for report in found], np.int64)


def _date(written: int) -> str:
    return datetime.fromtimestamp(written / 1e9).strftime("%Y-%m-%d %H:%M")
