"""Host code that a thread ran, and host code during which it did not run: blame told apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import Blame, BlameClass
from tui.analysis.cpu.hot import hot_functions
from tui.analysis.cpu.sampling import samples
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.index import Index
from tui.intervals import split
from tui.report.columns import Positions, distinct_values


def divided(index: Index, blame: Blame) -> Blame:
    """The same blame with host code cut where its thread was put on a CPU or taken off one.

    What is off a CPU has a class of its own. Host code of threads without scheduling data stays whole, and
    so does every sum.
    """
    running = scheduling(index)
    host = (blame.cause == BlameClass.HOST_CODE) & running.known[blame.thread]
    if not host.any():
        return blame
    source, start, end = [np.flatnonzero(~host)], [blame.start[~host]], [blame.end[~host]]
    off = [np.zeros(len(source[0]), bool)]
    for thread in distinct_values(blame.thread[host]).tolist():
        coverage = running.coverage(thread)
        assert coverage is not None  # it is known
        mine = np.flatnonzero(host & (blame.thread == thread))
        cuts = np.stack((coverage.start, coverage.end), axis=1).reshape(-1)
        pieces = split(blame.start[mine], blame.end[mine], cuts)
        source.append(mine[pieces.source])
        start.append(pieces.start)
        end.append(pieces.end)
        off.append(coverage.between(pieces.start, pieces.end) == 0)
    of = np.concatenate(source)
    columns = vars(blame.part(of))
    columns |= {"start": np.concatenate(start), "end": np.concatenate(end)}
    columns["cause"] = np.where(np.concatenate(off), BlameClass.HOST_CODE_OFF_CPU, columns["cause"])
    columns["cause"] = columns["cause"].astype(np.uint8)
    order = np.lexsort((columns["start"], columns["gap"]))
    return Blame(**{name: values[order] for name, values in columns.items()})


@dataclass(frozen=True)
class HotFunction:
    """The function that most samples of some host code are in."""

    name: str
    module: str
    count: int
    """How many of the samples are in it."""
    samples: int


def hot_of(index: Index, blame: Blame, group: Positions, groups: int) -> list[HotFunction | None]:
    """The hot function of the host code in each group of a blame's parts; None where none can be named.

    ``group``: per part of ``blame``.
    """
    taken = samples(index)
    host = np.flatnonzero((blame.cause == BlameClass.HOST_CODE) & (blame.thread >= 0))
    part, rows = taken.inside(blame.start[host], blame.end[host], blame.thread[host])
    hot = hot_functions(taken, rows, group[host[part]], groups)
    frames = taken.tree.frames
    return [
        HotFunction(frames.name[frame], frames.module[frame], count, whole) if frame >= 0 else None
        for frame, count, whole in zip(
            hot.frame.tolist(), hot.count.tolist(), hot.samples.tolist(), strict=True
        )
    ]
