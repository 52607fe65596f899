"""What all steps of one import share."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report.importing.doubts import Doubts
from tui.report.importing.name_pool import NamePool, StringTable
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source


@dataclass(frozen=True)
class Context:
    """Where an import reads, what it collects, and who hears of its progress."""

    source: Source
    meter: Meter
    spool: Spool
    doubts: Doubts
    pool: NamePool
    strings: StringTable

    @classmethod
    def of(cls, source: Source, meter: Meter, spool: Spool) -> Context:
        pool, doubts = NamePool(spool.keep), Doubts()
        return cls(source, meter, spool, doubts, pool, StringTable.read(source, pool, doubts))
