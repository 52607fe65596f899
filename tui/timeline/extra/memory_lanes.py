"""Below each device: its memory by kind, unified memory that moves, and the contexts that are on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.analysis.index import Index
from tui.analysis.memory.levels import Level as Steps
from tui.analysis.memory.levels import levels
from tui.analysis.memory.lifetimes import ARRAY, DEVICE, HOST_KINDS, MANAGED, Lifetimes, kind_words, lifetimes
from tui.analysis.memory.places import capacity
from tui.analysis.memory.pools import pools
from tui.analysis.memory.tables import size_words
from tui.analysis.scope import Scope
from tui.analysis.work_window import recorded_window
from tui.report.columns import Positions
from tui.report.extra.tables import MEMORY_USAGE
from tui.report.model import Report
from tui.text.numbers import plural, share
from tui.text.times import show_time
from tui.timeline.extra.stepped import Stepped, sum_of_latest
from tui.timeline.extra.there import has_rows, main_threads
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Area, Level
from tui.timeline.slices import LaneRows

_STYLES = {DEVICE: "series.0", ARRAY: "series.1", MANAGED: "series.4"}
_OTHER, _HOST = "series.5", "series.3"


def memory_lanes(report: Report) -> Iterator[Lane]:
    """A lane of memory for each device and each process that uses one, where any allocation was recorded."""
    if not has_rows(report, MEMORY_USAGE):
        return
    for device in report.devices:
        name = f"GPU {device.cuda_id}"
        yield Lane(
            f"gpu{device.cuda_id}/memory", LaneKind.SERIES, "memory", f"memory of {name}", 1, device.index,
            late=_device_memory(device.index),
        )  # fmt: skip
    users = {pid for device in report.devices for pid in device.users}
    for process, thread in main_threads(report).items():
        global_pid, pid = report.processes[process].global_pid, report.processes[process].pid
        if global_pid in users:
            yield Lane(
                f"t{pid}/host-memory", LaneKind.SERIES, "host memory", f"host memory of process {pid}", 1,
                thread=thread, process=process, late=_host_memory(global_pid),
            )  # fmt: skip


def _device_memory(device: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        found = lifetimes(index)
        kinds = [
            group.kind if group.place.device == device and not group.on_host else None
            for group in found.groups
        ]
        size = capacity(index.report, device)
        return (*_area(index, found, kinds, size), *_pools(index, device))

    return load


def _pools(index: Index, device: int) -> Iterator[Level]:
    """What the pools of a device have in use, and what they hold reserved, together."""
    mine = [pool for pool in pools(index, Scope(recorded_window(index))) if pool.place.device == device]
    for title, which in (("pools in use", "in_use"), ("pools reserved", "reserved")):
        parts = [getattr(pool, which) for pool in mine]
        time = np.concatenate([np.zeros(0, np.int64), *(part.times for part in parts)])
        if not len(time):
            continue
        value = np.concatenate([part.values for part in parts])
        group = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        order = np.argsort(time, kind="stable")
        steps = sum_of_latest(time[order], group[order], value[order])
        yield Level(
            title=title,
            details=(("pools", f"{len(mine):,}"), ("at most", size_words(_most(steps)))),
            note="memory pools: read as documented, unverified",
            values=Stepped(steps),
            style=_OTHER,
            top=max(1.0, float(_most(steps))),
            words=size_words,
        )


def _host_memory(global_pid: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        found = lifetimes(index)
        kinds = [
            group.kind if group.process == global_pid and group.kind in HOST_KINDS else None
            for group in found.groups
        ]
        return _area(index, found, kinds, None)

    return load


def _area(index: Index, found: Lifetimes, kinds: list[int | None], size: int | None) -> LaneRows:
    """The memory of some groups, by kind; ``kinds``: of each group, None: it is not among them."""
    used = sorted({kind for kind in kinds if kind is not None}, key=lambda kind: (kind not in _STYLES, kind))
    sums = levels(found, _numbers([used.index(kind) if kind is not None else -1 for kind in kinds]))
    parts = [(kind, steps) for kind, steps in zip(used, sums, strict=False) if len(steps)]
    if not parts:
        return ()
    (whole,) = levels(found, _numbers([0 if kind is not None else -1 for kind in kinds]))
    peak = whole.peak(int(whole.times[0]), int(whole.times[-1]))
    words = [(kind_words(index.report, kind), steps) for kind, steps in parts]
    details = [("peak", f"{size_words(peak.value)} at {show_time(peak.at)}")]
    if size:
        details.append(("of the GPU's", f"{size_words(size)}, {share(peak.value, size)}"))
    details += [(word, f"{size_words(_most(steps))} at most") for word, steps in words]
    if doubts := sum(doubt.count for doubt in found.doubtful):
        details.append(("doubtful", f"{plural(doubts, 'row')} of the capture"))
    return (
        Area(
            title="",
            details=tuple(details),
            parts=tuple(
                Level(
                    title=word,
                    values=Stepped(steps),
                    style=_HOST if kind in HOST_KINDS else _STYLES.get(kind, _OTHER),
                    top=max(1.0, float(_most(steps))),
                    words=size_words,
                )
                for (kind, steps), (word, _) in zip(parts, words, strict=True)
            ),
            top=max(1.0, float(peak.value)),
            words=size_words,
            peak=(peak.at, float(peak.value)) if peak.value else None,
        ),
    )


def _numbers(values: list[int]) -> Positions:
    return np.array(values, np.intp)


def _most(steps: Steps) -> int:
    return int(steps.values.max())
