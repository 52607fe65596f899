"""What was done to files: who, when, to which, and how many bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from tui.analysis.damage import if_readable
from tui.analysis.index import Index
from tui.report.columns import NULL, Bool, Int64, Positions, distinct_values
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import FILE_ACCESSES, FILES
from tui.report.importing.global_ids import tid_of
from tui.report.model import Report


class Access(IntEnum):
    """What a call did to a file: of nsys's ENUM_OSRT_FILE_ACCESS_EVENT_TYPE what matters here."""

    OTHER = 0
    OPEN = 1
    CLOSE = 2
    READ = 3
    WRITE = 4


_LAST = 6
"""The last number of nsys's enum: several actions (5) and metadata (6) are other calls here."""
_NAMES = (
    (r"(?i)read|^recv|^f?get(c|s|line|delim)|scanf", Access.READ),
    (r"(?i)write|^f?put|printf|^send", Access.WRITE),
    (r"(?i)open", Access.OPEN),
    (r"(?i)close", Access.CLOSE),
)
"""What a call does by its name, where the export does not say it."""


LARGEST = 1 << 50
"""No call reads or writes more than a pebibyte: such a size is damage, and unknown."""


@dataclass(frozen=True)
class Accesses:
    """Accesses to files by start; arrays of one length."""

    start: Int64
    end: Int64
    thread: Positions
    """Position in ``Report.threads``; -1 unknown."""
    pid: Int64
    """The process that opened the file; NULL unknown."""
    file: Positions
    """Position in :attr:`paths`; -1 unknown."""
    kind: Int64
    """:class:`Access`."""
    bytes: Int64
    """Bytes read or written; NULL unknown."""
    paths: tuple[str, ...]
    left_out: int
    """Rows whose times can't be true."""

    def __len__(self) -> int:
        return len(self.start)

    def where(self, chosen: Bool | Positions) -> Accesses:
        """Some of the accesses."""
        columns = {name: getattr(self, name)[chosen] for name in _COLUMNS}
        return replace(self, **columns)


_COLUMNS = ("start", "end", "thread", "pid", "file", "kind", "bytes")


def file_accesses(index: Index) -> Accesses:
    """All accesses of a report. Raises ReportError as `Report.extra_rows` does."""
    return index.once("file accesses", lambda: _find(index.report))


def readable_accesses(index: Index) -> Accesses:
    """The same; none, and a note, where they can't be read."""
    return if_readable(index, "files that were accessed", lambda: file_accesses(index), no_accesses)


def no_accesses() -> Accesses:
    """What there is where nothing is known of files."""
    return Accesses(**{name: np.zeros(0, np.int64) for name in _COLUMNS}, paths=(), left_out=0)


def _find(report: Report) -> Accesses:
    rows, known = report.extra_rows(FILE_ACCESSES), report.extra_rows(FILES)
    start, end = rows["startedAt"], rows["endedAt"]
    good = np.flatnonzero((start != NULL) & (end != NULL) & (end >= start))
    good = good[np.argsort(start[good], kind="stable")]
    codes, files = np.unique(known["filePath"], return_inverse=True)
    path_of = files.reshape(-1) - int((codes == -1).any())  # -1 comes first where a path is missing
    paths = tuple(known.strings[code] for code in codes.tolist() if code >= 0)
    opened = _descriptors(known, rows["fileAccessId"][good], start[good])
    pid = np.append(known["processId"], NULL)[opened]
    size = rows["bytesProcessed"][good]
    return Accesses(
        start=start[good],
        end=end[good],
        thread=_threads(report, rows["threadId"][good], pid),
        pid=pid,
        file=np.append(path_of, -1)[opened],
        kind=_kinds(rows, good),
        bytes=np.where((size < 0) | (size > LARGEST), NULL, size),
        paths=paths,
        left_out=len(rows) - len(good),
    )


def _descriptors(known: ExtraRows, wanted: Int64, start: Int64) -> Positions:
    """The description of each access's file: the last with its number that was open by then; -1 none."""
    number, opened = known["fileAccessId"], known["openedAt"]
    order = np.lexsort((opened, number))
    number, opened = number[order], opened[order]
    low, high = np.searchsorted(number, wanted, "left"), np.searchsorted(number, wanted, "right")
    at = low.copy()
    later = at + 1
    opened = np.append(opened, NULL)
    while (step := (later < high) & (opened[np.minimum(later, len(number))] <= start)).any():  # few share one
        at[step] = later[step]
        later = later + 1
    return np.where((low < high) & (wanted != NULL), np.append(order, -1)[at], -1)


def _threads(report: Report, tid: Int64, pid: Int64) -> Positions:
    """The thread of each access: of the process that opened the file, where several have its number."""
    found = np.full(len(tid), -1, np.intp)
    sure = np.zeros(len(tid), bool)
    own = np.where(tid == NULL, NULL, tid_of(tid))
    wanted = set(distinct_values(own).tolist())
    for thread in report.threads:
        if thread.tid in wanted:
            mine = own == thread.tid
            exact = mine & (pid == thread.pid)
            found[exact | (mine & ~sure & (found < 0))] = thread.index
            sure |= exact
    return found


def _kinds(rows: ExtraRows, good: Positions) -> Int64:
    """What each access did: as the export says, else by the name of the call."""
    kind = rows["eventType"][good].copy()
    vague = (kind < Access.OPEN) | (kind > _LAST)
    kind[(kind < Access.OPEN) | (kind > Access.WRITE)] = Access.OTHER
    names = rows["apiCallId"][good]
    for code in distinct_values(names[vague & (names >= 0)]).tolist():
        text = rows.strings[code]
        told = next((access for pattern, access in _NAMES if re.search(pattern, text)), Access.OTHER)
        kind[vague & (names == code)] = told
    return kind
