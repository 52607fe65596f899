"""One row a thread: how long it ran, in what, and how long it was in CUDA and OS calls."""

from __future__ import annotations

import numpy as np

from tui.analysis.cpu.hot import hot_functions
from tui.analysis.cpu.preemption import preemptions
from tui.analysis.cpu.sample_groups import chosen_samples
from tui.analysis.cpu.sampling import samples
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.index import Doing, Index
from tui.analysis.scope import Scope
from tui.analysis.stats.select import host_processes
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL, Bool, Int64, distinct_values
from tui.text.numbers import percent


def threads_table(index: Index, scope: Scope) -> Table:
    """The threads in scope of which anything was recorded in the window, the most time on a CPU first.

    A figure is unknown where the capture can't tell: no scheduling data of a thread, no samples at all, no
    calls traced. Time in calls is that of the outermost ones; OS calls within CUDA or MPI calls are theirs.
    """
    report, window = index.report, scope.window
    chosen = chosen_samples(index, scope, samples(index))
    count = len(report.threads)
    strangers = [i for i, thread in enumerate(chosen.threads) if thread.position < 0]
    place = np.array([t.position for t in chosen.threads], np.intp)
    place[strangers] = count + np.arange(len(strangers))
    owner = place[chosen.thread]
    everyone = count + len(strangers)
    hot = hot_functions(chosen, np.arange(len(chosen)), owner, everyone)
    times = scheduling(index).times(window.start, window.end)
    api, system = (_in_calls(index, scope, doing) for doing in (Doing.CUDA_CALL, Doing.OS_CALL))
    sampled = hot.samples if len(samples(index)) else np.full(everyone, NULL, np.int64)
    extra = np.full(len(strangers), NULL, np.int64)
    lost = _preempted(index, scope, times.on)
    on, off, switches, migrations, api_ns, os_ns, preempted = (
        np.concatenate((column, extra))
        for column in (times.on, times.off, times.switches, times.migrations, api, system, lost)
    )
    shown = (hot.samples > 0) | (np.maximum(on, np.maximum(api_ns, os_ns)) > 0) | (switches > 0)
    shown |= np.append(_in_scope_at_all(index, scope), np.zeros(len(strangers), bool)) & (on != NULL)
    shown[:count] &= _of_scope(index, scope)
    rows = np.flatnonzero(shown)
    rows = rows[np.lexsort((rows, -hot.samples[rows], -on[rows], on[rows] == NULL))]
    who = [(t.pid, t.tid, t.name) for t in report.threads]
    who += [(t.pid, t.tid, t.name) for t in (chosen.threads[i] for i in strangers)]  # type: ignore[misc]
    frames = chosen.tree.frames
    named = [frames.name[i] if i >= 0 else None for i in hot.frame[rows].tolist()]
    running = [None if n == NULL else percent(n, window.length) for n in on[rows].tolist()]
    columns = (
        Column("PID", "pid", Unit.ID, [who[i][0] for i in rows]),
        Column("TID", "tid", Unit.ID, [who[i][1] for i in rows]),
        Column("Name", "name", Unit.TEXT, [who[i][2] for i in rows], blank="-"),
        Column("On CPU (ns)", "on_cpu_ns", Unit.NS, on[rows]),
        Column("Off CPU (ns)", "off_cpu_ns", Unit.NS, off[rows], rank=1),
        Column("On CPU (%)", "on_cpu_pct", Unit.PCT, [None if p is None else round(p, 1) for p in running]),
        Column("Switches", "switches", Unit.COUNT, switches[rows], rank=2),
        Column("Migrations", "migrations", Unit.COUNT, migrations[rows], rank=3),
        Column("Samples", "samples", Unit.COUNT, sampled[rows]),
        Column("Hot function", "hot", Unit.TEXT, named, blank="-"),
        Column("CUDA calls (ns)", "api_ns", Unit.NS, api_ns[rows], rank=1),
        Column("OS calls (ns)", "os_ns", Unit.NS, os_ns[rows], rank=1),
        Column("Probably preempted (ns)", "preempted_ns", Unit.NS, preempted[rows], rank=4),
    )
    return Table("threads", "Threads", columns)


def _preempted(index: Index, scope: Scope, on: Int64) -> Int64:
    """How long each thread was probably off a CPU because another one took it; NULL where ``on`` is."""
    found, window = preemptions(index), scope.window
    inside = np.minimum(found.end, window.end) - np.maximum(found.start, window.start)
    sums = np.zeros(len(on), np.int64)
    np.add.at(sums, found.thread, np.maximum(inside, 0))
    return np.where(on == NULL, NULL, sums)


def _of_scope(index: Index, scope: Scope) -> Bool:
    processes = host_processes(index.report, scope)
    if processes is None:
        return np.ones(len(index.report.threads), bool)
    found: Bool = np.isin(index.process_of_thread[:-1], processes)
    return found


def _in_scope_at_all(index: Index, scope: Scope) -> Bool:
    """The threads of the scope that have scheduling data: off a CPU all the time is known, too."""
    return _of_scope(index, scope) & scheduling(index).known[:-1]


def _in_calls(index: Index, scope: Scope, doing: Doing) -> Int64:
    """How long each thread was in such calls; NULL for all where none were traced in the report."""
    report = index.report
    calls = report.calls if doing is Doing.CUDA_CALL else report.os_calls
    found = np.full(len(report.threads), 0 if len(calls) else NULL, np.int64)
    for thread in distinct_values(calls.thread[calls.thread >= 0]).tolist():
        activity = index.activity(thread)
        mine = activity.doing == doing
        start = np.maximum(activity.start[mine], scope.window.start)
        end = np.minimum(activity.end[mine], scope.window.end)
        found[thread] = np.maximum(end - start, 0).sum()
    return found
