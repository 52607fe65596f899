"""From a row of a summary to the events that it sums up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.stats.select import in_window, narrowed, take
from tui.browse.page import Instances
from tui.browse.pages.request import PageRequest
from tui.report.model import Strings


def named_instances(
    asked: PageRequest,
    table_name: str,
    name: str,
    spell: Callable[[str], str] | None = None,
    keep: NDArray[np.bool_] | None = None,
) -> Instances | None:
    """The events of a table in the window whose name, as ``spell`` writes it, is ``name``; by start.

    ``keep``: which rows of the whole table may count.
    """
    table: Any = getattr(asked.capture.report, table_name)
    rows = in_window(table.start, table.end, asked.window)
    names = take(table.name, rows)
    wanted = _ids(asked.capture.report.strings, np.unique(names), name, spell)
    mask = np.isin(names, wanted)
    if keep is not None:
        mask &= take(keep, rows)
    found = narrowed(rows, mask)
    return instances(table_name, table, found)


def instances(table_name: str, table: Any, found: NDArray[np.intp]) -> Instances | None:
    """Rows ``found`` of a table as instances; None for none."""
    if not len(found):
        return None
    return Instances(table_name, found.astype(np.int64), table.start[found], table.end[found])


def _ids(
    strings: Strings, used: NDArray[np.integer], name: str, spell: Callable[[str], str] | None
) -> list[int]:
    return [int(i) for i in used if i >= 0 and (spell or str)(strings[int(i)]) == name]


def in_scope(asked: PageRequest, table: Any) -> NDArray[np.intp]:
    """Positions of the rows that overlap the window."""
    rows = in_window(table.start, table.end, asked.window)
    return np.arange(len(table)) if isinstance(rows, slice) else rows
