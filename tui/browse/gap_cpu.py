"""What scheduling and samples tell of a gap: whether its thread ran, and in which function."""

from __future__ import annotations

import numpy as np

from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.idle import DeviceIdle
from tui.analysis.index import Index
from tui.report.columns import NULL, Positions
from tui.text.numbers import share


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
