"""Lanes of what few captures hold: metrics, samples, memory, networks. One module a subject.

A provider says which lanes there are without reading what they show: opening a report costs nothing for them.
What a lane shows is gathered by its ``late`` loader, on a thread beside the screen, once it comes into sight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from tui.report.model import Report
from tui.timeline.extra.there import may_have_lanes
from tui.timeline.lane import Lane

PROVIDERS: tuple[str, ...] = (
    "metric_lanes:metric_lanes",
    "memory_lanes:memory_lanes",
    "unified_lanes:unified_lanes",
    "context_lanes:context_lanes",
    "windows_lanes:windows_lanes",
    "network_lanes:network_lanes",
    "counter_lanes:counter_lanes",
    "mark_lanes:mark_lanes",
    "cpu_lanes:cpu_lanes",
)
"""``module:function`` below this package, in the order of their lanes below one owner.

:mod:`.there` says which of them may have any.
"""


Provider = Callable[[Report], Iterator[Lane]]


def extra_lanes(report: Report) -> Iterator[Lane]:
    """The lanes of all providers: of ``lane.device``, of ``lane.thread``, or (both -1) of the machine.

    Reads no large table.
    """
    for place in PROVIDERS:
        module, _, function = place.partition(":")
        if not may_have_lanes(module, report):
            continue
        provider: Provider = getattr(import_module(f"{__name__}.{module}"), function)
        yield from provider(report)
