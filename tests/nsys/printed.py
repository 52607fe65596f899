"""What nsys printed for the real exports, and the tables of ours that belong beside it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tests.stats.conftest import table_of
from tests.support.real import REAL
from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.rules import RULES
from tui.analysis.stats import REPORTS
from tui.analysis.table import Table
from tui.analysis.window import make_scope
from tui.output.json_text import values
from tui.output.text_layout import TextLayout
from tui.report import Report, open_report

PRINTED = REAL / "expected" / "nsys-2023.4.4"
EXPORTS = sorted(path.name.removesuffix(".json.gz") for path in PRINTED.glob("*.json.gz"))

Row = dict[str, Any]

LIMITS = {"gpu_gaps_1ms": {"gap_ns": 1_000_000}, "gpu_time_util_200_80": {"chunks": 200, "busy_pct": 80}}
"""The thresholds of the rules that nsys was asked again with others than its own."""


def blank(cell: Any) -> Any:
    """A cell as plain Python has it; an empty text, which prints as an unknown value does, is None."""
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return None if plain == "" else plain


@dataclass(frozen=True)
class Printed:
    """The rows of one report or rule as nsys printed them."""

    export: str
    report: str
    rows: list[Row]
    """The first ones, in their order; blank cells are None."""
    count: int
    """How many there are altogether."""
    patched: bool = False
    """Whether nsys only read a copy of the export, with the tables and columns added that it insists on."""


class Walked:
    """One export: what nsys printed for it, and what we print."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def path(self) -> Path:
        return REAL / f"{self.name}.sqlite"

    @cached_property
    def printed(self) -> dict[str, Printed]:
        """What nsys printed, by report and rule; reports that it printed no row of are there, empty."""
        with gzip.open(PRINTED / f"{self.name}.json.gz", "rt", encoding="utf-8") as file:
            found = json.load(file)
        kinds = (
            ("reports", "row_counts", False),
            ("reports_after_adding_tables", "row_counts_after_adding_tables", True),
            ("rules", "rule_row_counts", bool(found.get("added"))),
        )
        every = {name: Printed(self.name, name, [], 0) for name in (*REPORTS, *RULES, *LIMITS)}
        for rows, counts, patched in kinds:
            for name, printed in found.get(rows, {}).items():
                cells = [{column: blank(value) for column, value in row.items()} for row in printed]
                every[name] = Printed(self.name, name, cells, found[counts][name], patched)
        return every

    @cached_property
    def report(self) -> Report:
        return open_report(self.path, use_store=False)

    def ours(self, name: str) -> Rows:
        """Our rows of a report or rule."""
        rule = name if name in RULES else next((rule for rule in RULES if name.startswith(rule)), None)
        if rule is None:
            return Rows(table_of(self.report, name))
        choices = Choices(make_scope(self.report), limits=LIMITS.get(name, {}))
        return Rows(RULES[rule].compute(Index(self.report), choices).table)


class Rows:
    """The rows of a table as JSON has them, made when they are asked for."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.headers = [column.header for column in table.columns]

    def __len__(self) -> int:
        return len(self._table)

    def first(self, number: int) -> list[Row]:
        """The first rows, as many as there are of ``number``."""
        cells = (
            list(map(blank, values(c, TextLayout(), 0, min(number, len(self))))) for c in self._table.columns
        )
        return [dict(zip(self.headers, row, strict=True)) for row in zip(*cells, strict=True)]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.first(len(self)))
