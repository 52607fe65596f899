"""Everything that the export has about one event, as (label, value) pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.browse.clock import Clock
from tui.browse.page import Pairs
from tui.report.columns import NULL, Columns
from tui.report.model import CallClass, OpKind, RangeStyle, Report
from tui.text import safe
from tui.text.numbers import plural, show_size
from tui.text.times import exact, instant
from tui.timeline.slices import SliceId

UNKNOWN = "?"
LOADING = "loading"
"""Said of what a report that is still being read will tell."""


def table_of(report: Report, table: str) -> Columns:
    """The event table that a :class:`SliceId` names."""
    if table.startswith("other:"):
        return report.others[table.removeprefix("other:")]
    found: Columns = getattr(report, table)
    return found


def span_of(report: Report, thing: SliceId) -> tuple[int, int]:
    """(start, end) of ``thing`` in ns; a mark ends where it starts."""
    table = table_of(report, thing.table)
    start = int(table.start[thing.index])  # type: ignore[attr-defined]
    return start, start if thing.table == "marks" else int(table.end[thing.index])  # type: ignore[attr-defined]


def name_of(report: Report, thing: SliceId) -> str:
    """The full name as recorded (not yet safe for a terminal)."""
    if thing.table == "syncs":
        kind = int(report.syncs.kind[thing.index])
        return report.enums.get("sync_kind", {}).get(kind, f"synchronisation, kind {kind}")
    return _string(report, int(table_of(report, thing.table).name[thing.index]))  # type: ignore[attr-defined]


def times(clock: Clock, start: int, end: int | None) -> Pairs:
    """Start, end and duration; where the clock has a zero of its own, the recorded times too."""
    recorded = "" if clock.zero == 0 else f"  (recorded {instant(start)})"
    pairs: Pairs = [("start", clock.at(start) + recorded)]
    if end is not None:
        recorded = "" if clock.zero == 0 else f"  (recorded {instant(end)})"
        pairs += [("end", clock.at(end) + recorded), ("duration", exact(end - start))]
    return pairs


def describe(report: Report, thing: SliceId, clock: Clock) -> Pairs:
    """Labels and values, ready for the screen, the name first."""
    start, end = span_of(report, thing)
    pairs: Pairs = [("name", safe(name_of(report, thing)))]
    pairs += times(clock, start, None if thing.table == "marks" else end)
    more = {
        "ops": _op,
        "calls": _call,
        "os_calls": _os_call,
        "ranges": _range,
        "marks": _mark,
        "syncs": _sync,
    }.get(thing.table)
    return pairs + (more(report, thing.index) if more else _other(report, thing))


def _op(report: Report, row: int) -> Pairs:
    ops = report.ops
    kind = OpKind(int(ops.kind[row]))
    at = int(ops.row[row])
    device = report.devices[int(ops.device[row])]
    pairs: Pairs = [
        ("kind", kind.name.lower()),
        ("device", f"GPU {device.cuda_id}" + (f" · {safe(device.name)}" if device.name else "")),
        ("stream", _plain(ops.stream[row])),
        ("context", _plain(ops.context[row])),
        ("process", _process(report, int(ops.process[row]))),
        ("correlation", _plain(ops.correlation[row])),
    ]
    if kind is OpKind.KERNEL:
        pairs += _kernel(report, at)
    elif kind is OpKind.MEMCPY:
        pairs += _copy(report, row, at)
    elif kind is OpKind.MEMSET:
        sets = report.sets
        pairs += [
            ("bytes", _bytes(sets.bytes[at])),
            ("value", _plain(sets.value[at])),
            ("memory", _label(report, "mem_kind", sets.mem_kind[at])),
        ]
    else:
        graphs = report.graphs
        pairs += [
            ("graph", _plain(graphs.graph[at])),
            ("graph exec", _plain(graphs.graph_exec[at])),
            ("kernels", "not recorded: capture with --cuda-graph-trace=node to see them"),
        ]
    return pairs + _launch(report, row)


def _kernel(report: Report, at: int) -> Pairs:
    k = report.kernels
    return [
        ("short name", safe(_string(report, int(k.short_name[at])))),
        ("mangled name", safe(_string(report, int(k.mangled_name[at])))),
        ("grid", _triple(k.grid_x[at], k.grid_y[at], k.grid_z[at])),
        ("block", _triple(k.block_x[at], k.block_y[at], k.block_z[at])),
        ("registers/thread", _plain(k.registers[at])),
        ("static shared", _bytes(k.static_shared[at])),
        ("dynamic shared", _bytes(k.dynamic_shared[at])),
        ("local/thread", _bytes(k.local_per_thread[at])),
        *_if_known("graph node", k.graph_node[at]),
        *_if_known("green context", k.green_context[at]),
    ]


def _copy(report: Report, row: int, at: int) -> Pairs:
    c = report.copies
    size = int(c.bytes[at])
    duration = int(report.ops.end[row] - report.ops.start[row])
    rate = UNKNOWN
    if size != NULL and duration > 0:
        rate = f"{size / duration:.2f} GB/s"  # bytes per ns are GB per s
    source, target = _label(report, "mem_kind", c.src_kind[at]), _label(report, "mem_kind", c.dst_kind[at])
    pairs: Pairs = [
        ("direction", _label(report, "copy_kind", c.copy_kind[at])),
        ("bytes", _bytes(size)),
        ("throughput", rate),
        ("memory", f"{source} to {target}"),
        *_if_known("source device", c.src_device[at]),
        *_if_known("target device", c.dst_device[at]),
    ]
    if "Pageable" in (source, target):
        pairs.append(
            ("note", "pageable memory: such a copy can't overlap with the host, even if asynchronous")
        )
    return pairs


def _launch(report: Report, row: int) -> Pairs:
    ops, calls = report.ops, report.calls
    launch = int(ops.launch[row])
    if "calls" in report.loading:
        return [("launch", LOADING)]
    if launch < 0:
        return [("launch", "not recorded")]
    began, returned = int(calls.start[launch]), int(calls.end[launch])
    latency = int(ops.start[row]) - returned
    skew = "  (before the call returned)" if latency < 0 else ""
    pairs: Pairs = [
        ("launch", safe(_string(report, int(calls.name[launch])))),
        ("launched", f"{exact(int(ops.start[row]) - began)} before it started"),
        ("call took", exact(returned - began)),
        ("latency", f"{exact(latency)} from the call's return to the start{skew}"),
        ("thread", _thread(report, int(calls.thread[launch]))),
    ]
    return pairs + _path(report, int(calls.thread[launch]), began, returned)


def _call(report: Report, row: int) -> Pairs:
    calls = report.calls
    start, end = int(calls.start[row]), int(calls.end[row])
    thread = int(calls.thread[row])
    launched = np.flatnonzero(report.ops.launch == row)
    pairs: Pairs = [
        ("class", CallClass(int(calls.call_class[row])).name.lower().replace("_", " ")),
        ("thread", _thread(report, thread)),
        ("correlation", _plain(calls.correlation[row])),
        ("returned", _plain(calls.returned[row])),
    ]
    if len(launched):
        first = int(launched[0])
        pairs.append(("issued", f"{plural(len(launched), 'op')} on a device"))
        pairs.append(("first op", safe(_string(report, int(report.ops.name[first])))))
        pairs.append(("op starts", f"{exact(int(report.ops.start[first]) - end)} after the call returned"))
    return pairs + _path(report, thread, start, end)


def _os_call(report: Report, row: int) -> Pairs:
    calls = report.os_calls
    thread = int(calls.thread[row])
    return [
        ("thread", _thread(report, thread)),
        *_path(report, thread, int(calls.start[row]), int(calls.end[row])),
    ]


def _range(report: Report, row: int) -> Pairs:
    ranges = report.ranges
    style = RangeStyle(int(ranges.style[row]))
    thread = int(ranges.thread[row])
    pairs: Pairs = [
        ("style", "push/pop" if style is RangeStyle.PUSH_POP else "start/end"),
        ("domain", safe(_string(report, int(ranges.domain[row]))) if ranges.domain[row] >= 0 else "default"),
        ("thread", _thread(report, thread)),
        ("level", _plain(ranges.level[row])),
        *_if_known("category", ranges.category[row]),
        *_if_known("colour", ranges.color[row]),
    ]
    if int(ranges.end_thread[row]) not in (-1, thread):
        pairs.append(("ended by", _thread(report, int(ranges.end_thread[row]))))
    if bool(ranges.unfinished[row]):
        pairs.append(("unfinished", "its end was not recorded; drawn to the end of the capture"))
    names: list[str] = []
    parent = int(ranges.parent[row])
    while parent >= 0:
        names.append(safe(_string(report, int(ranges.name[parent]))))
        parent = int(ranges.parent[parent])
    return [*pairs, ("inside", " > ".join(reversed(names)))] if names else pairs


def _mark(report: Report, row: int) -> Pairs:
    marks = report.marks
    thread = int(marks.thread[row])
    at = int(marks.start[row])
    return [
        ("domain", safe(_string(report, int(marks.domain[row]))) if marks.domain[row] >= 0 else "default"),
        ("thread", _thread(report, thread)),
        *_if_known("colour", marks.color[row]),
        *_path(report, thread, at, at),
    ]


def _sync(report: Report, row: int) -> Pairs:
    syncs = report.syncs
    device = int(syncs.device[row])
    return [
        ("device", f"GPU {report.devices[device].cuda_id}" if device >= 0 else UNKNOWN),
        ("process", _process(report, int(syncs.process[row]))),
        ("stream", _plain(syncs.stream[row])),
        ("context", _plain(syncs.context[row])),
        ("correlation", _plain(syncs.correlation[row])),
    ]


def _other(report: Report, thing: SliceId) -> Pairs:
    table = report.others[thing.table.removeprefix("other:")]
    return [
        ("table", safe(thing.table.removeprefix("other:"))),
        ("thread", _thread(report, int(table.thread[thing.index]))),
        ("class", _plain(table.event_class[thing.index])),
    ]


def _path(report: Report, thread: int, start: int, end: int) -> Pairs:
    """The push/pop ranges of ``thread`` that contain [start, end], outermost first."""
    ranges = report.ranges
    if "ranges" in report.loading:
        return [("NVTX", LOADING)]
    stop = int(np.searchsorted(ranges.start, start, "right"))
    inside = np.flatnonzero(
        (ranges.thread[:stop] == thread)
        & (ranges.style[:stop] == RangeStyle.PUSH_POP)
        & (ranges.end[:stop] >= end)
    )
    if not len(inside):
        return []
    return [("NVTX", " > ".join(safe(_string(report, int(ranges.name[i]))) for i in inside))]


def _string(report: Report, index: int) -> str:
    return str(report.strings[index]) if index >= 0 else UNKNOWN


def _plain(value: object) -> str:
    number = int(value)  # type: ignore[call-overload]
    return UNKNOWN if number == NULL else str(number)


def _bytes(value: object) -> str:
    number = int(value)  # type: ignore[call-overload]
    return UNKNOWN if number == NULL else show_size(number)


def _if_known(label: str, value: object) -> Pairs:
    text = _plain(value)
    return [] if text == UNKNOWN else [(label, text)]


def _label(report: Report, enum: str, value: object) -> str:
    number = int(value)  # type: ignore[call-overload]
    if number == NULL:
        return UNKNOWN
    return safe(report.enums.get(enum, {}).get(number, f"{enum.replace('_', ' ')} {number}"))


def _triple(*values: object) -> str:
    return " x ".join(_plain(v) for v in values)


def _process(report: Report, index: int) -> str:
    if index < 0:
        return UNKNOWN
    process = report.processes[index]
    return f"{process.pid}" + (f" · {safe(process.name)}" if process.name else "")


def _thread(report: Report, index: int) -> str:
    if index < 0:
        return UNKNOWN
    thread = report.threads[index]
    name = f" · {safe(thread.name)}" if thread.name else ""
    return f"{thread.pid}/{thread.tid}{name}"


def as_text(pairs: Sequence[tuple[str, str]]) -> str:
    """What ``y`` copies: one ``label: value`` a line."""
    return "\n".join(f"{label}: {value}" if label else f"  {value}" for label, value in pairs) + "\n"
