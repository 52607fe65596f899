"""Reads a table that is wanted now, with the means of an import: the same trust, the same doubts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from tui.report.columns import NULL, Array, Int32, Int64, UInt8
from tui.report.extra.extra_table import ExtraTable, Times
from tui.report.importing.context import Context
from tui.report.importing.doubts import DANGLING_NAME, Doubts
from tui.report.importing.name_pool import NamePool, StringTable
from tui.report.importing.table_rows import TableRows
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.pages import PADDING
from tui.report.sqlite.source import Source
from tui.report.sqlite.texts import Texts

BLOB, OFFSETS = "strings.blob", "strings.offsets"
DOUBTFUL = "doubtful"

Put = Callable[[str, Array], None]


def read_extra(table: ExtraTable, source: Source, spool: Spool, put: Put) -> dict[str, Any]:
    """Read ``table`` and hand its columns to ``put``, and the blob and offsets of its strings.

    Returns the facts about them. Raises ReportError for a damaged file.
    """
    pool = NamePool(spool.keep)
    doubts = Doubts()
    strings = StringTable.read(source, pool, doubts) if table.names else StringTable.none()
    context = Context(source, Meter(), spool, doubts, pool, strings)
    wanted = (*table.times.columns, *table.integers, *table.names)
    integers = list(dict.fromkeys(wanted))
    rows = TableRows.read(
        context, table.source, integers, table.texts, table.reals, table.blobs, table.present, table.only
    )
    if table.times is not Times.NONE:
        instants, is_open = table.times is Times.INSTANT, table.times is Times.OPEN
        rows = rows.trusted(context.doubts, instants=instants, open_end=is_open).by_start()
    for column in ("rowid", *table.times.columns, *table.integers):
        put(column, _whole(rows, column, context))
    for column in table.reals:
        missing = int(np.float64(np.nan).view(np.int64))
        put(column, _whole(rows, column, context, missing))
    codes = {column: _names(rows, column, context) for column in table.names}
    stored = (*table.texts, *table.blobs)
    codes |= {column: _whole(rows, column, context, -1).astype(np.int32) for column in stored}
    used = np.unique(np.concatenate([np.empty(0, np.int32), *codes.values()]))
    used = used[used >= 0]
    for column, values in codes.items():
        put(column, np.where(values < 0, -1, np.searchsorted(used, values)).astype(np.int32))
    blob, offsets = _strings(pool, used)
    put(BLOB, blob)
    put(OFFSETS, offsets)
    return {DOUBTFUL: [asdict(doubt) for doubt in context.doubts.listed()]}


def _whole(rows: TableRows, column: str, context: Context, default: int = NULL) -> Int64:
    return context.spool.gathered(np.int64, rows.blocks(column, default))


def _names(rows: TableRows, column: str, context: Context) -> Int32:
    """The pool index of each row's name, -1 for NULL; an id that no string has gets a placeholder."""
    ids = _whole(rows, column, context)
    found = context.strings.find(ids)
    dangling = np.flatnonzero((found < 0) & (ids != NULL))
    if len(dangling):
        first = dangling[0]
        example = f"row {rows.reader('rowid')(int(first), int(first) + 1)[0]}: {column} {ids[first]}"
        context.doubts.add(DANGLING_NAME, rows.table, len(dangling), example, excluded=False)
        distinct, inverse = np.unique(ids[dangling], return_inverse=True)
        placeholders = [f"(name {number} is not in the export)" for number in distinct.tolist()]
        found = found.copy()
        found[dangling] = context.pool.intern_all(placeholders)[inverse.reshape(-1)]
    return found


def _strings(pool: NamePool, used: Int32) -> tuple[UInt8, Int64]:
    """The bytes of some texts of a pool one after the other, and where each begins."""
    blob = np.concatenate([*pool.blobs(), np.zeros(PADDING, np.uint8)])
    places = _joined(pool.offsets())
    size = places[used + 1] - places[used]
    return Texts(blob, places[used], size).packed(), np.concatenate([[0], np.cumsum(size)])


def _joined(parts: Iterable[Int64]) -> Int64:
    return np.concatenate(list(parts))
