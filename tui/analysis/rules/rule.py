"""The shape of a rule, and of a threshold that a user may set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.table import Column, Table
from tui.report.columns import Int64


@dataclass(frozen=True)
class Limit:
    """A threshold of a rule; an option of ``nsystui analyze`` sets it."""

    name: str
    """In :attr:`Choices.limits`."""
    option: str
    metavar: str
    default: str
    """As it is typed, and what nsys has."""
    about: str
    parse: Callable[[str], int] = int
    least: int = 0
    most: int | None = None

    def of(self, choices: Choices) -> int:
        """The value that is chosen, or the default one."""
        chosen: int = choices.limits.get(self.name, self.parse(self.default))
        return chosen


@dataclass(frozen=True)
class RuleFinding:
    """What a rule found: the rows, and how much time they take altogether."""

    rule: Rule
    table: Table
    total_ns: int


@dataclass(frozen=True)
class Rule:
    """One rule: what it looks for, why that is bad, and what to do about it."""

    name: str
    title: str
    compute: Callable[[Index, Choices], RuleFinding]
    needs: str
    """The data without which it can't be judged, as in ``does not contain NEEDS data``."""
    has_data: Callable[[Index, Scope], bool]
    means: str
    advice: str
    differs: str
    limits: tuple[Limit, ...] = ()
    """The thresholds that it reads."""

    def finding(self, columns: tuple[Column, ...], duration: Int64, start: Int64) -> RuleFinding:
        """The rows of these columns, longest first, then by start."""
        table = Table(self.name, self.title, columns).ordered(np.lexsort((start, -duration)))
        return RuleFinding(self, table, int(duration.astype(object).sum()))
