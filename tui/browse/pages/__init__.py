"""The side pane's tabs: each builds its page from the figures that the commands print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from tui.browse.pages.request import PageRequest

if TYPE_CHECKING:
    from tui.browse.page import Page

__all__ = ["PAGES", "PageRequest", "partial_page"]


def _page(module: str, function: str) -> Callable[[PageRequest], Page]:
    """The builder ``function`` of ``module``, imported when it is first asked: no frame waits for it."""

    def build(asked: PageRequest) -> Page:
        page: Page = getattr(import_module(f"{__name__}.{module}"), function)(asked)
        return page

    return build


PAGES: Mapping[str, Callable[[PageRequest], Page]] = MappingProxyType(
    {
        "Overview": _page("overview_tab", "overview_page"),
        "Blame": _page("blame_tab", "blame_page"),
        "Kernels": _page("sums_tabs", "kernels_page"),
        "Copies": _page("sums_tabs", "copies_page"),
        "NVTX": _page("sums_tabs", "nvtx_page"),
        "API": _page("sums_tabs", "api_page"),
        "OS": _page("sums_tabs", "os_page"),
        "Steps": _page("steps_tab", "steps_page"),
        "Diagnosis": _page("diagnosis_tab", "diagnosis_page"),
    }
)
"""Every tab in order, and what builds it. Builders run on the worker thread, with the capture's lock held."""


def partial_page(name: str, asked: PageRequest) -> Page:
    """What tab ``name`` can tell of a report that is still being read."""
    page: Page = import_module(f"{__name__}.partial").partial_page(name, asked, PAGES[name])
    return page
