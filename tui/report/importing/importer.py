"""A :class:`Source` -> the columns and facts of a report: what is read in which order, how it is joined.

Device work first, then the calls that launched it, then ranges, then the rest: after each of these
stages what is there is a report of its own, for whoever does not want to wait. No stage holds a
table as whole: rows are read, sorted, joined and written some at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.report import schema
from tui.report.assemble import ReportFacts, dtype_of
from tui.report.columns import NULL, Array, ColumnSink, ColumnSource, Int32, NamedColumns
from tui.report.importing.device_ops import (
    RawOps,
    copy_columns,
    graph_columns,
    kernel_columns,
    list_missing_devices,
    op_columns,
    set_columns,
)
from tui.report.importing.doubts import SWALLOWS, Doubts
from tui.report.importing.host_tables import (
    CallClasses,
    RawCalls,
    call_columns,
    os_call_columns,
    other_columns,
    other_tables,
    read_os_calls,
    sync_columns,
)
from tui.report.importing.launch_join import join_launches
from tui.report.importing.metadata import read_enums, read_metadata
from tui.report.importing.names import NamePool, StringTable
from tui.report.importing.numbering import Combinations
from tui.report.importing.nvtx_rows import RawNvtx, mark_columns, range_columns
from tui.report.importing.owners import Owners
from tui.report.importing.partial_columns import PartialColumns
from tui.report.importing.processes import ThreadRegistry
from tui.report.importing.sorting import spans
from tui.report.importing.swallow import swallowers
from tui.report.importing.table_rows import TableRows
from tui.report.model import Device, TableInfo
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source

Publish = Callable[[ReportFacts, ColumnSource, frozenset[str]], None]
"""Takes a report's facts and columns so far, and the fields of the report that are still to come."""

_MAIN_TABLES = (*schema.OP_TABLES, schema.RUNTIME, schema.DRIVER, schema.SYNC, schema.NVTX, schema.OSRT)


def import_report(
    source: Source, sink: ColumnSink, meter: Meter, spool: Spool, publish: Publish | None = None
) -> ReportFacts:
    """Read everything, join it and put the columns into ``sink``. ReportError for a damaged file.

    ``publish`` is told what is there whenever a stage is done, but for the last one.
    """
    return _Import(source, sink, meter, spool, publish).run()


class _Import:
    def __init__(
        self, source: Source, sink: ColumnSink, meter: Meter, spool: Spool, publish: Publish | None
    ) -> None:
        self.source = source
        self.sink = sink
        self.meter = meter
        self.spool = spool
        self.publish = publish
        self.metadata = read_metadata(source)
        self.enums = read_enums(source)
        self.doubts = Doubts()
        self.pool = NamePool(spool.keep)
        self.strings = StringTable.read(source, self.pool)
        self.people = ThreadRegistry()
        self.owners = Owners(self.people, spool)
        self.launch: Array | None = None
        self.launched_as = NULL
        """What a missing globalPid meant when launches were joined."""
        self.sizes: dict[str, int] = {}
        """Rows in the file of each table that was read."""
        self.spans: list[tuple[int, int]] = []
        self.other_spans: list[tuple[int, int]] = []
        """First start and last end of each table that is there."""
        self.op_span: tuple[int, int] | None = None
        self.others: list[str] = []
        self.backtraces = self.graphs = 0
        self.unknown_types: dict[int, int] = {}
        self.thread_names: dict[int, str] = {}
        self.waiting: dict[str, bool] = {}
        """Fields of the report that are still to come, and whether there is anything to them."""
        self.told: frozenset[str] | None = None
        """What was still to come when a partial report was published last."""

    def run(self) -> ReportFacts:
        others = other_tables(self.source, set(_MAIN_TABLES))
        rows = {table: self.source.rows_about(table) for table in (*_MAIN_TABLES, *others)}
        self.meter.expect(sum(rows.values()))
        self.waiting = {
            "calls": rows[schema.RUNTIME] + rows[schema.DRIVER] > 0,
            "ranges": rows[schema.NVTX] > 0,
            "marks": rows[schema.NVTX] > 0,
            "os_calls": rows[schema.OSRT] > 0,
            "others": any(rows[table] for table in others),
        }
        self._read_ops()
        self._tell()
        self._read_calls()
        self._tell("calls")
        nvtx = RawNvtx.read(self.source, self.strings, self.pool, self.doubts, self.meter, self.spool)
        open_ranges = nvtx.any_open
        if open_ranges:  # they end with the capture, which may be the end of an OS call
            self._read_os_calls()
        self._store_nvtx(nvtx)
        del nvtx
        self._tell("ranges", "marks", *(["os_calls"] if open_ranges else []))
        if not open_ranges:
            self._read_os_calls()
        for table in others:
            self._read_other(table)
        return self._finish()

    # Stages --------------------------------------------------------------------------------

    def _read_ops(self) -> None:
        raw = RawOps.read(self.source, self.doubts, self.meter, self.spool)
        self._count(*raw.tables)
        self.graphs = len(raw.graphs)
        self._put("ops", op_columns(raw, self.strings, self.pool, self.enums, self.doubts), "sorting")
        self._put("kernels", kernel_columns(raw.kernels, self.strings), "sorting")
        self._put("copies", copy_columns(raw.copies), "sorting")
        self._put("sets", set_columns(raw.sets), "sorting")
        self._put("graphs", graph_columns(raw.graphs), "sorting")
        list_missing_devices(raw, self.doubts)
        self.owners.add_ops(raw.all.column("globalPid"), raw.all.column("deviceId"))
        self.op_span = self._reaches("ops")
        syncs = TableRows.read(
            self.source, schema.SYNC, schema.SYNC_COLUMNS, meter=self.meter, spool=self.spool
        )
        self._count(syncs)
        syncs = syncs.trusted(self.doubts).by_start()
        self._put("syncs", sync_columns(syncs), "sorting")
        self.owners.add_syncs(syncs)
        self._reaches("syncs")

    def _read_calls(self) -> None:
        raw = RawCalls(self.source, self.doubts, self.meter, self.spool)
        self._count(raw.runtime, raw.driver)
        self.backtraces = raw.backtraces
        self._put("calls", call_columns(raw, self.strings, self.pool, self.doubts), "joining")
        classes = CallClasses(self.pool)
        names = self.sink.get("calls.name")
        of_calls = (classes.of(names[low:high]) for low, high in spans(len(names)))
        self._put("calls", [("call_class", of_calls)], "joining")
        self.owners.add_threads("calls.thread", raw.all.column("globalTid"))
        self._reaches("calls")
        self._join()

    def _join(self) -> None:
        self.meter.step("joining")
        get = self.sink.get
        self.launched_as = self.owners.nobody
        launches = join_launches(
            self.owners.op_processes(),
            get("ops.correlation"),
            self.owners.call_processes(),
            *(get(f"calls.{column}") for column in ("correlation", "call_class", "start", "end")),
        )
        self.launch = self.spool.gathered(np.int32, launches)

    def _store_nvtx(self, raw: RawNvtx) -> None:
        self.meter.step("nesting ranges")
        self.sizes[schema.NVTX] = raw.total
        self.unknown_types, self.thread_names = raw.unknown_types, raw.thread_names
        self._put("marks", mark_columns(raw, self.strings, self.pool, self.doubts), "nesting ranges")
        self.owners.add_threads("marks.thread", raw.marks.blocks("globalTid"))
        self._reaches("marks", "start")
        if (span := raw.span()) is not None:
            self.spans.append(span)
        raw.close(max((end for _, end in self.spans), default=0))
        threads = self.owners.add_threads("ranges.thread", raw.ranges.blocks("globalTid"))
        self.owners.add_threads("ranges.end_thread", raw.ranges.blocks("endGlobalTid"))
        columns = range_columns(raw, threads, self.strings, self.pool, self.doubts, self.spool)
        self._put("ranges", columns, "nesting ranges")
        self._reaches("ranges")

    def _read_os_calls(self) -> None:
        rows = read_os_calls(self.source, self.doubts, self.meter, self.spool)
        self._count(rows)
        self._put("os_calls", os_call_columns(rows, self.strings, self.pool, self.doubts), "sorting")
        self.owners.add_threads("os_calls.thread", rows.blocks("globalTid"))
        self._reaches("os_calls")

    def _read_other(self, table: str) -> None:
        rows = TableRows.read(self.source, table, schema.OTHER_COLUMNS, meter=self.meter, spool=self.spool)
        self._count(rows)
        rows = rows.trusted(self.doubts).by_start()
        if not rows.total:
            return
        place = f"others.{len(self.others)}"
        self.others.append(table)
        self._put(place, other_columns(rows, self.strings, self.pool, self.doubts), "sorting")
        self.owners.add_threads(f"{place}.thread", rows.blocks("globalTid"))
        if (reach := self._reach(place)) is not None:
            self.other_spans.append(reach)

    # Parts ---------------------------------------------------------------------------------

    def _put(self, table: str, columns: NamedColumns, stage: str) -> None:
        for field, blocks in columns:
            self.meter.step(stage)
            name = f"{table}.{field}"
            self.sink.write(name, dtype_of(name), blocks)

    def _count(self, *tables: TableRows) -> None:
        self.sizes.update({rows.table: rows.total for rows in tables})

    def _reaches(self, table: str, end: str = "end") -> tuple[int, int] | None:
        """Note what time a stored table covers."""
        reach = self._reach(table, end)
        if reach is not None:
            self.spans.append(reach)
        return reach

    def _reach(self, table: str, end: str = "end") -> tuple[int, int] | None:
        starts, ends = self.sink.get(f"{table}.start"), self.sink.get(f"{table}.{end}")
        return (int(starts[0]), int(ends.max())) if len(starts) else None

    def _span(self) -> tuple[int, int] | None:
        """See :attr:`Report.span`."""
        spans = self.spans or self.other_spans
        if not spans:
            return None
        return min(start for start, _ in spans), max(end for _, end in spans)

    def _tell(self, *done: str) -> None:
        """Publish what is there, ``done`` from now on, if that is more than before and less than all."""
        for field in done:
            self.waiting.pop(field)
        loading = frozenset(field for field, anything in self.waiting.items() if anything)
        if self.publish is None or not loading or loading == self.told:
            return
        self.told = loading
        devices, owned = self.owners.told(self.source)
        facts = self._facts(devices, (), self.metadata.notes)
        columns = PartialColumns(
            self.sink, {name: looked.whole(self.spool) for name, looked in owned.items()}
        )
        columns.add_launch(self.launch)
        columns.add_strings(self.pool, self.spool)
        self.publish(facts, columns, loading)

    def _finish(self) -> ReportFacts:
        self.meter.step("joining")
        devices, owned = self.owners.told(self.source)
        for name, looked in owned.items():
            self.sink.write(name, np.int32, looked.blocks())
        if self.launch is None or self.owners.nobody != self.launched_as:
            self._join()
        assert self.launch is not None
        self.sink.write("ops.launch", np.int32, [self.launch])
        self._list_swallowers()
        self.sink.write("strings.blob", np.uint8, self.pool.blobs())
        self.sink.write("strings.offsets", np.int64, self.pool.offsets())
        tables = _tables(self.source, self.sizes)
        return self._facts(devices, tables, (*self.metadata.notes, *self._notes(tables)))

    def _list_swallowers(self) -> None:
        """Ops that swallow fifty later ones of their stream: counted as recorded, but listed."""
        start, end, kind, rowid = (self.sink.get(f"ops.{c}") for c in ("start", "end", "kind", "rowid"))
        owner = [self.sink.get(f"ops.{c}") for c in ("process", "device", "context", "stream")]
        streams = Combinations(len(owner))

        def lanes(low: int, high: int) -> Int32:
            return streams.of(*(column[low:high] for column in owner))

        for i in swallowers(start, end, lanes, self.spool):
            example = f"row {rowid[i]}: start {start[i]}, end {end[i]}"
            self.doubts.add(SWALLOWS, schema.OP_TABLES[int(kind[i])], 1, example, excluded=False)

    def _facts(
        self, devices: tuple[Device, ...], tables: tuple[TableInfo, ...], notes: tuple[str, ...]
    ) -> ReportFacts:
        processes, threads = self.people.named(self.source, self.strings, self.pool, self.thread_names)
        return ReportFacts(
            product_version=self.metadata.product_version,
            schema_version=self.metadata.schema_version,
            capture=self.metadata.capture,
            session_start_utc_ns=self.metadata.session_start_utc_ns,
            devices=devices,
            processes=processes,
            threads=threads,
            tables=tables,
            doubtful=self.doubts.listed(),
            notes=notes,
            enums=self.enums,
            others=tuple(self.others),
            has=tuple(self.source.tables),
            span=self._span(),
            op_span=self.op_span,
        )

    def _notes(self, tables: tuple[TableInfo, ...]) -> Iterator[str]:
        """What is left out, and what the reader should not take for zero."""
        if self.backtraces:
            yield (
                f"{self.backtraces} rows that repeat a CUDA call to carry its backtrace (eventClass 67) "
                "are left out"
            )
        for kind, count in self.unknown_types.items():
            yield f"{count} NVTX rows of the unknown type {'NULL' if kind == NULL else kind} are left out"
        if self.graphs:
            yield (
                f"{self.graphs} CUDA graph launches were recorded whole: the kernels in them are not in the "
                "export; capture with --cuda-graph-trace=node to record them"
            )
        unread = [t.name for t in tables if t.rows and not t.used and schema.looks_like_events(t.name)]
        if unread := [name for name in unread if name not in schema.KNOWN_UNREAD]:
            yield f"event tables that this version does not read: {', '.join(unread)}"
        if self.op_span is None:
            kernels = (
                "no rows in the kernel table" if schema.KERNEL in self.source.tables else "no kernel table"
            )
            yield f"no GPU work recorded ({kernels})"
        if schema.RUNTIME not in self.source.tables and schema.DRIVER not in self.source.tables:
            yield "no CUDA API calls recorded: launches and their latency are unknown"
        if schema.NVTX not in self.source.tables:
            yield "no NVTX ranges recorded: phases and steps are unknown"


def _tables(source: Source, sizes: dict[str, int]) -> tuple[TableInfo, ...]:
    small = set(schema.SMALL_TABLES)
    return tuple(
        TableInfo(name, sizes[name] if name in sizes else source.count(name), name in sizes or name in small)
        for name in sorted(source.tables)
    )
