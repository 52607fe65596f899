"""A list of events as a table of the side pane: every cell is worked out when it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.steps import Steps
from tui.analysis.table import Column, Table, Unit
from tui.browse.clock import Clock
from tui.browse.lazy_columns import Coded, Written
from tui.browse.listing import Listed, owned_by_device
from tui.report.columns import NULL, Int64, Positions, distinct_values
from tui.report.event_tables import table_named, words
from tui.text import safe


@dataclass(frozen=True)
class EventFigures:
    """What is known of each event of a list, one entry an event; NULL: unknown, or there is no such thing.

    ``start``, ``duration``, ``queue`` (from the return of the call that launched it to its start) in ns,
    ``stream`` its number, ``bytes``, ``step`` (from 1) the step that launched it. ``name``: positions in
    ``names``, kinds of names as (number of the table, code); ``thread`` and ``device``: positions, -1 none.
    """

    start: Int64
    duration: Int64
    name: Int64
    names: list[tuple[int, int]]
    stream: Int64
    device: Int64
    thread: Int64
    queue: Int64
    bytes: Int64
    step: Int64


def figures_of(index: Index, listed: Listed, steps: Steps) -> EventFigures:
    """Work the figures of a list out, a table at a time."""
    report, size = index.report, len(listed)
    start, end = listed.times(report)
    code, stream, queue, sizes = (np.full(size, NULL, np.int64) for _ in range(4))
    device, thread, process = (np.full(size, -1, np.int64) for _ in range(3))
    begun = start.copy()
    for number, name in enumerate(listed.tables):
        mine, table = np.flatnonzero(listed.table == number), table_named(name)
        rows = listed.index[mine]
        code[mine] = table.codes(report)[rows]
        if owned_by_device(name):
            columns = table.of(report)
            device[mine], process[mine] = columns.device[rows], columns.process[rows]
            if table.has_column("stream"):
                stream[mine] = columns.stream[rows]
        else:
            thread[mine] = table.owners(report)[rows]
            process[mine] = index.process_of_thread[thread[mine]]
        if table.bytes is not None:
            sizes[mine] = table.bytes(report, rows)
        if table.cause:
            launch, calls = table.of(report).launch[rows], table_named(table.cause).of(report)
            known = launch >= 0
            at, call = mine[known], launch[known]
            queue[at] = np.maximum(start[at] - calls.end[call], 0)
            begun[at] = calls.start[call]
    name_of, names = _named(listed.table, code)
    step = _steps(steps, process, begun, start)
    return EventFigures(start, end - start, name_of, names, stream, device, thread, queue, sizes, step)


def _named(table: Positions, code: Int64) -> tuple[Int64, list[tuple[int, int]]]:
    """Number the kinds of names: (the kind of each event, the table and the code of each kind)."""
    found, names = np.zeros(len(code), np.int64), list[tuple[int, int]]()
    for number in distinct_values(table).tolist():
        mine = table == number
        groups, codes = dense(code[mine])
        found[mine] = groups + len(names)
        names += [(number, value) for value in codes.tolist()]
    return found, names


def _steps(steps: Steps, process: Int64, begun: Int64, start: Int64) -> Int64:
    """Return which step of its process each event was begun in, from 1; NULL outside of steps."""
    found = np.full(len(begun), NULL, np.int64)
    for sequence in steps.sequences:
        mine = np.flatnonzero(process == sequence.process)
        times = (start if sequence.on_device else begun)[mine]
        at = np.searchsorted(sequence.start, times, "right") - 1
        inside = (at >= 0) & (times < sequence.end[at])
        found[mine[inside]] = at[inside] + 1
    return found


def list_table(index: Index, listed: Listed, found: EventFigures, clock: Clock) -> Table:
    """Return the table of a list; columns in which nothing is known, or all is alike, are left out."""
    report = index.report

    def name(kind: int) -> str:
        table, code = found.names[kind]
        return safe(table_named(listed.tables[table]).word(report, code))

    def device(at: int) -> str:
        return words.device(report, at)

    columns = [
        Column("at", "start_ns", Unit.TEXT, Written(found.start, partial(_at, clock))),
        Column("for", "duration_ns", Unit.NS, found.duration),
        Column("name", "name", Unit.TEXT, Coded(found.name, len(found.names), name)),
    ]
    if _differs(found.device):
        columns.append(
            Column("GPU", "gpu", Unit.TEXT, Coded(found.device, len(report.devices), device), 3, "-")
        )
    if (found.stream != NULL).any():
        columns.append(Column("stream", "stream", Unit.ID, found.stream, 2, "-"))
    if _differs(found.thread):
        threads = Coded(found.thread, len(report.threads), partial(words.thread, report))
        columns.append(Column("thread", "thread", Unit.TEXT, threads, 4, "-"))
    if any(table_named(name).cause for name in listed.tables):
        columns.append(Column("queued", "queue_ns", Unit.NS, found.queue, 1))
    if (found.step != NULL).any():
        columns.append(Column("step", "step", Unit.ID, found.step, 2, "-"))
    if (found.bytes != NULL).any():
        columns.append(Column("size", "bytes", Unit.BYTES, found.bytes, 3, "-"))
    return Table("events", "", tuple(columns))


def _at(clock: Clock, time: int) -> str:
    return clock.at(time).removesuffix(" s")


def _differs(values: Int64) -> bool:
    known = values[values >= 0]
    return len(known) > 0 and bool((known != known[0]).any())


def recorded_table(index: Index, listed: Listed, found: EventFigures, rows: Positions) -> Table:
    """Return what is written to a file of ``rows`` of a list: full names, times as recorded, in ns."""
    from tui.analysis.stats.lazy import Computed, OwnerIds

    report, ids = index.report, OwnerIds(index.report)

    def cells(values: Int64) -> Int64:
        return values[rows]

    def names(part: Positions) -> list[str | None]:
        tables = [
            (listed.tables[table], code) for table, code in (found.names[at] for at in found.name[part])
        ]
        return [table_named(table).word(report, code) for table, code in tables]

    def owners(values: list[str | None], of: Int64) -> Computed:
        return Computed(rows, lambda part: [values[at] for at in of[part].tolist()])

    tables = [*(table_named(name).noun for name in listed.tables)]
    return Table(
        "events",
        "",
        (
            Column("Start (ns)", "start_ns", Unit.NS, cells(found.start)),
            Column("Duration (ns)", "duration_ns", Unit.NS, cells(found.duration)),
            Column("Kind", "kind", Unit.TEXT, Computed(rows, lambda p: [tables[i] for i in listed.table[p]])),
            Column("Name", "name", Unit.TEXT, Computed(rows, names)),
            Column("Device", "device", Unit.ID, ids.device[cells(found.device)]),
            Column("Stream", "stream", Unit.ID, cells(found.stream)),
            Column("PID", "pid", Unit.ID, ids.pid[cells(found.thread)]),
            Column("TID", "tid", Unit.ID, ids.tid[cells(found.thread)]),
            Column("Thread", "thread", Unit.TEXT, owners(ids.names, found.thread)),
            Column("Queue (ns)", "queue_ns", Unit.NS, cells(found.queue)),
            Column("Bytes", "bytes", Unit.BYTES, cells(found.bytes)),
            Column("Step", "step", Unit.ID, cells(found.step)),
        ),
    )
