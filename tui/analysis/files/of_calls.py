"""The files that one OS call accessed."""

from __future__ import annotations

import numpy as np

from tui.analysis.files.accesses import Access, readable_accesses
from tui.analysis.index import Index
from tui.report.columns import NULL
from tui.text import safe
from tui.text.numbers import show_size

SHOWN = 3
"""The most files that are named."""
_VERBS = {
    Access.OPEN: "opened", Access.CLOSE: "closed", Access.READ: "read", Access.WRITE: "written",
}  # fmt: skip


def words_of_call(index: Index, call: int) -> list[str]:
    """What an OS call (position in ``Report.os_calls``) did to files, safe for a screen; nothing: no file."""
    calls, found = index.report.os_calls, readable_accesses(index)
    start, end, thread = int(calls.start[call]), int(calls.end[call]), int(calls.thread[call])
    low = np.searchsorted(found.start, start, "left")
    high = np.searchsorted(found.start, end, "right")
    mine = np.arange(low, high)
    mine = mine[(found.thread[mine] == thread) & (found.end[mine] <= end) & (thread >= 0)]
    return [_words(index, int(row)) for row in mine[:SHOWN].tolist()]


def _words(index: Index, row: int) -> str:
    found = readable_accesses(index)
    file, size, took = int(found.file[row]), int(found.bytes[row]), int(found.end[row] - found.start[row])
    kind = Access(int(found.kind[row]))
    name = safe(found.paths[file]) if file >= 0 else "a file that the export does not name"
    words = [_VERBS.get(kind, "accessed")]
    if kind in (Access.READ, Access.WRITE):
        words.append("? B" if size == NULL else show_size(size))
        if size > 0 and took > 0:
            words.append(f"{1000 * size / took:.1f} MB/s")
    return f"{name} · {', '.join(words)}"
