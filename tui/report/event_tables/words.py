"""The values of an event's columns as words for a screen; ``?`` where the export does not say."""

from __future__ import annotations

from collections.abc import Callable

from tui.report.columns import NULL
from tui.report.data import ReportData
from tui.text import safe
from tui.text.numbers import show_size

UNKNOWN = "?"


def string(report: ReportData, index: int) -> str:
    """One of the report's names."""
    return safe(report.strings[index]) if index >= 0 else UNKNOWN


def domain(report: ReportData, index: int) -> str:
    """The name of an NVTX domain."""
    return string(report, index) if index >= 0 else "default"


def number(report: ReportData, value: int) -> str:
    """An integer."""
    return UNKNOWN if value == NULL else str(value)


def number_if_any(report: ReportData, value: int) -> str:
    """An integer; empty where the export has none."""
    return "" if value == NULL else str(value)


def product(report: ReportData, *values: int) -> str:
    """``8 x 4 x 1``."""
    return " x ".join(number(report, value) for value in values)


def size(report: ReportData, value: int) -> str:
    """``4,194,304 B  (4.194 MB)``."""
    return UNKNOWN if value == NULL else show_size(value)


def label_of(enum: str) -> Callable[[ReportData, int], str]:
    """Return the function that gives the export's label of a value of one of :attr:`ReportData.enums`."""

    def label(report: ReportData, value: int) -> str:
        other = f"{enum.replace('_', ' ')} {value}"
        return UNKNOWN if value == NULL else safe(report.enums.get(enum, {}).get(value, other))

    return label


def device(report: ReportData, index: int) -> str:
    """``GPU 0``."""
    return f"GPU {report.devices[index].cuda_id}" if index >= 0 else UNKNOWN


def process(report: ReportData, index: int) -> str:
    """``4242 · python``."""
    if index < 0:
        return UNKNOWN
    found = report.processes[index]
    return f"{found.pid}" + (f" · {safe(found.name)}" if found.name else "")


def thread(report: ReportData, index: int) -> str:
    """``4242/4250 · pt_autograd_0``."""
    if index < 0:
        return UNKNOWN
    found = report.threads[index]
    return f"{found.pid}/{found.tid}" + (f" · {safe(found.name)}" if found.name else "")
