"""What programs say of an event through NVTX: names that they gave, payloads, the operations of NCCL."""

from __future__ import annotations

import numpy as np

from tui.analysis.given_names import category_name, given_names
from tui.analysis.index import Index
from tui.analysis.nccl.calls import RANKS, SIZE, has_calls
from tui.analysis.nccl.kernels import carried
from tui.analysis.payloads.reading import may_read_now, payloads
from tui.browse.page import Pairs
from tui.report.columns import NULL
from tui.text import safe
from tui.text.numbers import plural, show_size

SHOWN_FIELDS = 12
"""Fields of a payload that details list."""
LABELS = frozenset({"Sum", "Product", "Max", "Min", "Avg"})
"""Texts of payloads that are no secrets: NCCL's names of reductions."""


def nvtx_pairs(index: Index, table: str, row: int) -> Pairs:
    """The labels and values that NVTX adds to the details of an event, safe for a screen."""
    if table in ("ranges", "marks"):
        return [*_category(index, table, row), *_payload(index, table, row)]
    return [*_given(index, row), *_operations(index, row)] if table == "ops" else []


def _category(index: Index, table: str, row: int) -> Pairs:
    if table != "ranges":
        return []
    report, ranges = index.report, index.report.ranges
    number = int(ranges.category[row])
    if number in (0, NULL):
        return []
    name = category_name(report, int(ranges.thread[row]), int(ranges.domain[row]), number)
    return [("category is", safe(name))] if name else []


def _payload(index: Index, table: str, row: int) -> Pairs:
    """The numbers of a payload. What it holds as text may be a secret: only its length is told."""
    events = index.report.ranges if table == "ranges" else index.report.marks
    pairs: Pairs = []
    if not may_read_now(index.report):
        return pairs
    for name, value in payloads(index).of(int(events.rowid[row])).items():
        if isinstance(value, str) and value not in LABELS:
            words = f"a text of {plural(len(value), 'character')}"
        elif name == SIZE and isinstance(value, int):
            words = show_size(value)
        else:
            words = str(value)
        pairs.append((safe(name), words))
    more = len(pairs) - SHOWN_FIELDS
    return pairs[:SHOWN_FIELDS] + ([("payload", f"and {plural(more, 'field')} more")] if more > 0 else [])


def _given(index: Index, row: int) -> Pairs:
    report, ops = index.report, index.report.ops
    given = given_names(report)
    if not given:
        return []
    device, process, context, stream = (
        int(column[row]) for column in (ops.device, ops.process, ops.context, ops.stream)
    )
    found = (
        ("device is", given.device(report, device) if device >= 0 else None),
        ("context is", given.context(report, device, process, context)),
        ("stream is", given.stream(report, device, process, context, stream)),
    )
    return [(label, safe(name)) for label, name in found if name]


def _operations(index: Index, row: int) -> Pairs:
    """What a kernel of NCCL carries out."""
    if not index.communicates[row] or not has_calls(index):
        return []
    found = carried(index, np.array([row], np.intp))
    operations, size, ranks, communicator = (
        int(column[0]) for column in (found.operations, found.size, found.ranks, found.communicator)
    )
    pairs: Pairs = []
    if operations != NULL:
        pairs.append(("operations", f"{operations:,}"))
    if size != NULL:
        pairs.append((SIZE, show_size(size)))
    if communicator != NULL:
        pairs.append(("communicator", f"{communicator:#x}"))
    if ranks != NULL:
        pairs.append((RANKS, f"{ranks:,}"))
    return pairs
