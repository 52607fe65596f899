"""A :class:`Source` -> the columns and facts of a report: what is read in which order, how it is joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tui.report import schema
from tui.report.assemble import Facts, Sink, put_table, span_of
from tui.report.device_ops import (
    RawOps,
    check_device_ids,
    check_streams,
    copy_columns,
    graph_columns,
    kernel_columns,
    op_columns,
    op_names,
    set_columns,
)
from tui.report.devices import devices_of, find_devices
from tui.report.doubts import Doubts
from tui.report.host import (
    call_columns,
    os_call_columns,
    other_columns,
    other_tables,
    read_calls,
    read_os_calls,
    sync_columns,
)
from tui.report.join import join_launches
from tui.report.metadata import read_enums, read_metadata
from tui.report.model import NULL, Device, TableInfo
from tui.report.names import NamePool, StringTable
from tui.report.nvtx import RawNvtx, mark_columns, range_columns
from tui.report.people import People
from tui.report.progress import Meter
from tui.report.rows import Rows
from tui.report.source import Source

_MAIN_TABLES = (
    schema.KERNEL, schema.MEMCPY, schema.MEMSET, schema.GRAPH, schema.RUNTIME, schema.DRIVER, schema.SYNC,
    schema.NVTX, schema.OSRT,
)  # fmt: skip


@dataclass
class _Raw:
    """All event tables of the file, trusted and sorted, not yet joined."""

    ops: RawOps
    runtime: Rows
    driver: Rows
    backtraces: int
    syncs: Rows
    os_calls: Rows
    nvtx: RawNvtx
    others: list[Rows]

    @classmethod
    def read(cls, source: Source, strings: StringTable, pool: NamePool, doubts: Doubts, meter: Meter) -> _Raw:
        others = other_tables(source, set(_MAIN_TABLES))
        for table in (*_MAIN_TABLES, *others):
            meter.expect(source.rows_about(table))
        ops = RawOps.read(source, doubts, meter)
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
        return cls(ops, runtime, driver, backtraces + more, syncs, os_calls, nvtx, other_rows)

    def people(self) -> People:
        """Everyone who appears in an event."""

        def tids() -> Iterator[np.ndarray[tuple[int], np.dtype[np.int64]]]:
            host = (self.runtime, self.driver, self.os_calls, self.nvtx.ranges, self.nvtx.marks, *self.others)
            for rows in host:
                yield rows.ints("globalTid")
            yield self.nvtx.ranges.ints("endGlobalTid")

        return People(tids(), (rows.ints("globalPid") for rows in (*self.ops.tables, self.syncs)))

    def sizes(self) -> dict[str, int]:
        """Rows in the file of each table that was read."""
        rows = (*self.ops.tables, self.runtime, self.driver, self.syncs, self.os_calls, *self.others)
        return {**{r.table: r.total for r in rows}, schema.NVTX: self.nvtx.total}


def import_report(source: Source, sink: Sink, meter: Meter) -> Facts:
    """Read everything, join it and put the columns into ``sink``. ReportError for a damaged file."""
    metadata = read_metadata(source)
    enums = read_enums(source)
    doubts = Doubts()
    pool = NamePool()
    strings = StringTable.read(source, pool)
    raw = _Raw.read(source, strings, pool, doubts, meter)

    meter.step("joining")
    people = raw.people()
    processes, threads = people.named(source, strings, pool, raw.nvtx.thread_names)
    put_table(sink, "calls", call_columns(raw.runtime, raw.driver, strings, pool, people, doubts))
    devices = _put_ops(raw.ops, source, sink, people, op_names(raw.ops, strings, pool, enums, doubts), doubts)
    put_table(sink, "kernels", kernel_columns(raw.ops.kernels, strings))
    put_table(sink, "copies", copy_columns(raw.ops.copies))
    put_table(sink, "sets", set_columns(raw.ops.sets))
    put_table(sink, "graphs", graph_columns(raw.ops.graphs))
    device = devices_of(devices, raw.syncs.ints("globalPid"), raw.syncs.ints("deviceId"))
    put_table(sink, "syncs", sync_columns(raw.syncs, device, people))
    put_table(sink, "os_calls", os_call_columns(raw.os_calls, strings, pool, people, doubts))
    put_table(sink, "marks", mark_columns(raw.nvtx, pool, people))
    others = [rows for rows in raw.others if rows.total]
    for i, rows in enumerate(others):
        put_table(sink, f"others.{i}", other_columns(rows, strings, pool, people, doubts))

    meter.step("nesting ranges")
    done = [(sink.get(f"{t}.start"), sink.get(f"{t}.end")) for t in ("ops", "calls", "os_calls", "syncs")]
    done += [(start := raw.nvtx.ranges.ints("start"), np.maximum(start, raw.nvtx.ranges.ints("end")))]
    done += [(sink.get("marks.start"), sink.get("marks.start"))]
    span = span_of(done)
    put_table(sink, "ranges", range_columns(raw.nvtx, span[1] if span else 0, pool, people))
    packed = pool.strings()
    sink.put("strings.blob", packed.blob)
    sink.put("strings.offsets", packed.offsets)

    tables = _tables(source, raw.sizes())
    return Facts(
        product_version=metadata.product_version,
        schema_version=metadata.schema_version,
        capture=metadata.capture,
        session_start_utc_ns=metadata.session_start_utc_ns,
        devices=devices,
        processes=processes,
        threads=threads,
        tables=tables,
        doubtful=doubts.listed(),
        notes=(*metadata.notes, *_notes(raw, source, tables)),
        enums=enums,
        others=tuple(rows.table for rows in others),
        has=tuple(source.tables),
        span=span,
        op_span=span_of([(sink.get("ops.start"), sink.get("ops.end"))]),
    )


def _put_ops(
    raw: RawOps,
    source: Source,
    sink: Sink,
    people: People,
    names: np.ndarray[tuple[int], np.dtype[np.int32]],
    doubts: Doubts,
) -> tuple[Device, ...]:
    """Find each op's device and launch; needs the calls to be in ``sink``."""
    global_pid = raw.column("globalPid")
    process = people.process_index(global_pid)
    if people.process_count == 1:
        # Old exports do not say whose an op is; where there is one process it can only be that one.
        process[:] = 0
        global_pid = np.where(global_pid == NULL, people.global_pid(0), global_pid)
    check_device_ids(raw, doubts)
    devices, device = find_devices(global_pid, raw.column("deviceId"), source)
    del global_pid
    owner = np.append(people.process_of_thread(), np.int32(-1))  # the last one: of calls without a thread
    launch = join_launches(
        process,
        raw.column("correlationId"),
        owner[sink.get("calls.thread")],
        *(sink.get(f"calls.{c}") for c in ("correlation", "call_class", "start", "end")),
    )
    put_table(sink, "ops", op_columns(raw, device, process, names, launch))
    check_streams(sink, doubts)
    return devices


def _tables(source: Source, sizes: dict[str, int]) -> tuple[TableInfo, ...]:
    small = set(schema.SMALL_TABLES)
    return tuple(
        TableInfo(name, sizes[name] if name in sizes else source.count(name), name in sizes or name in small)
        for name in sorted(source.tables)
    )


def _notes(raw: _Raw, source: Source, tables: tuple[TableInfo, ...]) -> Iterator[str]:
    """What is left out, and what the reader should not take for zero."""
    if raw.backtraces:
        yield (
            f"{raw.backtraces} rows that repeat a CUDA call to carry its backtrace (eventClass 67) "
            "are left out"
        )
    for kind, count in raw.nvtx.unknown_types.items():
        yield f"{count} NVTX rows of the unknown type {'NULL' if kind == NULL else kind} are left out"
    if graphs := len(raw.ops.graphs):
        yield (
            f"{graphs} CUDA graph launches were recorded whole: the kernels in them are not in the export; "
            "capture with --cuda-graph-trace=node to record them"
        )
    unread = [t.name for t in tables if t.rows and not t.used and schema.looks_like_events(t.name)]
    if unread := [name for name in unread if name not in schema.KNOWN_UNREAD]:
        yield f"event tables that this version does not read: {', '.join(unread)}"
    if not any(len(rows) for rows in raw.ops.tables):
        kernels = "no rows in the kernel table" if schema.KERNEL in source.tables else "no kernel table"
        yield f"no GPU work recorded ({kernels})"
    if schema.RUNTIME not in source.tables and schema.DRIVER not in source.tables:
        yield "no CUDA API calls recorded: launches and their latency are unknown"
    if schema.NVTX not in source.tables:
        yield "no NVTX ranges recorded: phases and steps are unknown"
