"""The side pane's tabs: each builds its page from the figures that the commands print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tui.app.pages.asked import Asked
from tui.app.pages.gaps import blame_page
from tui.app.pages.overview import overview_page
from tui.app.pages.steps import steps_page
from tui.app.pages.sums import api_page, copies_page, kernels_page, nvtx_page, os_page
from tui.app.rows import Page

__all__ = ["PAGES", "Asked"]

PAGES: Mapping[str, Callable[[Asked], Page]] = MappingProxyType(
    {
        "Overview": overview_page,
        "Blame": blame_page,
        "Kernels": kernels_page,
        "Copies": copies_page,
        "NVTX": nvtx_page,
        "API": api_page,
        "OS": os_page,
        "Steps": steps_page,
    }
)
"""Every tab in order, and what builds it. Builders run on the worker thread, with the capture's lock held."""
