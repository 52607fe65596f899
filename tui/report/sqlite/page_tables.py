"""Tables read straight from their pages: the fast way, for tables that are as nsys writes them.

A table qualifies if it is an ordinary rowid table of a UTF-8 file and no wanted column has a default or a
floating-point affinity. Whatever does not, any page that looks odd, and each record so long that it goes
on in other pages, is for SQLite to read, which has the last word on what is damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui.report.sqlite.pages import Pages, Unreadable
from tui.report.sqlite.records import Decoded, RecordLayout, decode
from tui.report.sqlite.texts import Texts


@dataclass(frozen=True)
class TableShape:
    """What SQLite says of a table: enough to know how its records look."""

    root: int
    columns: tuple[str, ...]
    types: tuple[str, ...]
    defaults: tuple[object, ...]
    keys: tuple[int, ...]
    sql: str


def layout_of(shape: TableShape, ints: Sequence[str], texts: Sequence[str]) -> RecordLayout | None:
    """Where the columns are in the records; None where only SQLite can read the table."""
    if re.search(
        r"\bWITHOUT\s+ROWID\b|\bGENERATED\b|\bVIRTUAL\b|\bDESC\b|\bAS\s*\(", shape.sql, re.IGNORECASE
    ):
        return None
    wanted = [shape.columns.index(c) for c in (*ints, *texts)]
    if any(shape.defaults[i] is not None or _affinity_changes(shape.types[i]) for i in wanted):
        return None
    keys = [i for i, key in enumerate(shape.keys) if key]
    alias = keys[0] if len(keys) == 1 and shape.types[keys[0]].upper() == "INTEGER" else None
    return RecordLayout(tuple(wanted[: len(ints)]), tuple(wanted[len(ints) :]), alias)


def _affinity_changes(kind: str) -> bool:
    """Whether SQLite shows stored integers of such a column as floating-point numbers."""
    kind = kind.upper()
    if "INT" in kind or any(part in kind for part in ("CHAR", "CLOB", "TEXT", "BLOB")):
        return False
    return any(part in kind for part in ("REAL", "FLOA", "DOUB"))


def rows_of(pages: Pages, root: int, layout: RecordLayout) -> Iterator[Decoded]:
    """Blocks of rows in the order of their ids. Raises Unreadable before any block that is not simple."""
    if layout.texts and not pages.utf8:
        raise Unreadable("text is not UTF-8")
    last: int | None = None
    for numbers, block in pages.blocks(pages.leaves(root)):
        found = decode(pages, block, len(numbers), layout)
        if not len(found.rowid):
            continue
        if (found.rowid[1:] <= found.rowid[:-1]).any() or (last is not None and int(found.rowid[0]) <= last):
            raise Unreadable("rows out of order")
        last = int(found.rowid[-1])
        yield found


def texts_of(found: Decoded, column: int) -> Texts:
    """The texts of one column of a block."""
    return Texts(found.block, found.text_start[column], found.text_size[column])
