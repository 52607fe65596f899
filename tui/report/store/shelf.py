"""What higher layers derive from a report, kept in the store beside its columns.

The store knows neither what it is nor how it is made: arrays by name and some facts, under a name
and a version of the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tui.report.columns import Array
from tui.report.store.columnfile import VERSION, ColumnReader, ColumnWriter
from tui.report.store.folder import DERIVED, Store, StoreUnusable

DerivedFacts = dict[str, Any]


class _Stopped(Exception):
    """Nobody waits for it any more."""


@dataclass(frozen=True)
class StoreShelf:
    """The place of one report in a store."""

    store: Store
    key: str

    def find(self, name: str, version: int) -> ColumnReader | None:
        """What was kept as ``name``: ``facts`` and ``get(array's name)``; None where nothing was."""
        return self.store.find(self.key, self._suffix(name, version))

    def keep(
        self,
        name: str,
        version: int,
        derive: Callable[[Callable[[str, Array], None]], DerivedFacts],
        cancelled: Callable[[], bool],
    ) -> ColumnReader | None:
        """Keep what ``derive`` hands to the function that it gets, and the facts that it returns.

        None where the store can't take it (the disk is full, the folder can't be written to, the
        report's own columns are gone) and where ``cancelled``, asked before each array, says so.
        """

        def put(name: str, values: Array) -> None:
            if cancelled():
                raise _Stopped
            writer.put(name, values)

        if self.store.find(self.key) is None:
            return None
        with (
            suppress(OSError, StoreUnusable, _Stopped),
            self.store.stream(self.key, self._suffix(name, version)) as (stream, publish),
        ):
            writer = ColumnWriter(stream)
            writer.finish(derive(put), self.store.folder)
            publish()
            return ColumnReader.of(stream)
        return None

    def _suffix(self, name: str, version: int) -> str:
        return f".{VERSION:08x}.{name}-{version}{DERIVED}"
