"""A :class:`Source` -> the columns and facts of a report: in which order tables are read and joined.

Device work comes first, then the calls that launched it, then ranges, then the rest. After each of these
stages a report of what is there can be shown. No stage has a whole table in memory: rows are read, sorted,
joined and written a block at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tui.report import schema
from tui.report.assemble import ReportFacts, dtype_of
from tui.report.columns import NULL, Array, ColumnSink, ColumnSource, NamedColumns
from tui.report.event_tables import EVENT_TABLES
from tui.report.event_tables.event_table import EventTable, Owner
from tui.report.event_tables.ops import OPS, OpKind
from tui.report.event_tables.other import OTHERS, is_gpu_work, other_table
from tui.report.extra.tables import SOURCES as EXTRA_SOURCES
from tui.report.importing.call_rows import call_columns, classes_of, read_calls
from tui.report.importing.communicators import read_communicators
from tui.report.importing.context import Context
from tui.report.importing.device_notes import device_notes
from tui.report.importing.device_ops import list_missing_devices, op_columns, read_ops
from tui.report.importing.devices import FoundDevices
from tui.report.importing.diagnostics import read_diagnostics
from tui.report.importing.doubts import Doubts
from tui.report.importing.launch_join import join_launches
from tui.report.importing.metadata import read_metadata
from tui.report.importing.nvtx_rows import RawNvtx, mark_columns, range_columns
from tui.report.importing.owners import Owners
from tui.report.importing.processes import ThreadRegistry
from tui.report.importing.simple_tables import (
    copied_columns,
    made_columns,
    other_tables,
    read_simple,
    simple_columns,
)
from tui.report.importing.stream_order import list_swallowers
from tui.report.importing.table_rows import TableRows
from tui.report.model import Doubtful, TableInfo
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source
from tui.report.table_names import spelling_of

Publish = Callable[[ReportFacts, ColumnSource, frozenset[str]], None]
"""Gets a report's facts and columns so far, and the names of its tables that are still to come."""


def import_report(
    source: Source, sink: ColumnSink, meter: Meter, spool: Spool, publish: Publish | None = None
) -> ReportFacts:
    """Read everything, join it and put the columns into ``sink``.

    ``publish`` gets what is there after every stage but the last. Raises ReportError for a damaged file.
    """
    return _Import(source, sink, Context.of(source, meter, spool), publish).run()


class _PartialColumns:
    """The columns that ``sink`` has so far, and those still ``changing``; the rest are empty."""

    def __init__(self, sink: ColumnSink, changing: dict[str, Array]) -> None:
        self._sink = sink
        self._changing = changing

    def get(self, name: str) -> Array:
        if name in self._changing:
            return self._changing[name]
        try:
            return self._sink.get(name)
        except KeyError:
            return np.empty(0, dtype_of(name))


class _Import:
    def __init__(self, source: Source, sink: ColumnSink, context: Context, publish: Publish | None) -> None:
        self.source = source
        self.sink = sink
        self.context = context
        self.meter, self.spool, self.pool = context.meter, context.spool, context.pool
        self.publish = publish
        self.metadata = read_metadata(source)
        self.diagnostics = read_diagnostics(source)
        self.registry = ThreadRegistry()
        self.owners = Owners(self.registry, self.spool)
        self.launch: Array | None = None
        self.joined_pid = NULL
        """What a missing globalPid meant when launches were joined."""
        self.sizes: dict[str, int] = {}
        """Rows in the file of each table that was read."""
        self.spans: list[tuple[int, int]] = []
        """First start and last end of each table that is there."""
        self.aside_spans: list[tuple[int, int]] = []
        """The same of tables aside."""
        self.work_spans: list[tuple[int, int]] = []
        """The same of work of other APIs: it is recorded work, whatever else there is."""
        self.op_span: tuple[int, int] | None = None
        self.nvtx_end: int | None = None
        self.others: list[str] = []
        self.backtraces = self.graphs = 0
        self.unknown_types: dict[int, int] = {}
        self.thread_names: dict[int, str] = {}
        self.pending: dict[str, bool] = {}
        """Tables of the report that are still to come, and whether they have any rows."""
        self.published: frozenset[str] | None = None
        """The tables that were still to come in the last partial report."""

    def run(self) -> ReportFacts:
        others = [other_table(source) for source in other_tables(self.source)]
        tables = (*EVENT_TABLES, *others)
        rows = {source: self.source.rows_about(source) for table in tables for source in table.sources}
        self.meter.expect(sum(rows.values()))
        self.pending = {t.name: any(rows[source] for source in t.sources) for t in EVENT_TABLES}
        self.pending[OTHERS] = any(rows[table.sources[0]] for table in others)
        simple = [table for table in tables if table.reading is not None]
        self._read_ops()
        self._publish("ops")
        self._read_calls()
        self._publish("calls")
        nvtx = RawNvtx.read(self.context)
        before = [table for table in simple if not table.aside] if nvtx.any_open else []
        for table in before:  # open ranges end with the capture, which may be the end of any of these
            self._read_simple(table)
        self._store_nvtx(nvtx)
        del nvtx
        self._publish("ranges", "marks", *(table.name for table in before))
        for table in simple:
            if table not in before and not table.aside:
                self._read_simple(table)
        self.owners.fix_default_pid()
        for table in simple:
            if table.aside:
                self._read_simple(table)
        return self._finish()

    def _read_ops(self) -> None:
        ops = read_ops(self.context)
        self._count(*ops.tables)
        self.graphs = len(ops.tables[OpKind.GRAPH])
        self._put("ops", op_columns(ops, self.metadata.enums, self.context), "sorting")
        for part, rows in zip(OPS.parts, ops.tables, strict=True):
            self._put(part.name, copied_columns(part, rows, self.context), "sorting")
        list_missing_devices(ops, self.context)
        self.owners.add_devices("ops", ops.column("globalPid"), ops.column("deviceId"))
        self.op_span = self._note_span("ops")

    def _read_calls(self) -> None:
        calls, self.backtraces = read_calls(self.context)
        self._count(*calls.tables)
        self._put("calls", call_columns(calls, self.context), "joining")
        self._put("calls", [("call_class", classes_of(self.sink.get("calls.name"), self.pool))], "joining")
        self.owners.add_threads("calls.thread", calls.column("globalTid"))
        self._note_span("calls")
        self._join()

    def _join(self) -> None:
        self.meter.step("joining")
        get = self.sink.get
        self.joined_pid = self.owners.default_pid
        launches = join_launches(
            self.owners.op_processes(),
            get("ops.correlation"),
            self.owners.call_processes(),
            *(get(f"calls.{column}") for column in ("correlation", "call_class", "start", "end")),
        )
        self.launch = self.spool.gathered(np.int32, launches)

    def _store_nvtx(self, nvtx: RawNvtx) -> None:
        self.meter.step("nesting ranges")
        self.sizes[schema.NVTX] = nvtx.total
        self.nvtx_end = nvtx.last
        self.unknown_types, self.thread_names = nvtx.unknown_types, nvtx.thread_names
        self._put("marks", mark_columns(nvtx, self.context), "nesting ranges")
        self.owners.add_threads("marks.thread", nvtx.marks.blocks("globalTid"))
        self._note_span("marks", "start")
        self.spans += nvtx.spans()
        nvtx.close(max((end for _, end in self.spans), default=0))
        threads = self.owners.add_threads("ranges.thread", nvtx.ranges.blocks("globalTid"))
        self.owners.add_threads("ranges.end_thread", nvtx.ranges.blocks("endGlobalTid"))
        self._put("ranges", range_columns(nvtx, threads, self.context), "nesting ranges")
        self._note_span("ranges")

    def _read_simple(self, table: EventTable[Any]) -> None:
        rows = read_simple(table, self.context)
        self._count(rows)
        place = table.name
        if table.comes_with == OTHERS:
            if not rows.total:
                return
            place = f"{OTHERS}.{len(self.others)}"
            self.others.append(rows.table)
        if table.reading is not None and table.reading.make is not None:
            made = made_columns(table, rows, self._span(), self.context)
            threads = iter([made.pop("thread")])
            self._put(place, [(field, [values]) for field, values in made.items()], "sorting")
        else:
            threads = rows.blocks("globalTid")
            self._put(place, simple_columns(table, rows, self.context), "sorting")
        if table.owner is Owner.THREAD:
            self.owners.add_threads(f"{place}.thread", threads)
        else:
            self.owners.add_devices(place, rows.blocks("globalPid"), rows.blocks("deviceId"))
        span = self._note_span(place, aside=table.aside)
        if span is not None and is_gpu_work(rows.table):
            self.work_spans.append(span)

    def _put(self, table: str, columns: NamedColumns, stage: str) -> None:
        for field, blocks in columns:
            self.meter.step(stage)
            name = f"{table}.{field}"
            self.sink.write(name, dtype_of(name), blocks)

    def _count(self, *tables: TableRows) -> None:
        self.sizes.update({rows.table: rows.total for rows in tables})

    def _note_span(self, table: str, end: str = "end", *, aside: bool = False) -> tuple[int, int] | None:
        """Note and return the time that a stored table covers."""
        starts, ends = self.sink.get(f"{table}.start"), self.sink.get(f"{table}.{end}")
        if not len(starts):
            return None
        span = int(starts[0]), int(ends.max())
        (self.aside_spans if aside else self.spans).append(span)
        return span

    def _span(self) -> tuple[int, int] | None:
        """See :attr:`Report.span`."""
        spans = [*(self.spans or self.aside_spans), *self.work_spans]
        return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None

    def _publish(self, *done: str) -> None:
        """Take ``done`` for there; publish what is there if that is more than before and less than all."""
        for name in done:
            self.pending.pop(name)
        loading = frozenset(name for name, anything in self.pending.items() if anything)
        if self.publish is None or not loading or loading == self.published:
            return
        self.published = loading
        devices, owned = self.owners.resolve(self.source)
        facts = self._facts(devices)
        changing = {name: indices.whole(self.spool) for name, indices in owned.items()}
        no_launch = np.broadcast_to(np.int32(-1), len(self.sink.get("ops.start")))
        changing["ops.launch"] = no_launch if self.launch is None else self.launch
        changing["strings.blob"] = self.spool.gathered(np.uint8, self.pool.blobs())
        changing["strings.offsets"] = self.spool.gathered(np.int64, self.pool.offsets())
        self.publish(facts, _PartialColumns(self.sink, changing), loading)

    def _finish(self) -> ReportFacts:
        self.meter.step("joining")
        devices, owned = self.owners.resolve(self.source)
        for name, indices in owned.items():
            self.sink.write(name, np.int32, indices.blocks())
        if self.launch is None or self.owners.default_pid != self.joined_pid:
            self._join()
        assert self.launch is not None
        self.sink.write("ops.launch", np.int32, [self.launch])
        unlikely = list_swallowers(self.sink, self.context)
        self.sink.write("strings.blob", np.uint8, self.pool.blobs())
        self.sink.write("strings.offsets", np.int64, self.pool.offsets())
        origin = replace(self.metadata.origin, communicators=read_communicators(self.source, self.pool))
        self.metadata = replace(self.metadata, origin=origin)
        tables = tuple(self._tables())
        return self._facts(devices, tables, [*self._notes(tables), *unlikely])

    def _odd_records(self) -> tuple[Doubtful, ...]:
        """What small tables hold that does not belong there; each value once, however often they are read."""
        doubts = Doubts()
        for (table, row, column), (what, value) in sorted(self.source.odd_records.items()):
            doubts.add(what, table, 1, f"row {row}: {column} {value}", excluded=False, column=column)
        return doubts.listed()

    def _facts(
        self, found: FoundDevices, tables: tuple[TableInfo, ...] = (), notes: Iterable[str] = ()
    ) -> ReportFacts:
        processes, threads = self.registry.named(self.context, self.thread_names)
        unsure = device_notes(found)
        return ReportFacts(
            **vars(replace(self.metadata, notes=(*self.metadata.notes, *unsure, *notes))),
            devices=found.devices,
            device_notes=unsure,
            processes=processes,
            threads=threads,
            tables=tables,
            doubtful=(*self.context.doubts.listed(), *self._odd_records()),
            diagnostics=self.diagnostics,
            others=tuple(self.others),
            has=tuple(self.source.tables),
            span=self._span(),
            op_span=self.op_span,
            nvtx_end=self.nvtx_end,
        )

    def _tables(self) -> Iterator[TableInfo]:
        for name in sorted(self.source.tables):
            read = name in self.sizes
            rows = self.sizes[name] if read else self.source.count(name)
            beneath = name in self.source.beneath
            known = name in schema.SMALL_TABLES or name in EXTRA_SOURCES
            yield TableInfo(name, rows, read or beneath or known)

    def _notes(self, tables: tuple[TableInfo, ...]) -> Iterator[str]:
        """Say what is left out, and what was not recorded rather than zero."""
        if self.backtraces:
            what = "rows that repeat a CUDA call to carry its backtrace (eventClass 67)"
            yield f"{self.backtraces} {what} are left out"
        for kind, count in self.unknown_types.items():
            yield f"{count} NVTX rows of the unknown type {'NULL' if kind == NULL else kind} are left out"
        if self.graphs:
            yield (
                f"{self.graphs} CUDA graph launches were recorded whole: the kernels in them are not in the "
                "export; capture with --cuda-graph-trace=node to record them"
            )
        for name, reason in self.source.refused.items():
            if spelling_of(name) or schema.looks_like_events(name):
                yield f"{name} can't be read: {reason}"
        unread = [t for t in tables if t.rows and not t.used]
        samples = [t for t in unread if schema.holds_samples(t.name, self.source.tables[t.name])]
        samples = [t for t in samples if not t.name.startswith(("TARGET_INFO_", "ENUM_"))]
        if samples:
            counted = ", ".join(f"{t.name} ({t.rows:,} rows)" for t in samples)
            yield f"samples of counters, which are not shown: {counted}"
        events = [t.name for t in unread if t not in samples and schema.looks_like_events(t.name)]
        views = (name for name in self.source.views if name not in self.source.beneath)
        events += [f"{name} (a view)" for name in views if schema.looks_like_events(name)]
        if events := [name for name in events if name not in schema.LEFT_OUT]:
            yield f"event tables that this version does not read: {', '.join(events)}"
        if self.op_span is None:
            kernels = "no rows in the" if schema.KERNEL in self.source.tables else "no"
            yield f"no GPU work recorded ({kernels} kernel table)"
        for table in EVENT_TABLES:
            if table.absent and not self.source.tables.keys() & set(table.sources):
                yield table.absent
