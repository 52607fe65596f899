"""Stacks as lines that flame-graph tools read: ``main;step;gemm 12``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.flame import RangeTree
from tui.analysis.table import Table, unknown
from tui.report.columns import Positions
from tui.text import safe


def folded_lines(table: Table) -> Iterator[str]:
    """One line a row of a table of stacks; what tells rows apart (thread, phase...) comes before the root."""
    names = [column.key for column in table.columns]
    apart = names[: names.index("name")]
    for row in table.rows():
        cells = dict(zip(names, row, strict=True))
        before = ["-" if unknown(cells[key]) else safe(str(cells[key])).replace(";", ":") for key in apart]
        yield f"{';'.join([*before, safe(cells['name'] or '-')])} {cells['samples']}\n"


def folded_ranges(tree: RangeTree, by: str, nodes: Positions) -> Iterator[str]:
    """One line a path of ranges: its labels and the time (ns) that is no child's, where there is any.

    What is left out of ``nodes`` below a path counts for the path.
    """
    own, above = tree.own(by).copy(), tree.parent.tolist()
    kept = np.zeros(len(tree), bool)
    kept[nodes] = True
    for node in range(len(tree) - 1, -1, -1):  # children come after their parents
        if not kept[node] and above[node] >= 0:
            own[above[node]] += own[node]
    for node in nodes.tolist():
        if own[node] > 0:
            labels = (safe(label).replace(";", ":") for label in tree.path(node))
            yield f"{';'.join(labels)} {int(own[node])}\n"
