"""What lies behind the reasons for gaps: the file that was read, the work that was awaited."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.analysis.awaited import awaited_in_gaps, awaited_words
from tui.analysis.blame import BlameClass
from tui.analysis.blame_rows import BlameRows
from tui.analysis.files.reads_in import reads_by_stretch
from tui.analysis.gaps import DeviceGaps
from tui.analysis.index import Index


def words_beside(index: Index, gaps: DeviceGaps, rows: BlameRows) -> Sequence[str | None]:
    """For each row of a device's blame what it was about, safe for a screen; None where nothing is known.

    An OS call: ``read 212 MB of shard_17.tar at 0.9 GB/s``; queued work: ``queued for stream 13: gemm``.
    """
    found: list[str | None] = [None] * len(rows)
    system = np.flatnonzero((rows.cause == BlameClass.OS_CALL) & (rows.thread >= 0))
    gap = rows.gap[system]
    reads = reads_by_stretch(index, gaps.start[gap], gaps.end[gap], rows.thread[system])
    for row, files in zip(system.tolist(), reads, strict=True):
        if files and 2 * sum(file.ns for file in files) > int(rows.ns[row]):
            found[row] = files[0].words
    awaited = awaited_in_gaps(index, gaps, rows)
    for row in np.flatnonzero(rows.cause == BlameClass.QUEUED).tolist():
        if (work := awaited[int(rows.gap[row])]) is not None:
            found[row] = f"queued for {awaited_words(index, work)}"
    return found
