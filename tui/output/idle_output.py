"""Idle time as a text for people (sentences, then tables), and as JSON: integers in ns, unknown as null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TextIO

from tui.analysis.accounts import not_idle
from tui.analysis.awaited import awaited_in_gaps, awaited_name
from tui.analysis.blame import HOST_CODE_MEANS, BlameClass
from tui.analysis.contexts.owners import idle_elsewhere
from tui.analysis.contexts.spans import context_spans, gpus_with_contexts
from tui.analysis.cuda_events import readable_waits
from tui.analysis.elsewhere import other_ranges
from tui.analysis.files.accesses import readable_accesses
from tui.analysis.files.reads_in import reads_by_stretch
from tui.analysis.gap_context import neighbours, path_name, range_paths
from tui.analysis.gap_tables import headline
from tui.analysis.gaps import GapKind
from tui.analysis.idle import DeviceIdle, Idle, Told, short_classes, told_by_reason, told_by_row
from tui.analysis.index import Index
from tui.analysis.metrics.beside_busy import beside_busy, gaps_elsewhere
from tui.analysis.notes import blocking_ns, capture_notes, outside_note
from tui.analysis.table import Table
from tui.output.json_text import head
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, readable, write_lines, write_table
from tui.text import safe
from tui.text.numbers import hundredths, percent
from tui.text.times import show_duration, show_time


def write_idle(
    index: Index,
    idle: Idle,
    tables: Iterable[Table],
    notes: Iterable[str],
    stream: TextIO,
    layout: TextLayout,
    *,
    title: str,
    glance: bool = True,
) -> None:
    """Write what each device did in the window, the ``tables``, and the ``notes``.

    ``glance``: each time in the unit that suits it; else all in the layout's unit.
    """
    window, dot = idle.scope.window, "-" if layout.ascii else "·"
    when = f"{show_duration(window.length)} from {show_time(window.start)}"
    lines = [f"{safe(title)} {dot} {safe(window.label)} {dot} {when}"]
    if more := outside_note(index.report, window):
        lines.append(paragraph(more, layout.width))
    for device in idle.devices:
        sentences = headline(device, short_classes(index, idle, device))
        sentences += [_elsewhere_words(ns) for ns in _elsewhere(index, idle, device).values()]
        lines += ["", *(paragraph(safe(sentence), layout.width) for sentence in sentences)]
    if waited := blocking_ns(index, idle.scope):
        lines += [
            "",
            f" host: {show_duration(waited)} in calls that wait for a device, added up over threads",
        ]
    if any(t.cause is BlameClass.HOST_CODE for device in idle.devices for t in device.totals):
        lines += ["", f" host code: {HOST_CODE_MEANS}"]
    write_lines(lines, stream, layout)
    for table in tables:
        stream.write("\n")
        write_table(readable(table) if glance else table, stream, layout)
    for note in notes:
        write_lines(["", paragraph(f"note: {safe(note)}", layout.width)], stream, layout)


def gaps_document(index: Index, idle: Idle, top: int | None) -> dict[str, Any]:
    """What each device did, and its gaps: of each device the ``top`` longest, or all by start."""
    choices = idle.choices
    more = outside_note(index.report, idle.scope.window)
    return {
        **head(index.report, idle.scope),
        "busy": choices.busy.value,
        "min_gap_ns": choices.min_gap_ns,
        "blame": choices.method.value,
        "phase": choices.phase.value,
        **({"cpu": True} if choices.cpu else {}),
        "step_name": idle.steps.name,
        "host_blocking_ns": blocking_ns(index, idle.scope),
        "notes": [*capture_notes(index), *([more] if more else [])],
        "devices": [device_object(index, idle, device, top) for device in idle.devices],
    }


def _elsewhere_words(ns: int | None) -> str:
    if ns is None:
        why = "the records of context switches can't be read, or don't fit the kernels"
        return f"other context: unknown: {why}"
    return f"other context: another process's context was on for {show_duration(ns)} of the idle time"


def _elsewhere(index: Index, idle: Idle, device: DeviceIdle) -> dict[str, int | None]:
    """How much of the idle time the device worked for other processes, where it says so itself."""
    if context_spans(index).problem:
        return {"other_context_ns": None}
    if not len(gpus_with_contexts(index)):
        return {}
    gaps, window = device.gaps, idle.scope.window
    held = not_idle(index, gaps.device.index, gaps.processes, gaps.busy).gaps(window.start, window.end)
    ns = idle_elsewhere(index, gaps.device.index, held, gaps.processes)
    return {"other_context_ns": ns}


def device_object(index: Index, idle: Idle, device: DeviceIdle, top: int | None) -> dict[str, Any]:
    """One device in JSON."""
    busy, gaps = device.busy, device.gaps
    told: list[dict[str, Any]] = [{}] * len(device.totals)
    if idle.choices.cpu:
        told = told_objects(told_by_reason(index, device))
    pids = {pid for pid, _ in busy.device.owners}
    if idle.scope.processes is not None:
        pids &= {index.report.processes[position].pid for position in idle.scope.processes}
    return {
        "device": busy.device.cuda_id,
        "name": busy.device.name,
        "processes": sorted(pids),
        "window_ns": busy.window_ns,
        "busy_ns": busy.busy_ns,
        "kernel_ns": busy.kernel_ns,
        "compute_ns": busy.compute_ns,
        "exposed_comm_ns": busy.exposed_comm_ns,
        "copy_only_ns": busy.copy_only_ns,
        "other_ns": busy.other_ns,
        "unknown_ns": busy.unknown_ns,
        "idle_ns": busy.idle_ns,
        **asdict(beside_busy(index, busy.device.index, idle.scope.window)),
        **_elsewhere(index, idle, device),
        "busy_pct": hundredths(busy.busy_pct),
        "idle_pct": hundredths(percent(busy.idle_ns, busy.window_ns)),
        "span_start_ns": busy.span[0] if busy.span else None,
        "span_end_ns": busy.span[1] if busy.span else None,
        "span_busy_pct": hundredths(busy.span_busy_pct),
        "listed_gaps": {"count": len(gaps), "idle_ns": int(gaps.duration.sum())},
        "short_gaps": {
            "count": gaps.short_count,
            "idle_ns": gaps.short_ns,
            "blame": [
                {"class": cause.words, "idle_ns": ns} for cause, ns in short_classes(index, idle, device)
            ],
        },
        "blame": [
            {
                "class": t.cause.words,
                "call": t.call,
                "phase": t.phase,
                "idle_ns": t.idle_ns,
                "gaps": t.gaps,
                "on_cpu_ns": t.on_cpu_ns,
                **more,
            }
            for t, more in zip(device.totals, told, strict=True)
        ],
        "gaps": gap_objects(index, device, top, cpu=idle.choices.cpu),
    }


def told_objects(told: Told) -> list[dict[str, Any]]:
    """What samples and backtraces tell of rows of blame in JSON: null where they tell nothing."""
    return [
        {"hot": hot and asdict(hot), "caller": caller and asdict(caller)}
        for hot, caller in zip(told.hot, told.caller, strict=True)
    ]


def gap_objects(
    index: Index, device: DeviceIdle, top: int | None, *, cpu: bool = False
) -> list[dict[str, Any]]:
    """The gaps of one device in JSON: by start, or the longest first. ``cpu``: with what samples tell."""
    report, gaps = index.report, device.gaps
    if not len(gaps):
        return []

    def op_name(op: int) -> str | None:
        return report.strings[int(report.ops.name[op])] if op >= 0 else None

    def thread_ids(position: int) -> dict[str, int | None]:
        thread = report.threads[position] if position >= 0 else None
        return {"pid": thread.pid if thread else None, "tid": thread.tid if thread else None}

    told: list[dict[str, Any]] = [{}] * len(device.rows)
    if cpu:
        told = told_objects(told_by_row(index, device))

    around = neighbours(index, gaps)
    elsewhere_ns = gaps_elsewhere(index, gaps.device.index, gaps.start, gaps.end)
    paths = range_paths(index, device.main_ranges())
    elsewhere = other_ranges(index, gaps.start + gaps.duration // 2, device.main_threads())
    files = _files(index, device)
    awaited = _awaited(index, device)
    return [
        {
            "index": gaps.listed_number(i),
            "start_ns": int(gaps.start[i]),
            "end_ns": int(gaps.end[i]),
            "duration_ns": int(gaps.duration[i]),
            "kind": GapKind(int(gaps.kind[i])).name.lower(),
            "copy_ns": int(device.copying[i]),
            "busy_elsewhere_ns": None if elsewhere_ns is None else int(elsewhere_ns[i]),
            "before": op_name(int(around.before[i])),
            "after": op_name(int(around.after[i])),
            "path": [path_name(report, r) for r in paths[i]],
            "open_elsewhere": [
                {
                    "name": path_name(report, other.range),
                    **thread_ids(other.thread),
                    "crosses_threads": other.crosses_threads,
                }
                for other in elsewhere[i]
            ],
            **({} if files is None else {"files": files[i]}),
            **({} if awaited is None else {"awaited": awaited[i]}),
            "blame": [
                {
                    "class": cause.cause.words,
                    "call": cause.call,
                    "phase": cause.phase,
                    **thread_ids(cause.thread),
                    "ns": cause.ns,
                    "by_midpoint": cause.by_midpoint,
                    "on_cpu_ns": cause.on_cpu_ns,
                    **told[row],
                }
                for row in device.rows.of_gap(i)
                for cause in (device.rows.reason(row),)
            ],
        }
        for i in (range(len(gaps)) if top is None else device.longest(top).tolist())
    ]


def _files(index: Index, device: DeviceIdle) -> list[list[dict[str, Any]]] | None:
    """Per gap what files its thread read meanwhile; None where the capture does not tell."""
    if not len(readable_accesses(index)):
        return None
    gaps = device.gaps
    return [
        [
            {"path": read.path, "bytes": read.bytes, "ns": read.ns, "rate_gbps": read.rate_gbps}
            for read in reads
        ]
        for reads in reads_by_stretch(index, gaps.start, gaps.end, device.main_threads())
    ]


def _awaited(index: Index, device: DeviceIdle) -> list[dict[str, Any] | None] | None:
    """Per gap which event's work the op that ends it waited for; None where the capture has no events."""
    if not len(readable_waits(index).call):
        return None
    report = index.report
    return [
        None
        if found is None
        else {
            "device": found.device,
            "stream": found.stream,
            "event": found.event,
            "name": awaited_name(report, found),
            "by": found.by,
            "assumed": found.assumed,
        }
        for found in awaited_in_gaps(index, device.gaps, device.rows)
    ]
