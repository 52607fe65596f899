"""What the reports over tables read on demand share: which rows count, and what columns are made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tui.analysis.grouping import dense
from tui.analysis.scope import Scope
from tui.analysis.stats.groups import figures
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.select import host_processes, in_window
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.extra.extra_table import ExtraRows
from tui.report.importing.global_ids import global_pid_of, pid_of, tid_of
from tui.report.model import Report

LATEST = int(np.iinfo(np.int64).max)


def rows_in_scope(report: Report, scope: Scope, rows: ExtraRows, owner: str | None = None) -> Positions:
    """The rows that count: those that overlap a chosen window, of the chosen processes.

    ``owner``: the column with the globalPid or globalTid; None: the rows belong to no process, and all
    count. One whose end is not known reaches to the end of time.
    """
    start, end = rows["start"], rows.columns.get("end", rows["start"])
    found = np.arange(len(rows))[in_window(start, np.where(end == NULL, LATEST, end), scope.window)]
    return found if owner is None else found[of_chosen_processes(report, scope, rows[owner][found])]


def of_chosen_processes(report: Report, scope: Scope, global_ids: Int64) -> Bool:
    """Which rows with these globalTids or globalPids belong to a process whose host work counts."""
    processes = host_processes(report, scope)
    if processes is None:
        return np.ones(len(global_ids), bool)
    return np.isin(process_ids(global_ids), [report.processes[index].global_pid for index in processes])


def on_chosen_devices(report: Report, scope: Scope, global_pid: Int64, device_id: Int64) -> Bool:
    """Which rows with these owners are on the chosen devices."""
    if scope.devices is None:
        return np.ones(len(global_pid), bool)
    pid, found = pids(global_pid), np.zeros(len(global_pid), bool)
    for device in scope.devices:
        for owner, number in report.devices[device].owners:
            found |= (pid == owner) & (device_id == number)
    return found


def process_ids(global_ids: Int64) -> Int64:
    """The globalPid of each globalTid (or globalPid); NULL for NULL."""
    return np.where(global_ids == NULL, NULL, global_pid_of(global_ids))


def pids(global_ids: Int64) -> Int64:
    """The pid of each globalTid or globalPid; NULL for NULL."""
    return np.where(global_ids == NULL, NULL, pid_of(global_ids))


def tids(global_tids: Int64) -> Int64:
    """The tid of each globalTid; NULL for NULL."""
    return np.where(global_tids == NULL, NULL, tid_of(global_tids))


def looked_up(keys: Int64, values: Sequence[Any], wanted: Int64) -> list[Any]:
    """For each of ``wanted`` the value beside the first equal one of ``keys``; None where there is none."""
    known: dict[int, Any] = {}
    for key, value in zip(keys.tolist(), values, strict=True):
        if key != NULL:
            known.setdefault(key, value)
    return [known.get(key) for key in wanted.tolist()]


def first_values(keys: Int64, values: Int64, wanted: Int64) -> Int64:
    """For each of ``wanted`` the value beside the first equal one of ``keys``; NULL where there is none."""
    if not len(keys):
        return np.full(len(wanted), NULL)
    known, first = np.unique(keys, return_index=True)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where((known[at] == wanted) & (wanted != NULL), values[first[at]], NULL)


def pooled(
    tables: Sequence[ExtraRows], chosen: Sequence[Positions], column: str
) -> tuple[list[str | None], Int64]:
    """The names of chosen rows of several tables: all texts, None last, and where each row's is."""
    texts: list[str | None] = []
    codes = [np.zeros(0, np.int64)]
    for rows, which in zip(tables, chosen, strict=True):
        found = rows[column][which].astype(np.int64)
        codes.append(np.where(found < 0, -1, found + len(texts)))
        texts += rows.strings[:]
    return [*texts, None], np.concatenate(codes)


def addresses(values: Int64) -> list[str | None]:
    """Addresses as nsys writes them, ``0x7F00``: 64 bits without a sign; None for NULL."""
    return [None if value == NULL else f"0x{value & 0xFFFFFFFFFFFFFFFF:X}" for value in values.tolist()]


def sums_by_code(
    of: StatsReport,
    strings: Any,
    codes: Any,
    length: Int64,
    counted: str,
    named: str,
    note: str | None = None,
    *,
    spell: Callable[[str], str] = str,
    by_text: bool = False,
    marks: bool = True,
) -> Table:
    """Durations summed by the name with each code of ``strings``, largest total first.

    Equal totals are in the order of the codes, or with ``by_text`` of the texts. ``marks`` False: names that
    took no time at all are left out.
    """
    groups, values = dense(codes)
    sums = figures(groups, length, len(values))
    names = Names(strings, values, spell)
    order = np.argsort(-sums.total, kind="stable")
    if by_text:
        order = np.array(sorted(range(len(values)), key=lambda i: (-sums.total[i], names[i])), np.intp)
    if not marks:
        order = order[sums.total[order].astype(bool)]
    return of.table((*std9(sums, counted), text(named, names)), note).ordered(order)


def left_out_note(*tables: ExtraRows, more: str | None = None) -> str | None:
    """The note on rows of impossible times, and ``more``; None without any."""
    number = sum(rows.left_out for rows in tables)
    left_out = f"{number:,} rows whose times can't be true are left out" if number else None
    return "; ".join(part for part in (left_out, more) if part) or None
