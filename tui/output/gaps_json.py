"""Idle time as JSON: integers in nanoseconds, unknown as null."""

from __future__ import annotations

from typing import Any

from tui.analysis.gap_context import neighbours, other_ranges, path_name, range_paths
from tui.analysis.gaps import GapKind
from tui.analysis.idle import DeviceIdle, Idle, short_classes
from tui.analysis.index import Index
from tui.analysis.notes import blocking_ns, capture_notes, outside_note
from tui.output.json_text import head
from tui.text.numbers import hundredths, percent


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
        "step_name": idle.steps.name,
        "host_blocking_ns": blocking_ns(index, idle.scope),
        "notes": [*capture_notes(index), *([more] if more else [])],
        "devices": [device_object(index, idle, device, top) for device in idle.devices],
    }


def device_object(index: Index, idle: Idle, device: DeviceIdle, top: int | None) -> dict[str, Any]:
    """One device in JSON."""
    busy, gaps = device.busy, device.gaps
    chosen = idle.scope.processes
    pids = sorted({pid for pid, _ in busy.device.owners})
    if chosen is not None:
        of_interest = {index.report.processes[p].pid for p in chosen}
        pids = [p for p in pids if p in of_interest]
    return {
        "device": busy.device.cuda_id,
        "name": busy.device.name,
        "processes": pids,
        "window_ns": busy.window_ns,
        "busy_ns": busy.busy_ns,
        "kernel_ns": busy.kernel_ns,
        "copy_only_ns": busy.copy_only_ns,
        "idle_ns": busy.idle_ns,
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
            {"class": t.cause.words, "call": t.call, "phase": t.phase, "idle_ns": t.idle_ns, "gaps": t.gaps}
            for t in device.totals
        ],
        "gaps": gap_objects(index, device, top),
    }


def gap_objects(index: Index, device: DeviceIdle, top: int | None) -> list[dict[str, Any]]:
    """The gaps of one device in JSON: by start, or the longest first."""
    report, gaps = index.report, device.gaps
    if not len(gaps):
        return []

    def name(op: int) -> str | None:
        return report.strings[int(report.ops.name[op])] if op >= 0 else None

    def who(thread: int) -> dict[str, int | None]:
        known = report.threads[thread] if thread >= 0 else None
        return {"pid": known.pid if known else None, "tid": known.tid if known else None}

    def range_name(position: int) -> str:
        return str(report.strings[int(report.ranges.name[position])])

    around = neighbours(index, gaps)
    paths = range_paths(index, device.main_ranges())
    elsewhere = other_ranges(index, gaps.start + gaps.duration // 2, device.main_threads())
    return [
        {
            "index": gaps.listed_number(i),
            "start_ns": int(gaps.start[i]),
            "end_ns": int(gaps.end[i]),
            "duration_ns": int(gaps.duration[i]),
            "kind": GapKind(int(gaps.kind[i])).name.lower(),
            "copy_ns": int(device.copying[i]),
            "before": name(int(around.before[i])),
            "after": name(int(around.after[i])),
            "path": [path_name(report, r) for r in paths[i]],
            "open_elsewhere": [
                {
                    "name": range_name(other.range),
                    **who(other.thread),
                    "crosses_threads": other.crosses_threads,
                }
                for other in elsewhere[i]
            ],
            "blame": [
                {
                    "class": cause.cause.words,
                    "call": cause.call,
                    "phase": cause.phase,
                    **who(cause.thread),
                    "ns": cause.ns,
                    "by_midpoint": cause.by_midpoint,
                }
                for cause in device.rows.causes(i)
            ],
        }
        for i in (range(len(gaps)) if top is None else device.longest(top).tolist())
    ]
