"""Stacks as lines that flame-graph tools read: ``main;step;gemm 12``."""

from __future__ import annotations

from collections.abc import Iterator

from tui.analysis.table import Table, unknown
from tui.text import safe


def folded_lines(table: Table) -> Iterator[str]:
    """One line a row of a table of stacks; what tells rows apart (thread, phase...) comes before the root."""
    names = [column.key for column in table.columns]
    apart = names[: names.index("name")]
    for row in table.rows():
        cells = dict(zip(names, row, strict=True))
        before = ["-" if unknown(cells[key]) else safe(str(cells[key])).replace(";", ":") for key in apart]
        yield f"{';'.join([*before, safe(cells['name'] or '-')])} {cells['samples']}\n"
