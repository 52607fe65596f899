"""From a report to its lanes: which exist, what they are called, and how to gather their slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tui.intervals import Coverage, union_of_blocks
from tui.report.columns import Bool, Int64, UInt8
from tui.report.model import CallClass, OpKind, RangeStyle, Report
from tui.text import safe
from tui.timeline.catalogue import Catalogue, columns_of, times_of
from tui.timeline.coming import coming_lanes
from tui.timeline.lane import Lane, LaneKind, LaneLine, LaneTree
from tui.timeline.naming import base_name, device_detail, thread_detail, thread_titles
from tui.timeline.row_groups import RowGroups
from tui.timeline.slices import LaneRows, Loader, Summary, split_rows

__all__ = ["Lane", "LaneKind", "LaneLine", "LaneTree", "base_name", "build_lanes"]

OTHER_TITLES = {"PROFILER_OVERHEAD": "profiler", "CUPTI_ACTIVITY_KIND_OVERHEAD": "CUPTI"}
"""Tables whose own name would not say what they hold."""
SPELLINGS = {
    "MPI": "MPI", "CUDNN": "cuDNN", "CUBLAS": "cuBLAS", "OPENGL": "OpenGL", "OPENACC": "OpenACC",
    "OPENMP": "OpenMP", "OPENSHMEM": "OpenSHMEM", "VULKAN": "Vulkan", "CUDA": "CUDA", "API": "API",
    "UCX": "UCX",
}  # fmt: skip


def build_lanes(report: Report) -> LaneTree:
    """The lanes of a report. Costs one counting pass over each table; slices are gathered on first use.

    Of a report that is still being read, with a lane in the place of each kind of event to come.
    """
    catalogue = Catalogue(report)
    devices = _device_lanes(report)
    threads, quiet = _thread_lanes(report)
    rest = _stray_lanes(report)
    folded = frozenset(lane.key for lane in quiet if lane.children) if threads else frozenset()
    return LaneTree((*devices, *threads, *quiet, *rest, *coming_lanes(report.loading)), catalogue, folded)


# -- devices ----------------------------------------------------------------------------------------------


def _device_lanes(report: Report) -> list[Lane]:
    ops = report.ops
    if not len(ops):
        return []
    kind = ops.kind
    by_device = RowGroups([ops.device])
    streams = RowGroups([ops.device, ops.process, ops.context, ops.stream], _is_work(kind))
    copies = RowGroups([ops.device], kind == OpKind.MEMCPY)
    sets = RowGroups([ops.device], kind == OpKind.MEMSET)
    syncs = RowGroups([report.syncs.device])
    lanes = []
    for group, (number,) in enumerate(by_device.keys):
        device = report.devices[number]
        key = f"gpu{device.cuda_id}"
        children = [*_stream_lanes(report, streams, number, key)]
        for kind_of, title, groups, table in (
            (LaneKind.COPIES, "copies", copies, "ops"),
            (LaneKind.SETS, "memsets", sets, "ops"),
            (LaneKind.SYNCS, "sync", syncs, "syncs"),
        ):
            if (number,) in groups.keys:
                load = _gather(report, table, groups, groups.keys.index((number,)))
                children.append(
                    Lane(
                        f"{key}/{title}",
                        kind_of,
                        title,
                        f"GPU {device.cuda_id} {title}",
                        1,
                        number,
                        loader=load,
                        table=table,
                    )
                )
        lanes.append(
            Lane(
                key, LaneKind.DEVICE, f"GPU {device.cuda_id}", device_detail(device), 0, number,
                children=tuple(children), loader=_summary(report, by_device, group),
            )
        )  # fmt: skip
    return lanes


def _stream_lanes(report: Report, streams: RowGroups, device: int, parent: str) -> list[Lane]:
    """A lane for each (process, context, stream) of the device; the title says what tells them apart."""
    here = [(g, key[1:]) for g, key in enumerate(streams.keys) if key[0] == device]
    several_pids = Counter(s for _, s in {(p, s) for _, (p, _, s) in here})
    several_contexts = Counter((p, s) for _, (p, _, s) in here)
    lanes = []
    for group, (process, context, stream) in here:
        pid = report.processes[process].pid if process >= 0 else None
        title = f"s{stream}"
        if several_contexts[process, stream] > 1:
            title += f" c{context}"
        if several_pids[stream] > 1:
            title += f" {pid if pid is not None else '?'}"
        detail = f"stream {stream} · context {context}" + (f" · pid {pid}" if pid is not None else "")
        key = f"{parent}/p{'?' if pid is None else pid}/c{context}/s{stream}"
        load = _gather(report, "ops", streams, group)
        lanes.append(
            Lane(key, LaneKind.STREAM, title, detail, 1, device, process=process, loader=load, table="ops")
        )
    return lanes


def _summary(report: Report, by_device: RowGroups, group: int) -> Loader:
    ops = report.ops

    def busy(work_only: bool) -> Coverage:
        def blocks() -> Iterator[tuple[Int64, Int64]]:
            for members in by_device.blocks(group):
                mine = members[_is_work(ops.kind[members])] if work_only else members
                yield ops.start[mine], ops.end[mine]

        return Coverage.of(union_of_blocks(blocks()))

    def load() -> LaneRows:
        brief = [rows[ops.start[rows] == ops.end[rows]] for rows in by_device.blocks(group)]
        points = np.concatenate(brief)
        everything = busy(work_only=False)
        other = any(not _is_work(ops.kind[rows]).all() for rows in by_device.blocks(group))
        return (Summary(everything, busy(True) if other else everything, ops.start[points], points),)

    return load


def _is_work(kind: UInt8) -> Bool:
    """Which ops are kernels or graphs."""
    work: Bool = (kind == OpKind.KERNEL) | (kind == OpKind.GRAPH)
    return work


def _gather(report: Report, table: str, groups: RowGroups, group: int) -> Loader:
    def load() -> LaneRows:
        return split_rows(table, *times_of(report, table), groups.members(group))

    return load


# -- threads ----------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """One lane to be of a thread: what it shows, its key below the thread's, and how to get it."""

    kind: LaneKind
    title: str
    key: str
    table: str
    load: Loader


def _thread_lanes(report: Report) -> tuple[list[Lane], list[Lane]]:
    """(lanes of the threads that launch device work, lanes of the others)."""
    ranges, calls = report.ranges, report.calls
    push_pop = RowGroups([ranges.thread, ranges.level], ranges.style == RangeStyle.PUSH_POP)
    levels: dict[int, list[int]] = {}
    for group, (thread, _) in enumerate(push_pop.keys):
        levels.setdefault(thread, []).append(group)
    parts: dict[int, list[_Part]] = {}
    for thread, groups in levels.items():
        load = _gather(report, "ranges", push_pop, groups[0])
        parts[thread] = [_Part(LaneKind.THREAD, "", "", "ranges", load)]
        if len(groups) > 1:
            load = _gather_levels(report, push_pop, groups[1:])
            parts[thread].append(_Part(LaneKind.NVTX, "NVTX", "NVTX", "ranges", load))
    for kind, title, table in (
        (LaneKind.STARTEND, "start/end", "ranges"),
        (LaneKind.MARKS, "marks", "marks"),
        (LaneKind.API, "API", "calls"),
        (LaneKind.OS, "OS", "os_calls"),
        *((LaneKind.OTHER, _other_title(name), f"other:{name}") for name in report.others),
    ):
        start_end = ranges.style == RangeStyle.START_END if kind is LaneKind.STARTEND else None
        by_thread = RowGroups([columns_of(report, table).thread], start_end)
        for group, (thread,) in enumerate(by_thread.keys):
            load = _gather(report, table, by_thread, group)
            key = table if kind is LaneKind.OTHER else title
            parts.setdefault(thread, []).append(_Part(kind, title, key, table, load))
    parts.pop(-1, None)
    launching = RowGroups([calls.thread], calls.call_class == CallClass.LAUNCH)
    launches = Counter({t: int(n) for (t,), n in zip(launching.keys, launching.sizes, strict=True)})
    titles = thread_titles(report, list(parts))
    order = sorted(parts, key=lambda t: (report.threads[t].process, -launches[t], _rank(parts[t]), t))
    lanes = {t: _thread_lane(report, t, titles[t], parts[t]) for t in order}
    return [lanes[t] for t in order if launches[t]], [lanes[t] for t in order if not launches[t]]


def _rank(parts: list[_Part]) -> int:
    """Threads with ranges come before those without, what the profiler itself does comes last."""
    kinds = {part.kind for part in parts}
    return 0 if LaneKind.THREAD in kinds else 2 if kinds == {LaneKind.OTHER} else 1


def _thread_lane(report: Report, number: int, title: str, parts: list[_Part]) -> Lane:
    """A thread's heading, which shows its outermost ranges (or its first table), and its other lanes."""
    thread = report.threads[number]
    process = report.processes[thread.process]
    key = f"t{thread.pid}/{thread.tid}"
    detail = thread_detail(process, thread)
    head, *below = parts
    children = tuple(
        Lane(
            f"{key}/{part.key}", part.kind, part.title, f"{part.title} of {detail}", 1,
            thread=number, process=thread.process, loader=part.load, table=part.table,
        )
        for part in below
    )  # fmt: skip
    if head.title:
        title = f"{title} · {head.title}"
    return Lane(
        key, LaneKind.THREAD, title, detail, 0, thread=number, process=thread.process, children=children,
        loader=head.load, table=head.table,
    )  # fmt: skip


def _other_title(table: str) -> str:
    """``MPI_COLLECTIVES_EVENTS`` -> ``MPI collectives``."""
    if table in OTHER_TITLES:
        return OTHER_TITLES[table]
    words = table.removeprefix("CUPTI_ACTIVITY_KIND_").removesuffix("_EVENTS").split("_")
    return safe(" ".join(SPELLINGS.get(word, word.lower()) for word in words))


def _gather_levels(report: Report, groups: RowGroups, wanted: list[int]) -> Loader:
    def load() -> LaneRows:
        ranges = report.ranges
        return tuple(
            row
            for group in wanted
            for row in split_rows("ranges", ranges.start, ranges.end, groups.members(group))
        )

    return load


# -- what belongs to neither ------------------------------------------------------------------------------


def _stray_lanes(report: Report) -> list[Lane]:
    """Events that name no thread and no device of the report still have a lane, at the end."""
    lanes: list[Lane] = []
    tables: list[tuple[str, str, LaneKind]] = [
        ("ranges", "NVTX · no thread", LaneKind.STARTEND),
        ("marks", "marks · no thread", LaneKind.MARKS),
        ("calls", "API · no thread", LaneKind.API),
        ("os_calls", "OS · no thread", LaneKind.OS),
    ]
    for table, title, kind in tables:
        groups = RowGroups([getattr(report, table).thread])
        if (-1,) in groups.keys:
            load = _gather(report, table, groups, 0)
            lanes.append(Lane(f"stray/{table}", kind, title, title, loader=load, table=table))
    for name, events in report.others.items():
        groups = RowGroups([events.thread])
        if (-1,) in groups.keys:
            title = _other_title(name)
            table, detail = f"other:{name}", f"{title} · {safe(name)}"
            load = _gather(report, table, groups, 0)
            lanes.append(Lane(f"stray/{name}", LaneKind.OTHER, title, detail, loader=load, table=table))
    syncs = RowGroups([report.syncs.process], report.syncs.device < 0)
    for group, (process,) in enumerate(syncs.keys):
        pid = f" {report.processes[process].pid}" if process >= 0 else ""
        load = _gather(report, "syncs", syncs, group)
        lanes.append(
            Lane(
                f"stray/sync{pid}",
                LaneKind.SYNCS,
                f"sync{pid}",
                f"synchronisation{pid}",
                process=process,
                loader=load,
                table="syncs",
            )
        )
    return lanes
