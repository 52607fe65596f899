"""What scheduling and samples tell of a gap: whether its thread ran, and in which function."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.cpu.preemption import preemptions
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.idle import DeviceIdle
from tui.analysis.index import Index
from tui.browse.capture import GapBook
from tui.browse.page import Pairs
from tui.report.columns import NULL, Positions
from tui.text import safe
from tui.text.numbers import plural, share
from tui.text.times import brief
from tui.timeline.causes import is_off_cpu


def gap_threads(idle: DeviceIdle, gap: int) -> Positions:
    """The threads that a gap is put down to, the one with the biggest part first."""
    rows = idle.rows.of_gap(gap)
    threads = idle.rows.thread[rows.start : rows.stop].tolist()
    return np.array([thread for thread in dict.fromkeys(threads) if thread >= 0], np.intp)


def running_words(index: Index, start: int, end: int, thread: int) -> str:
    """``on a CPU 97.2%``; unknown where the scheduler's events don't tell."""
    ran = int(scheduling(index).on_cpu(np.array([start]), np.array([end]), np.array([thread]))[0])
    return (
        "on a CPU ?: no scheduling data" if ran == NULL else f"on a CPU {share(ran, end - start)} of the time"
    )


def told_words(book: GapBook, row: int) -> list[str]:
    """What is known of one reason: how long the thread ran, in which function, called by whom."""
    cause, told = book.idle.rows.reason(row), book.told
    words = []
    if cause.on_cpu_ns is not None:
        ran = f"on a CPU {share(cause.on_cpu_ns, cause.ns)} of it"
        untraced = cause.cause is BlameClass.HOST_CODE and is_off_cpu(cause)
        words.append(f"{ran}: it waits in something that was not traced" if untraced else ran)
    if told is not None and (hot := told.hot[row]) is not None:
        of = f"{hot.count:,} of {plural(hot.samples, 'sample')}"
        words.append(f"{safe(hot.name)} of {safe(hot.module)}: {of}")
    if told is not None and (caller := told.caller[row]) is not None:
        words.append(f"called by {safe(caller.name)} of {safe(caller.module)}")
    return words


def preempted(index: Index, book: GapBook, gap: int) -> Pairs:
    """How long a gap's threads had probably to give up their CPU: no part of the sums."""
    if not index.has("preemptions"):
        return []
    found = preemptions(index)
    start, end = int(book.gaps.start[gap]), int(book.gaps.end[gap])
    threads = gap_threads(book.idle, gap).tolist()
    ns = sum(found.coverage(thread).length(start, end) for thread in threads)
    return [("", f"probably preempted for {brief(ns)} of the time off a CPU")] if ns else []
