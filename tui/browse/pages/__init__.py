"""The tabs of the side pane in their order. To add one, add its module and a line in :data:`TABS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

# The keys are read before anything is loaded, and the tabs name some of them: no NumPy here.
if TYPE_CHECKING:
    from tui.browse.page import Page
    from tui.browse.pages.request import PageRequest
    from tui.report.model import Report

DIGITS = "123456789"


@dataclass(frozen=True)
class Tab:
    """One tab: its name, the function that builds its page, and the fields of the report that it needs."""

    name: str
    build_from: str
    """``module:function`` below this package, imported when the tab is shown: no frame waits for it."""
    needs: frozenset[str] | None = None
    """Fields of the report that it shows; None: all of them."""
    meanwhile: str = ""
    """Builds the page while the report is still being read; empty: ``build_from``, once it has its fields."""
    has_data: Callable[[Report], bool] = lambda report: True
    """Whether the report holds anything for it: with more than nine tabs, one without data has no digit."""
    digit: bool = True
    """Whether one of the nine digits may choose it; else it has a key of its own."""
    lists_events: bool = False
    """Whether its page lists the events that the user asked for."""
    follows_cursor: bool = False
    """Whether its page depends on what the cursor is on."""

    def build(self, request: PageRequest) -> Page:
        """Build the page, on a thread that has the capture's lookups. A partial one names what is missing."""
        loading = request.capture.loading
        if not loading:
            return _built(self.build_from, request)
        from tui.browse.page import Section
        from tui.timeline.coming import coming_words

        missing = loading if self.needs is None else self.needs & loading
        if missing and not self.meanwhile:
            page: Page = [Section(self.name, lines=(f"waits for {coming_words(missing)}",))]
        else:
            page = _built(self.meanwhile or self.build_from, request)
        title = f"Still loading {coming_words(loading)}"
        return [Section(title, lines=("figures are partial until it is there",)), *page]


def _has_cpu_data(report: Report) -> bool:
    from tui.analysis.kinds.cpu import has_cpu_data

    return has_cpu_data(report)


def _has_network(report: Report) -> bool:
    from tui.analysis.kinds.network import has_network_data

    return has_network_data(report)


def _has_metrics(report: Report) -> bool:
    from tui.report.metrics.reading import has_metrics

    return has_metrics(report)


def _has_memory_data(report: Report) -> bool:
    from tui.analysis.kinds.memory import has_memory_data

    return has_memory_data(report)


def _built(where: str, request: PageRequest) -> Page:
    module, _, function = where.partition(":")
    page: Page = getattr(import_module(f"{__name__}.{module}"), function)(request)
    return page


TABS: tuple[Tab, ...] = (
    Tab("Overview", "overview_tab:overview_page", meanwhile="overview_tab:partial_overview"),
    Tab("Blame", "blame_tab:blame_page"),
    Tab("Kernels", "kernels_tab:kernels_page", frozenset()),
    Tab("Copies", "copies_tab:copies_page", frozenset()),
    Tab("NVTX", "nvtx_tab:nvtx_page", frozenset({"ranges"}), has_data=lambda report: len(report.ranges) > 0),
    Tab("API", "api_tab:api_page", frozenset({"calls"}), has_data=lambda report: len(report.calls) > 0),
    Tab("OS", "os_tab:os_page", frozenset({"os_calls"}), has_data=lambda report: len(report.os_calls) > 0),
    Tab("Steps", "steps_tab:steps_page"),
    Tab("Diagnosis", "diagnosis_tab:diagnosis_page"),
    Tab("CPU", "cpu_tab:cpu_page", has_data=_has_cpu_data, follows_cursor=True),
    Tab("Metrics", "metrics_tab:metrics_page", has_data=_has_metrics),
    Tab("Memory", "memory_tab:memory_page", has_data=_has_memory_data),
    Tab("Network", "network_tab:network_page", has_data=_has_network),
    Tab("Classes", "classes_tab:classes_page", has_data=lambda report: len(report.kernels) > 0),
    Tab(
        "Ranges",
        "ranges_tab:ranges_page",
        frozenset({"ranges", "ops", "calls"}),
        has_data=lambda report: len(report.ranges) > 0,
        digit=False,
    ),
    Tab("Events", "events_tab:events_page", digit=False, lists_events=True),
)
"""Every tab in order."""


def numbered(report: Report | None, tabs: Sequence[Tab] = TABS) -> dict[str, Tab]:
    """Return the tabs by digit: all where they are few enough, else the first that have data."""
    return dict(zip(DIGITS, (tab for tab in offered(report, tabs) if tab.digit), strict=False))


def offered(report: Report | None, tabs: Sequence[Tab] = TABS, current: Tab | None = None) -> Sequence[Tab]:
    """Return the tabs that a row of them names: all where they are few enough, else those that have data.

    ``current`` is always among them.
    """
    if report is None or sum(tab.digit for tab in tabs) <= len(DIGITS):
        return tabs
    return [tab for tab in tabs if tab is current or _may_have_data(tab, report)]


def _may_have_data(tab: Tab, report: Report) -> bool:
    """Whether a tab has data, or waits for some that is still being read: its digit must not change then."""
    return tab.has_data(report) or bool(tab.needs and tab.needs & report.loading)


def tab_named(name: str, tabs: Sequence[Tab] = TABS) -> Tab | None:
    """Return the tab of that name, in any case; None where there is none."""
    return next((tab for tab in tabs if tab.name.casefold() == name.casefold()), None)
