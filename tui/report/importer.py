"""A :class:`Source` -> a :class:`Report`: what is read in which order, and how it is put together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tui.report import schema
from tui.report.device_ops import (
    RawOps,
    build_copies,
    build_graphs,
    build_kernels,
    build_ops,
    build_sets,
    check_device_ids,
    check_ops,
    op_names,
)
from tui.report.devices import find_devices
from tui.report.doubts import Doubts
from tui.report.host import (
    build_calls,
    build_os_calls,
    build_other,
    build_syncs,
    other_tables,
    read_calls,
    read_os_calls,
)
from tui.report.join import join_launches
from tui.report.metadata import read_enums, read_metadata
from tui.report.model import NULL, Device, Int32, Int64, Report, TableInfo
from tui.report.names import NamePool, StringTable
from tui.report.nvtx import RawNvtx, build_marks, build_ranges
from tui.report.people import People
from tui.report.progress import Meter
from tui.report.rows import Rows
from tui.report.source import Source

_MAIN_TABLES = (
    schema.KERNEL, schema.MEMCPY, schema.MEMSET, schema.GRAPH, schema.RUNTIME, schema.DRIVER, schema.SYNC,
    schema.NVTX, schema.OSRT,
)  # fmt: skip


def import_report(source: Source, meter: Meter) -> Report:
    """Read everything and join it. Raises ReportError for a damaged file."""
    metadata = read_metadata(source)
    enums = read_enums(source)
    others = other_tables(source, set(_MAIN_TABLES))
    for table in (*_MAIN_TABLES, *others):
        meter.expect(source.rows_about(table))

    doubts = Doubts()
    notes = list(metadata.notes)
    pool = NamePool()
    strings = StringTable.read(source, pool)

    raw = RawOps.read(source, doubts, meter)
    runtime, backtraces = read_calls(source, schema.RUNTIME, doubts, meter)
    driver, more = read_calls(source, schema.DRIVER, doubts, meter)
    syncs = Rows.read(source, schema.SYNC, schema.SYNC_COLUMNS, meter=meter)
    syncs.trust(doubts)
    os_calls = read_os_calls(source, doubts, meter)
    nvtx = RawNvtx.read(source, strings, pool, doubts, meter)
    other_rows = []
    for table in others:
        rows = Rows.read(source, table, schema.OTHER_COLUMNS, meter=meter)
        rows.trust(doubts)
        other_rows.append(rows)

    meter.step("joining")
    tids = [
        rows.ints(column)
        for rows, column in (
            (runtime, "globalTid"), (driver, "globalTid"), (os_calls, "globalTid"), (nvtx.ranges, "globalTid"),
            (nvtx.ranges, "endGlobalTid"), (nvtx.marks, "globalTid"), *((r, "globalTid") for r in other_rows),
        )
    ]  # fmt: skip
    global_pid = raw.column("globalPid")
    people = People(tids, [global_pid, syncs.ints("globalPid")])
    processes, threads = people.named(source, nvtx.thread_names)
    process = people.process_index(global_pid)
    if len(processes) == 1:
        # Old exports do not say whose an op is; where there is one process it can only be that one.
        process[:] = 0
        global_pid = np.where(global_pid == NULL, processes[0].global_pid, global_pid)

    calls = build_calls(runtime, driver, strings, pool, people, doubts)
    owner = np.append(people.process_of_thread(), np.int32(-1))
    correlation = raw.column("correlationId")
    launch = join_launches(
        process, correlation, owner[calls.thread], calls.correlation, calls.call_class, calls.start, calls.end
    )
    check_device_ids(raw, doubts)
    devices, device = find_devices(global_pid, raw.column("deviceId"), source)
    start = raw.column("start")
    ops = build_ops(
        raw, start, device, process, op_names(raw, strings, pool, enums, doubts), launch, correlation
    )
    check_ops(ops, doubts)

    meter.step("nesting ranges")
    marks = build_marks(nvtx, pool, people)
    ended = [
        ops.end,
        calls.end,
        os_calls.ints("end"),
        syncs.ints("end"),
        marks.start,
        nvtx.ranges.ints("start"),
    ]
    capture_end = max((int(a.max()) for a in (*ended, nvtx.ranges.ints("end")) if len(a)), default=0)
    ranges = build_ranges(nvtx, capture_end, pool, people)

    if backtraces + more:
        notes.append(
            f"{backtraces + more} rows that repeat a CUDA call to carry its backtrace (eventClass 67) are left out"
        )
    for kind, count in nvtx.unknown_types.items():
        shown = "NULL" if kind == NULL else kind
        notes.append(f"{count} NVTX rows of the unknown type {shown} are left out")
    if len(raw.graphs):
        notes.append(
            f"{len(raw.graphs)} CUDA graph launches were recorded whole: the kernels in them are not in the export; "
            "capture with --cuda-graph-trace=node to record them"
        )
    sizes = {rows.table: rows.total for rows in (*raw.tables, runtime, driver, syncs, os_calls, *other_rows)}
    sizes[schema.NVTX] = nvtx.total
    tables = _tables(source, sizes)
    unknown = [t.name for t in tables if not t.used and t.rows and schema.looks_like_events(t.name)]
    unknown = [name for name in unknown if name not in schema.NOT_INTERVALS]
    if unknown:
        notes.append(f"event tables that this version does not read: {', '.join(unknown)}")
    notes += _absences(source, ops_found=bool(len(ops)))

    sync_device = _devices_of(devices, syncs.ints("globalPid"), syncs.ints("deviceId"))
    return Report(
        path=source.path,
        product_version=metadata.product_version,
        schema_version=metadata.schema_version,
        capture=metadata.capture,
        session_start_utc_ns=metadata.session_start_utc_ns,
        devices=devices,
        processes=processes,
        threads=threads,
        tables=tables,
        notes=tuple(notes),
        enums=enums,
        ops=ops,
        kernels=build_kernels(raw.kernels, strings),
        copies=build_copies(raw.copies),
        sets=build_sets(raw.sets),
        graphs=build_graphs(raw.graphs),
        calls=calls,
        ranges=ranges,
        marks=marks,
        os_calls=build_os_calls(os_calls, strings, pool, people, doubts),
        syncs=build_syncs(syncs, sync_device, people),
        others={r.table: build_other(r, strings, pool, people, doubts) for r in other_rows if r.total},
        has=frozenset(source.tables),
        strings=pool.strings(),
        doubtful=doubts.listed(),
    )


def _tables(source: Source, sizes: dict[str, int]) -> tuple[TableInfo, ...]:
    small = set(schema.SMALL_TABLES)
    return tuple(
        TableInfo(
            name,
            sizes[name] if name in sizes else source.count(name),
            name in sizes or name in small,
        )
        for name in sorted(source.tables)
    )


def _absences(source: Source, *, ops_found: bool) -> Iterable[str]:
    """What the reader should not take for zero."""
    if not ops_found:
        kernels = "no kernel table" if schema.KERNEL not in source.tables else "no rows in the kernel table"
        yield f"no GPU work recorded ({kernels})"
    if schema.RUNTIME not in source.tables and schema.DRIVER not in source.tables:
        yield "no CUDA API calls recorded: launches and their latency are unknown"
    if schema.NVTX not in source.tables:
        yield "no NVTX ranges recorded: phases and steps are unknown"


def _devices_of(devices: tuple[Device, ...], global_pid: Int64, device_id: Int64) -> Int32:
    """The device of rows that are no ops themselves; -1 where that device did no work."""
    from tui.report.decode import pid_of

    out = np.full(len(device_id), -1, np.int32)
    for device in devices:
        for pid, ordinal in device.owners:
            same = (device_id == ordinal) & ((pid_of(global_pid) == pid) | (global_pid == NULL))
            out[same] = device.index
    return out
