"""The columns of a report of which a part is still to come."""

from __future__ import annotations

import numpy as np

from tui.report.assemble import dtype_of
from tui.report.columns import Array, ColumnSink
from tui.report.importing.name_pool import NamePool
from tui.report.spool import Spool


class PartialColumns:
    """Gives the columns of ``sink`` that are written, and empty ones for the rest.

    ``instead`` has the columns that are known now and change before the import ends.
    """

    def __init__(self, sink: ColumnSink, instead: dict[str, Array]) -> None:
        self._sink = sink
        self._instead = instead

    def add_launch(self, launch: Array | None) -> None:
        """The launch of each op; None: none is known yet."""
        ops = len(self._sink.get("ops.start"))
        self._instead["ops.launch"] = np.broadcast_to(np.int32(-1), ops) if launch is None else launch

    def add_strings(self, pool: NamePool, spool: Spool) -> None:
        """The names so far: those to come get higher indices."""
        self._instead["strings.blob"] = spool.gathered(np.uint8, pool.blobs())
        self._instead["strings.offsets"] = spool.gathered(np.int64, pool.offsets())

    def get(self, name: str) -> Array:
        if name in self._instead:
            return self._instead[name]
        try:
            return self._sink.get(name)
        except KeyError:
            return np.empty(0, dtype_of(name))
