"""The shape of a table that is read on demand, and of what comes of reading it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import numpy as np

from tui.report.columns import Array, DerivedColumns
from tui.report.data import Doubtful, Strings


class Times(Enum):
    """When the rows of a table happened. Rows whose times can't be true are left out."""

    INTERVAL = "interval"
    """From ``start`` to ``end``."""
    OPEN = "open"
    """The same, but ``end`` may be NULL: it was still going on when the capture ended."""
    INSTANT = "instant"
    """At ``start``."""
    NONE = "none"
    """At no time: facts about other tables. The rows keep the file's order."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the export that say it."""
        return {Times.INSTANT: ("start",), Times.NONE: ()}.get(self, ("start", "end"))


@dataclass(frozen=True)
class ExtraTable:
    """A table of the export, and the columns of it that are wanted. Any of them may be missing."""

    source: str
    """Its name in the export."""
    times: Times
    integers: tuple[str, ...] = ()
    reals: tuple[str, ...] = ()
    """Columns of floating-point numbers; SQLite stores whole ones as integers."""
    names: tuple[str, ...] = ()
    """Columns with ids of StringIds."""
    texts: tuple[str, ...] = ()
    """Columns with texts of their own."""
    blobs: tuple[str, ...] = ()
    """Columns with bytes, read as they are stored: :meth:`~tui.report.data.Strings.raw` gives them."""
    present: tuple[str, ...] = ()
    """Only rows in which one of these columns is not NULL are read; none if the export has none of them."""
    only: tuple[str, tuple[int, ...]] | None = None
    """A column, and the values that it has in rows that are read; without that column none are."""

    @property
    def fields(self) -> dict[str, np.dtype[Any]]:
        """The columns of :class:`ExtraRows` and their types."""
        kinds = {
            np.int64: ("rowid", *self.times.columns, *self.integers),
            np.float64: self.reals,
            np.int32: (*self.names, *self.texts, *self.blobs),
        }
        return {name: np.dtype(kind) for kind, names in kinds.items() for name in names}


@dataclass(frozen=True)
class ExtraRows:
    """The trusted rows of an :class:`ExtraTable`, by start (equal ones in the file's order)."""

    columns: Mapping[str, Array]
    """All that the table names, with ``rowid`` and its times; all of one length. Integers are NULL, reals NaN
    where the export has none; names, texts and blobs are positions in :attr:`strings`, -1 for none."""
    strings: Strings
    """In the order of the export's string table."""
    doubtful: tuple[Doubtful, ...] = ()

    def __len__(self) -> int:
        return len(self.columns["rowid"])

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def texts(self, column: str) -> list[str | None]:
        """The texts of a column, one a row: for small tables."""
        return [self.strings[code] if code >= 0 else None for code in self[column].tolist()]

    @property
    def left_out(self) -> int:
        """How many rows are not here because their times can't be true."""
        return sum(doubt.count for doubt in self.doubtful if doubt.excluded)


Reader = Callable[[Any, Any, Callable[[str, Array], None]], dict[str, Any]]
"""Gets the open file (a Source), room for what is on its way (a Spool) and what keeps an array under a name;
returns facts about the arrays."""


class ExtraSource(Protocol):
    """Reads the tables of one export."""

    def read(self, table: ExtraTable, *, keep: bool = True) -> ExtraRows:
        """Read a table that exists. Raises ReportError where the export is damaged or has changed.

        ``keep``: whether it is kept for the next time.
        """

    def derived(self, name: str, version: int, read: Reader) -> DerivedColumns:
        """What ``read`` makes of the export's own tables, kept as ``name`` for the next time.

        ``version`` goes up whenever ``read`` makes it in another way. Raises ReportError like :meth:`read`.
        """


def no_rows(table: ExtraTable) -> ExtraRows:
    """What there is of a table that the export does not have."""
    columns = {name: np.empty(0, kind) for name, kind in table.fields.items()}
    return ExtraRows(columns, Strings(np.empty(0, np.uint8), np.zeros(1, np.int64)))
