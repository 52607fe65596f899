"""Choosing a window, in the words of the command line: one parser, one meaning."""

from __future__ import annotations

from tui.analysis.scope import (
    Scope,
    Window,
    chosen_window,
    default_window,
    pick_devices,
    pick_processes,
)
from tui.analysis.units import parse_duration, parse_time
from tui.errors import UsageError
from tui.report.model import Report

__all__ = [
    "Scope",
    "Window",
    "chosen_window",
    "default_window",
    "make_scope",
    "parse_duration",
    "parse_range",
]


def make_scope(
    report: Report,
    text: str | None = None,
    *,
    devices: list[int] | None = None,
    processes: list[int] | None = None,
    step: str | None = None,
) -> Scope:
    """The scope that the options of a command mean; UsageError says what is wrong with them."""
    picked = pick_devices(report, devices), pick_processes(report, processes)
    window = default_window(report) if text is None else parse_range(report, text)
    return Scope(window, *picked)


def parse_range(report: Report, text: str) -> Window:
    """The window that ``text`` means: ``START/END`` with units."""
    start, slash, end = text.partition("/")
    if not slash:
        raise UsageError(f"{text!r} is no range such as 1.5s/1.62s or 200ms/")
    return chosen_window(
        report,
        parse_time(start) if start.strip() else None,
        parse_time(end) if end.strip() else None,
        text,
    )
