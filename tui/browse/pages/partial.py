"""What the pane tells while the report is still being read: no figure that more of it would change unsaid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tui.browse.page import Page, Section
from tui.browse.pages.overview_tab import busy_section, longest_section
from tui.browse.pages.request import PageRequest
from tui.timeline.coming import coming_words

NEEDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Kernels": frozenset(),
        "Copies": frozenset(),
        "NVTX": frozenset({"ranges"}),
        "API": frozenset({"calls"}),
        "OS": frozenset({"os_calls"}),
    }
)
"""Fields of the report that a tab is about; tabs that are not named need all."""


def partial_page(name: str, asked: PageRequest, build: Callable[[PageRequest], Page]) -> Page:
    """Tab ``name`` as far as it can be told; ``build`` builds it whole."""
    loading = asked.capture.loading
    words = coming_words(loading)
    if name == "Overview":
        page = _overview(asked)
    elif missing := NEEDS.get(name, loading) & loading:
        page = Page(asked.label, (Section(name, lines=(f"waits for {coming_words(missing)}",)),))
    else:
        page = build(asked)
    coming = Section(f"Still loading {words}", lines=("figures are partial until it is there",))
    return replace(page, sections=(coming, *page.sections))


def _overview(asked: PageRequest) -> Page:
    """How busy each device is, and the longest gaps, their reasons still open."""
    idle = asked.capture.idle(asked.window, asked.busy, asked.min_gap_ns)
    asked.go_on()
    return Page(asked.label, (busy_section(asked, idle), *([longest_section(asked, idle)] if idle else [])))
