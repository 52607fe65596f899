"""A rule, and what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.std9 import ident, time
from tui.analysis.table import Column, Table
from tui.report.columns import Int64


@dataclass(frozen=True)
class RuleFinding:
    """What a rule found: the rows, and how much time they take altogether."""

    rule: Rule
    table: Table
    total_ns: int


@dataclass(frozen=True)
class Rule:
    """A rule: what it searches for, why that is slow, and what to do about it."""

    name: str
    title: str
    compute: Callable[[Index, Choices], RuleFinding]
    needs: str
    """The data that it needs, as in ``does not contain NEEDS data``."""
    has_data: Callable[[Index, Scope], bool]
    means: str
    advice: str
    differs: str
    options: tuple[str, ...] = ()
    """Options after its name that not every rule takes: see `tui.analysis.rules.options`."""

    def finding(
        self,
        start: Int64,
        duration: Int64,
        after: tuple[Column, ...],
        before: tuple[Column, ...] = (),
        *,
        order: NDArray[np.integer] | None = None,
        numbered: bool = False,
    ) -> RuleFinding:
        """Return a finding with columns before and after the times.

        ``order``: the order of the rows; None: longest first, then by start. ``numbered``: the first column
        counts the rows.
        """
        columns = (*before, time("Duration (ns)", duration), time("Start (ns)", start), *after)
        table = Table(self.name, self.title, columns)
        table = table.ordered(np.lexsort((start, -duration)) if order is None else order)
        if numbered:
            numbers = ident("Row#", np.arange(1, len(table) + 1), rank=2)
            table = replace(table, columns=(numbers, *table.columns))
        return RuleFinding(self, table, int(duration.astype(object).sum()))
