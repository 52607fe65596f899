"""The names that a program gave to its devices, contexts and streams, and to categories of NVTX events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tui.errors import ReportError
from tui.report.columns import NULL
from tui.report.extra.tables import GIVEN_NAMES, NVTX_CATEGORIES
from tui.report.importing.global_ids import pid_of
from tui.report.model import Report

CATEGORY, DOMAIN = 33, 75
"""Types of the events of NVTX that name a category and a domain."""


@dataclass(frozen=True)
class GivenNames:
    """Names as recorded, not yet safe for a screen. Of several names of one thing the first counts."""

    devices: Mapping[int, str]
    """By the device's number where it is named: programs name them without saying of which process."""
    contexts: Mapping[tuple[int, int, int], str]
    """By (pid, device, context)."""
    streams: Mapping[tuple[int, int, int, int], str]
    """By (pid, device, context, stream)."""

    def __bool__(self) -> bool:
        return bool(self.devices or self.contexts or self.streams)

    def device(self, report: Report, device: int) -> str | None:
        """The name of a device (position in ``Report.devices``)."""
        numbers = (*(number for _, number in report.devices[device].owners), report.devices[device].cuda_id)
        return next((self.devices[number] for number in numbers if number in self.devices), None)

    def context(self, report: Report, device: int, process: int, context: int) -> str | None:
        """The name of a context; ``device`` and ``process``: positions in the report."""
        places = ((*place, context) for place in _places(report, device, process))
        return next((self.contexts[place] for place in places if place in self.contexts), None)

    def stream(self, report: Report, device: int, process: int, context: int, stream: int) -> str | None:
        """The name of a stream; ``device`` and ``process``: positions in the report."""
        places = ((*place, context, stream) for place in _places(report, device, process))
        return next((self.streams[place] for place in places if place in self.streams), None)


def _places(report: Report, device: int, process: int) -> list[tuple[int, int]]:
    """(pid, number) that a process calls a device by."""
    if device < 0 or process < 0:
        return []
    pid = report.processes[process].pid
    return [place for place in report.devices[device].owners if place[0] == pid]


def given_names(report: Report) -> GivenNames:
    """The names of a report's devices, contexts and streams; none where they can't be read.

    Reads small tables only.
    """
    try:
        return _read(report)
    except ReportError:  # nothing depends on them
        return GivenNames({}, {}, {})


def _read(report: Report) -> GivenNames:
    found: dict[str, dict[tuple[int, ...], str]] = {}
    for kind, table in GIVEN_NAMES.items():
        rows = report.extra_rows(table)
        keys = zip(*(rows[column].tolist() for column in table.integers), strict=True)
        names = found.setdefault(kind, {})
        for key, name in zip(keys, rows.texts("name"), strict=True):
            if name:
                names.setdefault(key, name)
    return GivenNames(
        {key[0]: name for key, name in found["device"].items()},
        {(pid, device, context): name for (pid, device, context), name in found["context"].items()},
        {(pid, d, context, s): name for (pid, d, context, s), name in found["stream"].items()},
    )


def category_name(report: Report, thread: int, domain: int, category: int) -> str | None:
    """The name of a category of a thread's events; None: it has none, or it can't be read.

    ``thread``: position in ``Report.threads``; ``domain``: in ``Report.strings``, -1 the default one.
    """
    if thread < 0:
        return None
    try:
        rows = report.extra_rows(NVTX_CATEGORIES)
    except ReportError:
        return None
    mine = np.flatnonzero(pid_of(rows["globalTid"]) == report.threads[thread].pid)
    texts, named = rows.texts("text"), rows.texts("textId")
    kinds, domains, numbers = (rows[name].tolist() for name in ("eventType", "domainId", "category"))
    wanted = report.strings[domain] if domain >= 0 else None
    inside = {
        domains[row] for row in mine.tolist() if kinds[row] == DOMAIN and wanted in (texts[row], named[row])
    }
    inside = {0, NULL} if wanted is None else inside
    for row in mine.tolist():
        if kinds[row] == CATEGORY and numbers[row] == category and domains[row] in inside:
            return texts[row] or named[row]
    return None
