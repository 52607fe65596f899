"""Idle time as tables: devices, reasons, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tui.analysis.awaited import awaited_in_gaps, awaited_words
from tui.analysis.blame import BlameClass, BlameMethod, time_by_class
from tui.analysis.blame_rows import CauseTotal
from tui.analysis.files.reads_in import reads_by_stretch
from tui.analysis.gap_context import neighbours, op_name, path_name, range_paths
from tui.analysis.gaps import DeviceGaps, GapKind, numbering_threshold
from tui.analysis.grouping import combined, summed
from tui.analysis.idle import DeviceIdle, Idle, Told, told_by_reason, told_by_row
from tui.analysis.index import Busy, Index
from tui.analysis.scope import DEFAULT_MIN_GAP_NS
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import figures
from tui.analysis.table import Column, Table, Unit
from tui.report.kernels.short_names import short_names
from tui.report.model import Device
from tui.text.numbers import percent, plural, share
from tui.text.times import show_duration, show_limit


def device_title(device: Device) -> str:
    """``GPU 0 (NVIDIA H100)``."""
    return f"GPU {device.cuda_id}" + (f" ({device.name})" if device.name else "")


def devices_table(idle: Idle, beside: Iterable[Column] = ()) -> Table:
    """One row a device: busy, kernel, copy-only and idle time and their shares of the window.

    ``beside``: columns of what metrics say beside busy time.
    """
    rows = [d.busy for d in idle.devices]
    return Table(
        "devices",
        "Busy and idle time per device",
        (
            Column("Device", "device", Unit.ID, [r.device.cuda_id for r in rows]),
            Column("Name", "name", Unit.TEXT, [r.device.name for r in rows]),
            Column("Window (ns)", "window_ns", Unit.NS, [r.window_ns for r in rows], rank=2),
            Column("Busy (ns)", "busy_ns", Unit.NS, [r.busy_ns for r in rows]),
            Column("Busy (%)", "busy_pct", Unit.PCT, _pct(r.busy_pct for r in rows)),
            Column("Kernel (ns)", "kernel_ns", Unit.NS, [r.kernel_ns for r in rows], rank=1),
            Column("Kernel (%)", "kernel_pct", Unit.PCT, _shares(idle, "kernel_ns")),
            Column("Copy only (ns)", "copy_only_ns", Unit.NS, [r.copy_only_ns for r in rows], rank=1),
            Column("Copy only (%)", "copy_only_pct", Unit.PCT, _shares(idle, "copy_only_ns")),
            *_besides(idle),
            *beside,
            Column("Idle (ns)", "idle_ns", Unit.NS, [r.idle_ns for r in rows]),
            Column("Idle (%)", "idle_pct", Unit.PCT, _shares(idle, "idle_ns")),
            Column("Own span (%)", "span_busy_pct", Unit.PCT, _pct(r.span_busy_pct for r in rows), rank=3),
        ),
    )


def _besides(idle: Idle) -> Iterator[Column]:
    """The columns of time that is neither recorded CUDA work nor idle, where there is any."""
    for header, key in (("Other GPU work", "other_ns"), ("Unknown", "unknown_ns")):
        values = [getattr(d.busy, key) for d in idle.devices]
        if any(values):
            yield Column(f"{header} (ns)", key, Unit.NS, values, rank=1)
            yield Column(f"{header} (%)", key.replace("_ns", "_pct"), Unit.PCT, _shares(idle, key))


def reasons_table(device: DeviceIdle, top: int | None = None, index: Index | None = None) -> Table:
    """The idle time of one device's listed gaps by class, call and phase, the biggest first.

    With ``index`` also how long the threads ran meanwhile, and what samples and backtraces tell.
    """
    rows = device.totals[:top]
    listed = int(device.gaps.duration.sum())
    left = len(device.totals) - len(rows)
    note = None
    if left:
        rest = listed - sum(r.idle_ns for r in rows)
        note = f"{plural(left, 'smaller reason')} left out, {share(rest, listed)} of the time"
    note = with_note(note, one_gap_note(device))
    return Table(
        "blame",
        f"{device_title(device.gaps.device)}: what explains the listed gaps",
        (
            Column("Idle (ns)", "idle_ns", Unit.NS, [r.idle_ns for r in rows]),
            Column("Share (%)", "idle_pct", Unit.PCT, _pct(percent(r.idle_ns, listed) for r in rows)),
            Column("Gaps", "gaps", Unit.COUNT, [r.gaps for r in rows]),
            Column("Class", "class", Unit.TEXT, [r.cause.words for r in rows]),
            Column("Call", "call", Unit.TEXT, [r.call for r in rows], blank="-"),
            Column("Phase", "phase", Unit.TEXT, [r.phase for r in rows], blank="-"),
            *(() if index is None else _cpu_columns(rows, told_by_reason(index, device))),
        ),
        note,
    )


def _cpu_columns(rows: Sequence[CauseTotal], told: Told) -> tuple[Column, ...]:
    hot, caller = told.hot[: len(rows)], told.caller[: len(rows)]
    return (
        Column("On CPU (ns)", "on_cpu_ns", Unit.NS, [r.on_cpu_ns for r in rows]),
        Column("Hot function", "hot", Unit.TEXT, [h.name if h else None for h in hot], blank="-"),
        Column("Caller", "caller", Unit.TEXT, [c.name if c else None for c in caller], blank="-"),
    )


def one_gap_note(device: DeviceIdle) -> str | None:
    """Return the note on reasons of which one gap is most of the sum; None without any."""
    rows = device.rows
    if not len(rows):
        return None
    reason, _ = combined(rows.cause, rows.call, rows.phase)
    pair, first = combined(reason, rows.gap)
    ns = summed(pair, len(first), rows.ns)
    groups = reason[first]

    def name(group: int) -> str:
        why = rows.reason(int(first[int(np.argmax(groups == group))]))
        call, phase = f" ({why.call})" if why.call else "", f" under {why.phase!r}" if why.phase else ""
        return f"{why.cause.words}{call}{phase}"

    sums = figures(groups, ns, int(groups.max()) + 1)
    return dominant_note(groups, ns, device.gaps.start[rows.gap[first]], name, sums)


def gaps_table(
    index: Index,
    devices: Sequence[DeviceIdle],
    top: int | None = None,
    *,
    short: bool = False,
    cpu: bool = False,
) -> Table:
    """Gaps with their main reason: all by start, or the ``top`` longest of each device, longest first.

    ``short``: op names without template and argument lists, the innermost range only, and no rule.
    ``cpu``: with the time on a CPU, the hot function of host code, and who made the calls.
    """
    report = index.report
    cells: dict[str, list[Any]] = {key: [] for key, _, _, _, _ in _GAP_COLUMNS}
    for device in devices:
        gaps, around = device.gaps, neighbours(index, device.gaps)
        shown = range(len(gaps)) if top is None else device.longest(top).tolist()
        main = device.rows.main_causes(len(gaps))
        paths = None if short else range_paths(index, device.main_ranges())
        nothing = Told([None] * len(device.rows), [None] * len(device.rows))
        told = told_by_row(index, device) if cpu else nothing
        files = reads_by_stretch(index, gaps.start, gaps.end, device.main_threads())
        awaited = awaited_in_gaps(index, gaps, device.rows)
        for i in shown:
            cause = device.rows.reason(int(main[i]))
            thread = report.threads[cause.thread] if cause.thread >= 0 else None
            phase = cause.phase
            if paths is not None and paths[i]:
                phase = " > ".join(path_name(report, r) for r in paths[i])
            values = {
                "device": gaps.device.cuda_id,
                "gap": gaps.listed_number(i),
                "start_ns": int(gaps.start[i]),
                "duration_ns": int(gaps.duration[i]),
                "kind": GapKind(int(gaps.kind[i])).name.lower(),
                "class": cause.cause.words,
                "call": cause.call,
                "phase": phase,
                "share_ns": cause.ns,
                "rule": "midpoint" if cause.by_midpoint else "owner",
                "copy_ns": int(device.copying[i]) if gaps.busy is not Busy.ALL else 0,
                "pid": str(thread.pid) if thread else None,
                "tid": str(thread.tid) if thread else None,
                "before": op_name(report, int(around.before[i]), short=False),
                "after": op_name(report, int(around.after[i]), short=False),
                "on_cpu_ns": cause.on_cpu_ns,
                "hot": hot.name if (hot := told.hot[int(main[i])]) else None,
                "awaited": awaited_words(index, queued) if (queued := awaited[i]) else None,
                "read": files[i][0].words if files[i] else None,
                "caller": caller.name if (caller := told.caller[int(main[i])]) else None,
            }
            for key, value in values.items():
                cells[key].append(value)
    if short:  # as much of the names as keeps those of this table apart
        forms = short_names(name for key in ("before", "after") for name in cells[key] if name is not None)
        for key in ("before", "after"):
            cells[key] = [None if name is None else forms[name] for name in cells[key]]
    kernels_only = any(d.gaps.busy is not Busy.ALL for d in devices)
    wanted = {"copy_ns": kernels_only, "rule": not short}
    wanted |= {key: any(cells[key]) for key in ("awaited", "read")}
    columns = tuple(
        Column(header, key, unit, cells[key], rank, blank)
        for key, header, unit, rank, blank in _GAP_COLUMNS
        if {**wanted, **dict.fromkeys(_CPU_KEYS, cpu)}.get(key, True)
    )
    return Table("gaps", "Gaps" if top is None else "The longest gaps", columns)


_GAP_COLUMNS = (
    ("device", "Device", Unit.ID, 0, "?"),
    ("gap", "Gap", Unit.ID, 0, "-"),
    ("start_ns", "Start (ns)", Unit.NS, 0, "?"),
    ("duration_ns", "Duration (ns)", Unit.NS, 0, "?"),
    ("kind", "Kind", Unit.TEXT, 5, "?"),
    ("class", "Class", Unit.TEXT, 0, "?"),
    ("call", "Call", Unit.TEXT, 0, "-"),
    ("phase", "Phase", Unit.TEXT, 0, "-"),
    ("share_ns", "Of the gap (ns)", Unit.NS, 3, "?"),
    ("rule", "Rule", Unit.TEXT, 7, "?"),
    ("copy_ns", "Copying (ns)", Unit.NS, 0, "?"),
    ("pid", "PID", Unit.TEXT, 6, "?"),
    ("tid", "TID", Unit.TEXT, 6, "?"),
    ("before", "Before", Unit.TEXT, 4, "-"),
    ("after", "After", Unit.TEXT, 4, "-"),
    ("awaited", "Waits for", Unit.TEXT, 0, "-"),
    ("read", "Read", Unit.TEXT, 0, "-"),
    ("on_cpu_ns", "On CPU (ns)", Unit.NS, 0, "?"),
    ("hot", "Hot function", Unit.TEXT, 0, "-"),
    ("caller", "Caller", Unit.TEXT, 0, "-"),
)
_CPU_KEYS = ("on_cpu_ns", "hot", "caller")


def gaps_note(idle: Idle, top: int | None) -> str | None:
    """What the table of gaps leaves out, which of its reasons are guessed, and how its numbers differ."""
    listed = shown = guessed = 0
    for device in idle.devices:
        which = device.longest(top)
        listed += len(device.gaps)
        shown += len(which)
        main = device.rows.main_causes(len(device.gaps))
        guessed += int(device.rows.by_midpoint[main[which]].sum())
    notes = []
    if shown < listed:
        notes.append(f"{plural(listed - shown, 'shorter one')} of {listed:,} left out")
    if guessed and idle.choices.method is BlameMethod.OWNER:
        notes.append(
            f"{plural(guessed, 'gap')} ended with an op whose launch was not recorded: explained by the CUDA "
            "call in progress at the middle, if any, as --blame midpoint does"
        )
    least, narrow = numbering_threshold(idle.choices.min_gap_ns), idle.choices.busy is not Busy.ALL
    if shown and (narrow or least < DEFAULT_MIN_GAP_NS):
        what = f"{_BETWEEN[idle.choices.busy]} of {show_limit(least)} and more"
        notes.append(
            f"the numbers count {what}: --range gap:K means the same only with the same --busy, --min-gap"
        )
    return "; ".join(notes) or None


def listed_words(gaps: DeviceGaps) -> str:
    """``the 10 longest gaps (3 of 100 us and more)``, for a list that has shorter ones too."""
    long = len(gaps) - gaps.below
    which = f"{long:,}" if long else "none"
    return f"the {plural(len(gaps), 'longest gap')} ({which} of {show_limit(gaps.min_gap_ns)} and more)"


_BETWEEN = {Busy.ALL: "gaps", Busy.KERNELS: "gaps between kernels", Busy.COMPUTE: "gaps between compute"}
_WITHOUT = {Busy.ALL: "idle", Busy.KERNELS: "without a kernel", Busy.COMPUTE: "without compute"}


def headline(device: DeviceIdle, short: Sequence[tuple[BlameClass, int]] = ()) -> list[str]:
    """A device's idle time in a few sentences. ``short``: the time of its short gaps by class."""
    busy, gaps = device.busy, device.gaps
    shares = [
        f"{name} {share(ns, busy.window_ns)}"
        for name, ns in (
            ("kernel", busy.kernel_ns),
            ("copy or memset only", busy.copy_only_ns),
            ("other GPU work", busy.other_ns),
            ("unknown (launched, not recorded)", busy.unknown_ns),
            ("idle" if busy.unknown_ns or busy.other_ns else "no recorded activity", busy.idle_ns),
        )
        if ns or name not in ("other GPU work", "unknown (launched, not recorded)")
    ]
    lines = [f"{device_title(busy.device)}: {', '.join(shares)} of {show_duration(busy.window_ns)}"]
    what = _WITHOUT[gaps.busy]
    listed, whole = int(gaps.duration.sum()), device.gap_ns
    if not whole:
        return lines
    least = f"of {show_limit(gaps.min_gap_ns)} and more" if gaps.min_gap_ns else "of any length"
    where = f"{plural(len(gaps), 'gap')} {least}"
    if gaps.below:
        where = listed_words(gaps)
    if len(gaps):
        why = by_class(time_by_class(device.blame), listed)
        lines.append(f"{what} {show_duration(whole)}: {show_duration(listed)} in {where}{why}")
        top = device.totals[0]
        call, phase = f" ({top.call})" if top.call else "", f" in {top.phase}" if top.phase else ""
        lines.append(f"biggest single reason: {top.cause.words}{call}{phase}, {share(top.idle_ns, listed)}")
    else:
        lines.append(f"{what} {show_duration(whole)}, without a gap {least}")
    if gaps.short_count:
        why = by_class(short, gaps.short_ns)
        shorter = plural(gaps.short_count, "shorter gap")
        lines.append(
            f"{show_duration(gaps.short_ns)} ({share(gaps.short_ns, whole)} of it) in {shorter}{why}"
        )
    return lines


def by_class(classes: Sequence[tuple[BlameClass, int]], whole: int) -> str:
    """``: host code 75.6%, launch latency 14.7%``; nothing for no classes."""
    shares = [f"{cause.words} {share(ns, whole)}" for cause, ns in classes[:_CLASSES]]
    return f": {', '.join(shares)}" if shares else ""


_CLASSES = 4
"""How many classes a sentence names."""


def _shares(idle: Idle, which: str) -> list[float | None]:
    return _pct(percent(getattr(d.busy, which), d.busy.window_ns) for d in idle.devices)


def _pct(values: Iterable[float | None]) -> list[float | None]:
    """Percentages rounded to the one decimal that is shown."""
    return [None if v is None else round(v, 1) for v in values]
