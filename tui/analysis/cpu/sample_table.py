"""Samples added up by what they name: functions, modules, stacks, threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from tui.analysis.cpu.frames import FrameKind
from tui.analysis.cpu.sample_groups import Groups, each_function
from tui.analysis.cpu.sampling import Samples
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.grouping import by_text, combined, dense, group_rows, summed
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.table import Column, Table, Unit, picked
from tui.report.columns import NULL, Bool, Int64, Positions, distinct_values
from tui.text.numbers import percent


class By(Enum):
    """What a row of the table is."""

    LEAF = "leaf"
    """The function that was running."""
    FUNCTION = "function"
    """A function anywhere in the stack, once a sample."""
    MODULE = "module"
    """The file whose code was running."""
    STACK = "stack"
    """The whole way from the root to the function that was running."""
    THREAD = "thread"

    @property
    def needs_stacks(self) -> bool:
        """Whether a sample of which only the address is known says nothing about it."""
        return self in (By.FUNCTION, By.STACK)


KIND_WORDS = {
    FrameKind.PROGRAM: "program",
    FrameKind.KERNEL: "kernel",
    FrameKind.PROFILER: "profiler",
    FrameKind.UNKNOWN: "unknown",
    FrameKind.BROKEN: "broken stack",
}


@dataclass(frozen=True)
class Keys:
    """What each of some samples counts for, and what that is called."""

    key: Positions
    cells: Callable[[int], tuple[str | None, str | None, str | None]]
    """(name, module, class) of a key."""


def sample_weights(index: Index, scope: Scope, samples: Samples, used: Bool) -> Int64:
    """The time on a CPU that each of the ``used`` samples stands for; NULL: unknown. 0 for others.

    The time that a thread ran in the window, divided evenly among its samples there: whole nanoseconds that
    add up to it exactly.
    """
    found = np.where(used, NULL, 0).astype(np.int64)
    running = scheduling(index)
    rows = np.flatnonzero(used)
    group, threads = dense(samples.thread[rows])
    for thread, own in zip(threads.tolist(), group_rows(group, len(threads)), strict=True):
        coverage = running.coverage(samples.threads[thread].position)
        if coverage is None:
            continue
        mine = rows[own]
        whole, rest = divmod(coverage.length(scope.window.start, scope.window.end), len(mine))
        steps = np.arange(len(mine) + 1, dtype=np.int64) * rest // len(mine)
        found[mine] = whole + np.diff(steps)
    return found


def has_stack(samples: Samples) -> Bool:
    """Which samples have a stack, and not only an address."""
    found: Bool = (samples.node >= 0) & ~samples.address_only
    return found


def python_stacks(index: Index, scope: Scope, samples: Samples) -> Samples:
    """The samples whose stacks hold Python code, reduced to it.

    The leaf is the innermost function of the user's own code; without any, the innermost one. They stand for
    no more time than before: what the others stand for was spent in no Python.
    """
    tree = samples.tree
    reduced, place = tree.only(tree.frames.python)
    weighed = replace(samples, weight=sample_weights(index, scope, samples, has_stack(samples)))
    chosen = weighed.part(tree.holds(samples.node, tree.frames.python) & has_stack(samples))
    frames = tree.frames
    own, innermost = (tree.nearest(chosen.node, mask) for mask in (frames.user_python, frames.python))
    leaf = np.where(own >= 0, own, innermost)
    return replace(chosen, node=place[chosen.node], leaf=leaf, tree=reduced)


def samples_table(index: Index, scope: Scope, samples: Samples, by: By, groups: Groups) -> Table:
    """One row a group and function, module, stack or thread; in each group the most samples first."""
    used = has_stack(samples) if by.needs_stacks else np.ones(len(samples), bool)
    weight = sample_weights(index, scope, samples, used) if samples.weight is None else samples.weight
    keep = used[groups.rows]
    groups = replace(groups, rows=groups.rows[keep], group=groups.group[keep])
    whole = np.bincount(groups.group, minlength=groups.count)
    if by is By.FUNCTION:
        groups, frame = each_function(samples, groups)
        keys = _frame_keys(samples, frame, samples.tree.frames.kind[frame])
    else:
        keys = _keys(samples, groups.rows, by)
    cell, first = combined(groups.group, keys.key)
    count = np.bincount(cell, minlength=len(first))
    ns = weight[groups.rows]
    time = summed(cell, len(first), np.where(ns == NULL, 0, ns))
    time[distinct_values(cell[ns == NULL])] = NULL  # a part of a sum would be no figure
    _, pair = combined(cell, samples.thread[groups.rows])
    threads = np.bincount(cell[pair], minlength=len(first))
    group = groups.group[first]
    texts = [keys.cells(key) for key in keys.key[first].tolist()]
    pct = [percent(n, w) for n, w in zip(count.tolist(), whole[group].tolist(), strict=True)]
    columns = (
        *(replace(column, values=picked(column.values, group)) for column in groups.columns),
        Column("Name", "name", Unit.TEXT, [name for name, _, _ in texts]),
        Column("Module", "module", Unit.TEXT, [module for _, module, _ in texts], blank="-", rank=1),
        Column("Samples", "samples", Unit.COUNT, count),
        Column("On CPU (ns)", "on_cpu_ns", Unit.NS, time),
        Column("Share (%)", "pct", Unit.PCT, [None if p is None else round(p, 1) for p in pct]),
        Column("Threads", "threads", Unit.COUNT, threads, rank=3),
        Column("Class", "class", Unit.TEXT, [kind for *_, kind in texts], blank="-", rank=2),
    )
    names = sorted(range(len(texts)), key=lambda i: texts[i][0] or "")
    by_name = np.empty(len(texts), np.int64)
    by_name[np.array(names, np.intp)] = np.arange(len(texts))
    size = np.zeros(len(group), np.int64) if groups.in_order else -whole[group]
    order = np.lexsort((by_name, -count, group, size))
    return Table("samples", f"CPU samples by {by.value}", columns).ordered(order)


def _keys(samples: Samples, rows: Positions, by: By) -> Keys:
    if by is By.THREAD:

        def thread_cells(key: int) -> tuple[str | None, str | None, str | None]:
            thread = samples.threads[key]
            tid = "" if thread.tid is None else str(thread.tid)
            return " ".join(part for part in (thread.name, tid) if part) or None, None, None

        return Keys(samples.thread[rows], thread_cells)
    leaf, kind = samples.leaf[rows], samples.kind[rows]
    frames = samples.tree.frames
    if by is By.MODULE:
        modules: list[str | None] = [*frames.module, None]
        number, names = by_text(np.where(leaf < 0, len(frames), leaf), modules.__getitem__)
        key, first = combined(number, kind)

        def module_cells(one: int) -> tuple[str | None, str | None, str | None]:
            name = names[number[first[one]]]
            return name, name, _word(kind[first[one]])

        return Keys(key.astype(np.intp), module_cells)
    if by is By.STACK:
        number, paths = by_text(samples.node[rows], lambda node: folded(samples, node))
        key, first = combined(number, kind)
        return Keys(
            key.astype(np.intp),
            lambda one: (paths[number[first[one]]], frames.module[leaf[first[one]]], _word(kind[first[one]])),
        )
    return _frame_keys(samples, leaf, kind)


def _frame_keys(samples: Samples, frame: Positions, kind: Any) -> Keys:
    frames = samples.tree.frames
    key, first = combined(frame, kind)

    def cells(one: int) -> tuple[str | None, str | None, str | None]:
        number, of = int(frame[first[one]]), kind[first[one]]
        if number < 0:
            return None, None, _word(of)
        return frames.name[number], frames.module[number], _word(of)

    return Keys(key.astype(np.intp), cells)


def _word(kind: Any) -> str:
    return KIND_WORDS[FrameKind(int(kind))]


def folded(samples: Samples, node: int) -> str:
    """A stack as one line, root first: ``main;step;gemm``. A semicolon in a name becomes a colon."""
    frames = samples.tree.frames
    return ";".join(frames.name[frame].replace(";", ":") for frame in samples.tree.path(node))
