"""One row a file: how often and how fast it was read and written."""

from __future__ import annotations

import numpy as np

from tui.analysis.files.accesses import Access, Accesses, file_accesses
from tui.analysis.grouping import sums_where
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.select import host_processes, in_window
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL, Bool, Int64
from tui.text.numbers import plural


def files_table(index: Index, scope: Scope) -> Table:
    """The files that were accessed in scope, the most time in reads first.

    Times are those of the calls, added up over threads. A sum of bytes is unknown where those of one of the
    calls are; a rate is unknown without time or bytes.
    """
    found = accesses_in(index, scope)
    count = len(found.paths) + 1  # the last is for files that the export does not name
    file = np.where(found.file < 0, count - 1, found.file)
    read, written = found.kind == Access.READ, found.kind == Access.WRITE
    length = found.end - found.start

    def ns(chosen: Bool) -> Int64:
        return sums_where(file[chosen], count, length[chosen])

    def calls(chosen: Bool) -> Int64:
        return np.bincount(file[chosen], minlength=count)

    reads, read_ns, writes = calls(read), ns(read), calls(written)
    bytes_read, bytes_written = (_bytes(found, file, chosen, count) for chosen in (read, written))
    seen = np.flatnonzero(np.bincount(file, minlength=count))
    rows = seen[np.lexsort((seen, -writes[seen], -bytes_read[seen], -read_ns[seen]))]
    names: list[str | None] = [*found.paths, None]
    rates = [_rate(size, took) for size, took in zip(bytes_read.tolist(), read_ns.tolist(), strict=True)]
    columns = (
        Column("Path", "path", Unit.TEXT, [names[i] for i in rows]),
        Column("Reads", "reads", Unit.COUNT, reads[rows]),
        Column("Bytes", "bytes", Unit.BYTES, bytes_read[rows]),
        Column("Time (ns)", "ns", Unit.NS, read_ns[rows]),
        Column("Rate (MB/s)", "rate_mbps", Unit.DECIMAL, [rates[i] for i in rows], blank="-"),
        Column("Opens", "opens", Unit.COUNT, calls(found.kind == Access.OPEN)[rows], rank=1),
        Column("Writes", "writes", Unit.COUNT, writes[rows], rank=1),
        Column("Written", "bytes_written", Unit.BYTES, bytes_written[rows], rank=2),
        Column("Write time (ns)", "write_ns", Unit.NS, ns(written)[rows], rank=2),
        Column(
            "Other calls", "others", Unit.COUNT, (calls(~read & ~written) - calls(found.kind == 1))[rows], 3
        ),
    )
    return Table("files", "Files by time in reads", columns, _note(found))


def accesses_in(index: Index, scope: Scope) -> Accesses:
    """The accesses that overlap a chosen window (of the default one all), by the processes in scope."""
    found = file_accesses(index)
    found = found.where(np.arange(len(found))[in_window(found.start, found.end, scope.window)])
    processes = host_processes(index.report, scope)
    if processes is None:
        return found
    pids = [index.report.processes[position].pid for position in processes]
    owner = index.process_of_thread[found.thread]
    return found.where(np.isin(owner, processes) | ((found.thread < 0) & np.isin(found.pid, pids)))


def _bytes(found: Accesses, file: Int64, chosen: Bool, count: int) -> Int64:
    """The bytes of the chosen accesses to each file; NULL where they are unknown of one."""
    unknown = found.bytes == NULL
    sums = sums_where(file[chosen], count, np.where(unknown, 0, found.bytes)[chosen])
    sums[np.unique(file[chosen & unknown])] = NULL
    return sums


def _rate(size: int, took: int) -> float | None:
    """Megabytes per second; None where it can't be told."""
    return None if size == NULL or took <= 0 or size == 0 else round(1000 * size / took, 1)


def _note(found: Accesses) -> str | None:
    unnamed = int((found.file < 0).sum())
    notes = []
    if unnamed:
        notes.append(f"of {plural(unnamed, 'call')} the file is not known")
    if found.left_out:
        notes.append(f"{found.left_out:,} rows whose times can't be true are left out")
    return "; ".join(notes) or None
