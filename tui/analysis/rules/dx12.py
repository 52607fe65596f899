"""Operations on the memory of Direct3D 12 that cost more than they need to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import that_fit
from tui.analysis.index import Index
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import rows_in_scope, tids
from tui.analysis.stats.std9 import ident, text
from tui.report.columns import NULL, Bool, Int64
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import DX12_API, DX12_MEMORY_OPERATIONS

CREATE_NOT_ZEROED = 0x1000
UPLOAD_HEAP, READBACK_HEAP = 1, 2
WRITE_COMBINE, WRITE_BACK = 2, 3
"""What the export calls kinds of heaps, and properties of CPU pages."""

WARNINGS = (
    "D3D12_HEAP_CREATED_WITH_ZEROING",
    "D3D12_COMMITTED_RESOURCE_CREATED_WITH_ZEROING",
    "D3D12_READ_FROM_UPLOAD_HEAP_SUBRESOURCE",
    "D3D12_READ_FROM_SUBRESOURCE_TO_WRITE_COMBINE_PAGE",
    "D3D12_WRITE_TO_READBACK_HEAP_SUBRESOURCE",
    "D3D12_WRITE_TO_SUBRESOURCE_FROM_WRITE_BACK_PAGE",
)


def has_operations(index: Index, scope: Scope) -> bool:
    """Return whether operations on memory were recorded."""
    return len(index.report.extra_rows(DX12_MEMORY_OPERATIONS)) > 0


def dx12_mem_ops(index: Index, choices: Choices) -> RuleFinding:
    """List the operations that deserve a warning."""
    report = index.report
    operations, calls = report.extra_rows(DX12_MEMORY_OPERATIONS), report.extra_rows(DX12_API)
    inside = rows_in_scope(report, choices.scope, calls, "globalTid")
    call = _calls_of(operations["traceEventId"], calls["id"], inside)
    warning = np.full(len(operations), -1, np.int64)
    joined = np.flatnonzero(call >= 0)
    warning[joined] = _warnings(operations, joined, _names(calls, call[joined]))
    rows = np.flatnonzero(warning >= 0)
    rows = rows[
        np.lexsort((operations["rowid"][rows], calls["start"][call[rows]] - calls["end"][call[rows]]))
    ]
    start, end = calls["start"][call[rows]], calls["end"][call[rows]]
    columns = (
        ident("TID", tids(calls["globalTid"][call[rows]])),
        ident("Device ID", operations["gpu"][rows]),
        text("Warning Type", [WARNINGS[i] for i in warning[rows].tolist()]),
    )
    return DX12_MEM_OPS.finding(start, end - start, columns, order=np.arange(len(rows)))


DX12_MEM_OPS = Rule(
    "dx12_mem_ops",
    "Costly Direct3D 12 memory operations",
    dx12_mem_ops,
    "DX12 memory operation",
    has_operations,
    "Heaps and committed resources were created with zeroing, memory of an upload heap or of write-combined "
    "pages was read, or memory of a readback heap or of write-back pages was written.",
    "Create heaps and resources with D3D12_HEAP_FLAG_CREATE_NOT_ZEROED. Read from readback heaps (write-back "
    "pages), write to upload heaps (write-combined pages).",
    "Same rows as nsys, in its order: longest first, then as recorded. Nsys documents warnings on Map and "
    "Unmap, too, but release 2023.4 lists none of them, and no more does this rule.",
)


def _calls_of(ids: Int64, call_ids: Int64, inside: Int64) -> Int64:
    """The place of the call with each of these ids among those ``inside``; -1 for none."""
    order = inside[np.argsort(call_ids[inside], kind="stable")]
    place = np.searchsorted(call_ids[order], ids)
    found = np.append(order, -1)[place]
    known = (found >= 0) & (ids != NULL)
    known[known] = call_ids[found[known]] == ids[known]
    return np.where(known, found, -1)


def _names(calls: ExtraRows, rows: Int64) -> Callable[[Callable[[str], bool]], Bool]:
    """Return what tells of which of these calls the name fulfils a condition."""
    names = calls["nameId"][rows]
    return lambda fulfils: that_fit(names, lambda i: i >= 0 and fulfils(calls.strings[i]))


def _warnings(operations: ExtraRows, rows: Int64, named: Callable[[Callable[[str], bool]], Bool]) -> Int64:
    """The warning that each operation deserves, by position in :data:`WARNINGS`; -1 for none."""
    flags, heap, page = (operations[c][rows] for c in ("heapFlags", "heapType", "cpuPageProperty"))
    zeroed = (flags != NULL) & (flags & CREATE_NOT_ZEROED == 0)
    reads = named(lambda name: name == "ID3D12Resource::ReadFromSubresource")
    writes = named(lambda name: name == "ID3D12Resource::WriteToSubresource")
    deserved = (
        zeroed & named(lambda name: name.lower().startswith("id3d12device::createheap")),
        zeroed & named(lambda name: name.lower().startswith("id3d12device::createcommittedresource")),
        reads & (heap == UPLOAD_HEAP),
        reads & (page == WRITE_COMBINE),
        writes & (heap == READBACK_HEAP),
        writes & (page == WRITE_BACK),
    )
    return np.select(deserved, np.arange(len(deserved)), -1)
