"""Values of events as words for a screen; what the export does not say is a question mark."""

from __future__ import annotations

from tui.report.columns import NULL
from tui.report.data import ReportData
from tui.text import safe
from tui.text.numbers import show_size

UNKNOWN = "?"


def string(report: ReportData, index: int) -> str:
    """One of the report's names."""
    return safe(report.strings[index]) if index >= 0 else UNKNOWN


def plain(value: object) -> str:
    """An integer."""
    number = int(value)  # type: ignore[call-overload]
    return UNKNOWN if number == NULL else str(number)


def triple(*values: object) -> str:
    """``8 x 4 x 1``."""
    return " x ".join(plain(v) for v in values)


def size(value: object) -> str:
    """``4,194,304 B  (4.194 MB)``."""
    number = int(value)  # type: ignore[call-overload]
    return UNKNOWN if number == NULL else show_size(number)


def if_known(label: str, value: object) -> list[tuple[str, str]]:
    """The pair of a label and an integer; none where it is not known."""
    text = plain(value)
    return [] if text == UNKNOWN else [(label, text)]


def enum_label(report: ReportData, enum: str, value: object) -> str:
    """What the export calls a value of one of :attr:`ReportData.enums`."""
    number = int(value)  # type: ignore[call-overload]
    if number == NULL:
        return UNKNOWN
    return safe(report.enums.get(enum, {}).get(number, f"{enum.replace('_', ' ')} {number}"))


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
