"""From a report to its lanes: which exist, what they are called, and how to gather their slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tui.analysis.device_names import on_machine
from tui.analysis.given_names import given_names
from tui.intervals import Coverage, union_of_blocks
from tui.report.event_tables import EVENT_TABLES, other_tables_of
from tui.report.event_tables.event_table import EventTable, LaneShape, Owner, Split
from tui.report.event_tables.ops import is_work
from tui.report.event_tables.other import gpu_of, is_gpu_work
from tui.report.model import CallClass, Report
from tui.text import safe
from tui.timeline.aside import is_overhead
from tui.timeline.coming import coming_lanes
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.naming import device_detail, thread_detail, thread_titles
from tui.timeline.row_groups import Column, RowGroups
from tui.timeline.slice_labels import Catalogue
from tui.timeline.slices import LaneRows, Loader, Summary, split_rows

Table = EventTable[Any]
Shape = LaneShape[Any]


def build_lanes(report: Report) -> LaneTree:
    """The lanes of a report. Costs one counting pass over each table; slices are gathered on first use.

    If the report is still being read, a placeholder lane for each kind of event to come is at the end.
    """
    catalogue = Catalogue(report)
    devices = _device_lanes(report)
    threads, quiet = _thread_lanes(report)
    rest = _stray_lanes(report)
    folded = {lane.key for lane in quiet if lane.children} if threads else set()
    folded |= {lane.key for root in (*threads, *quiet, *rest) for lane in root.walk() if is_overhead(lane)}
    return LaneTree(
        (*devices, *threads, *quiet, *rest, *coming_lanes(report.loading)), catalogue, frozenset(folded)
    )


def _device_lanes(report: Report) -> list[Lane]:
    ops = report.ops
    if not len(ops):
        return []
    by_device = RowGroups([ops.device])
    shapes = [
        (table, shape, _grouped(report, table, shape))
        for table in EVENT_TABLES
        if table.owner is Owner.DEVICE
        for shape in table.lanes
    ]
    lanes = []
    given = given_names(report)
    for group, (number,) in enumerate(by_device.keys):
        device = report.devices[number]
        key, title = f"gpu{device.cuda_id}", f"GPU {device.cuda_id}"
        called = given.device(report, number)
        children: list[Lane] = []
        for table, shape, groups in shapes:
            if shape.split is Split.STREAMS:
                children += _stream_lanes(report, table, shape, groups, number, key)
            elif (number,) in groups.keys:
                load = _gather(report, table, groups, groups.keys.index((number,)))
                names = f"{key}/{shape.title}", shape.title, f"{title} {shape.title}"
                children.append(_events_lane(table, load, *names, device=number, shape=shape.title))
        children += _foreign_lanes(report, number, key, title)
        lanes.append(
            Lane(
                key, LaneKind.DEVICE, title if called is None else f"{safe(called)} · {title}",
                device_detail(device), 0, number,
                children=tuple(children), loader=_summary(report, by_device, group),
            )
        )  # fmt: skip
    return lanes


def _foreign_lanes(report: Report, device: int, key: str, owner: str) -> Iterator[Lane]:
    """The lanes of a device's work of other APIs, one a table."""
    for table in other_tables_of(report):
        if is_gpu_work(table.sources[0]):
            groups = RowGroups([gpu_of(report, table.of(report))])
            if (device,) in groups.keys:
                load = _gather(report, table, groups, groups.keys.index((device,)))
                names = f"{key}/{table.name}", table.title, f"{owner} {table.title}"
                yield _events_lane(table, load, *names, device=device, shape=table.title)


def _grouped(report: Report, table: Table, shape: Shape) -> RowGroups:
    """The rows of a shape by their device or thread, and by the columns of its split."""
    columns = table.of(report)
    by: list[Column] = [table.owners(report), *(getattr(columns, name) for name in shape.split.value)]
    return RowGroups(by, None if shape.rows is None else shape.rows(columns))


def _events_lane(table: Table, load: Loader, key: str, title: str, detail: str, **others: Any) -> Lane:
    """A lane of one table; ``others``: more fields of it."""
    return Lane(key, LaneKind.EVENTS, title, detail, loader=load, table=table.name, **{"depth": 1, **others})


def _stream_lanes(
    report: Report, table: Table, shape: Shape, streams: RowGroups, device: int, parent: str
) -> list[Lane]:
    """A lane for each (process, context, stream) of the device; the title says where they differ."""
    here = [(g, key[1:]) for g, key in enumerate(streams.keys) if key[0] == device]
    several_pids = Counter(s for _, s in {(p, s) for _, (p, _, s) in here})
    several_contexts = Counter((p, s) for _, (p, _, s) in here)
    lanes = []
    given = given_names(report)
    for group, (process, context, stream) in here:
        pid = report.processes[process].pid if process >= 0 else None
        title = f"s{stream}"
        name = given.stream(report, device, process, context, stream)
        if several_contexts[process, stream] > 1:
            title += f" c{context}"
        if several_pids[stream] > 1:
            title += f" {pid if pid is not None else '?'}"
        detail = f"stream {stream} · context {context}" + (f" · pid {pid}" if pid is not None else "")
        if name is not None:  # before what tells streams apart, which is never cut
            title = f"{safe(name)} · {title}"
            detail = f"{safe(name)} · {detail}"
        if (called := given.context(report, device, process, context)) is not None:
            detail += f" · context is {safe(called)}"
        key = f"{parent}/p{'?' if pid is None else pid}/c{context}/s{stream}"
        load = _gather(report, table, streams, group)
        others = {"device": device, "process": process, "shape": shape.title}
        lanes.append(_events_lane(table, load, key, title, detail, **others))
    return lanes


def _summary(report: Report, by_device: RowGroups, group: int) -> Loader:
    ops = report.ops

    def busy(work_only: bool) -> Coverage:
        blocks = by_device.blocks(group)
        chosen = (rows[is_work(ops.kind[rows])] for rows in blocks) if work_only else blocks
        return Coverage.of(*union_of_blocks((ops.start[rows], ops.end[rows]) for rows in chosen))

    def load() -> LaneRows:
        brief = [rows[ops.start[rows] == ops.end[rows]] for rows in by_device.blocks(group)]
        points = np.concatenate(brief)
        everything = busy(work_only=False)
        other = any(not is_work(ops.kind[rows]).all() for rows in by_device.blocks(group))
        return (Summary(everything, busy(True) if other else everything, ops.start[points], points),)

    return load


def _gather(report: Report, table: Table, groups: RowGroups, *wanted: int) -> Loader:
    """The loader of the rows of some groups, one group below the other."""

    def load() -> LaneRows:
        start, end = table.times(report)
        return tuple(
            row for group in wanted for row in split_rows(table.name, start, end, groups.members(group))
        )

    return load


class _Part(NamedTuple):
    """What one lane of a thread will show, and how to get it."""

    table: Table
    title: str
    """Empty for the outermost ranges, which are on the thread's heading."""
    key: str
    load: Loader


def _thread_lanes(report: Report) -> tuple[list[Lane], list[Lane]]:
    """(lanes of the threads that launch device work, lanes of the others).

    They are sorted by process; of one process those that launch most come first, then those with ranges.
    In a report without device work the busiest come first, whichever their process.
    Threads that have only events of tables that are ``aside`` come after all others.
    """
    parts: dict[int, list[_Part]] = {}
    for table in (*EVENT_TABLES, *other_tables_of(report)):
        if table.owner is Owner.THREAD and not _on_devices(report, table):
            for shape in table.lanes:
                for thread, part in _parts(report, table, shape):
                    parts.setdefault(thread, []).append(part)
    parts.pop(-1, None)
    calls = report.calls
    launching = RowGroups([calls.thread], calls.call_class == CallClass.LAUNCH)
    launches = Counter({t: int(n) for (t,), n in zip(launching.keys, launching.sizes, strict=True)})
    titles = thread_titles(report, list(parts))
    aside = {t for t, mine in parts.items() if all(part.table.aside for part in mine)}
    busy = {} if len(report.ops) or report.loading else _host_time(report)
    order = sorted(
        parts,
        key=lambda t: (
            t in aside, -busy.get(t, 0), report.threads[t].process, -launches[t], bool(parts[t][0].title), t
        ),
    )  # fmt: skip
    lanes = {t: _thread_lane(report, t, titles[t], parts[t]) for t in order}
    return [lanes[t] for t in order if launches[t]], [lanes[t] for t in order if not launches[t]]


def _host_time(report: Report) -> dict[int, int]:
    """How long each thread was in outermost ranges, in CUDA calls and in OS calls, in sum (ns)."""
    total = np.zeros(len(report.threads) + 1, np.int64)
    ranges = report.ranges
    outer = np.flatnonzero(ranges.level == 0)
    np.add.at(total, ranges.thread[outer], ranges.end[outer] - ranges.start[outer])
    for table in (report.calls, report.os_calls):
        np.add.at(total, table.thread, table.end - table.start)
    return dict(enumerate(total[:-1].tolist()))


def _on_devices(report: Report, table: Table) -> bool:
    """Whether the rows of a table are work of GPUs that are known, with lanes there."""
    return is_gpu_work(table.sources[0]) and bool((gpu_of(report, table.of(report)) >= 0).all())


def _parts(report: Report, table: Table, shape: Shape) -> Iterator[tuple[int, _Part]]:
    """(thread, part) of every lane of a shape."""
    groups = _grouped(report, table, shape)
    key = shape.key or shape.title
    if shape.split is Split.WHOLE:
        for group, (thread,) in enumerate(groups.keys):
            yield thread, _Part(table, shape.title, key, _gather(report, table, groups, group))
        return
    levels: dict[int, list[int]] = {}
    for group, (thread, _) in enumerate(groups.keys):
        levels.setdefault(thread, []).append(group)
    for thread, (outermost, *deeper) in levels.items():
        yield thread, _Part(table, "", "", _gather(report, table, groups, outermost))
        if deeper:
            yield thread, _Part(table, shape.title, key, _gather(report, table, groups, *deeper))


def _thread_lane(report: Report, number: int, title: str, parts: list[_Part]) -> Lane:
    """A thread's heading, which shows its outermost ranges (or its first table), and its other lanes."""
    thread = report.threads[number]
    process = report.processes[thread.process]
    machine = on_machine(report, process.global_pid)
    key = f"t{thread.pid}{machine.replace(' ', '-')}/{thread.tid}"
    detail = thread_detail(process, thread) + machine
    head, *below = parts
    owner: dict[str, Any] = {"thread": number, "process": thread.process}
    children = tuple(
        _events_lane(
            p.table, p.load, f"{key}/{p.key}", p.title, f"{p.title} of {detail}", shape=p.title, **owner
        )
        for p in below
    )
    if head.title:
        title = f"{title} · {head.title}"
    return Lane(
        key, LaneKind.THREAD, title, detail, children=children, loader=head.load, table=head.table.name,
        shape=head.title, **owner,
    )  # fmt: skip


def _stray_lanes(report: Report) -> list[Lane]:
    """Events that name no thread and no device of the report still have a lane, at the end."""
    tables = [*EVENT_TABLES, *other_tables_of(report)]
    tables.sort(key=lambda table: table.owner is Owner.DEVICE)
    return [lane for table in tables for lane in _strays(report, table)]


def _strays(report: Report, table: Table) -> Iterator[Lane]:
    """One lane of those without a thread; one a process of those without a device."""
    owners, of_threads = table.owners(report), table.owner is Owner.THREAD
    groups = RowGroups([owners if of_threads else table.of(report).process], owners < 0)
    for group, (number,) in enumerate(groups.keys):
        key, load = f"stray/{table.name}", _gather(report, table, groups, group)
        if of_threads:
            title = table.title if table.aside else f"{table.title} · no thread"
            detail = f"{title} · {safe(table.sources[0])}" if table.aside else title
            yield _events_lane(table, load, key, title, detail, depth=0)
        else:
            process = report.processes[number] if number >= 0 else None
            pid = f" {process.pid}{on_machine(report, process.global_pid)}" if process else ""
            names = f"{key}{pid}", f"{table.title}{pid}", f"{table.noun.lower()}{pid}"
            yield _events_lane(table, load, *names, depth=0, process=number)
