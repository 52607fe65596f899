"""Which GPU a (process, deviceId) of a table that is read on demand means, and how much memory it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.stats.extra import pids
from tui.report.columns import NULL, Int64, Positions
from tui.report.extra.tables import CUDA_GPU_SIZES, GPU_SIZES
from tui.report.model import Report

HOST = -1
"""The place of host memory, which is no GPU's."""


class Place(NamedTuple):
    """A GPU that rows name, or the host."""

    device: int
    """Position in ``Report.devices``; -1: the host, or a GPU that did no work."""
    number: int | None
    """The number to show; None: none is recorded, or the host."""


def places_of(report: Report, global_pid: Int64, device_id: Int64) -> tuple[Positions, list[Place]]:
    """Per row the number of its GPU, and each GPU: those of the report, then those that did no work.

    A GPU that did no work is known by its number alone, which processes may use for different ones.
    """
    owner = {pair: d.index for d in report.devices for pair in d.owners}
    group, first = combined(global_pid, device_id)
    pairs = zip(pids(global_pid[first]).tolist(), device_id[first].tolist(), strict=True)
    found: list[Place] = []
    number: dict[Place, int] = {}
    place = np.zeros(len(first), np.intp)
    for at, (pid, ordinal) in enumerate(pairs):
        index = owner.get((pid, ordinal), -1)
        shown = None if ordinal == NULL else ordinal
        one = Place(index, report.devices[index].cuda_id if index >= 0 else shown)
        if one not in number:
            number[one] = len(found)
            found.append(one)
        place[at] = number[one]
    return place[group], found


def capacity(report: Report, device: int) -> int | None:
    """How many bytes of memory a device has; None where the export does not say, or not of which."""
    gpu = report.devices[device]
    rows = report.extra_rows(GPU_SIZES)
    sizes, numbers = rows["totalMemory"], rows["id"]
    mine = sizes[numbers == gpu.gpu_id] if gpu.gpu_id is not None else sizes[:0]
    for candidates in (mine, sizes):
        known = np.unique(candidates[candidates > 0])
        if len(known) == 1:
            return int(known[0])
        if len(known):
            return None
    listed = report.extra_rows(CUDA_GPU_SIZES)
    owned = np.zeros(len(listed), bool)
    for pid, ordinal in gpu.owners:
        of_process = (listed["pid"] == pid) | (listed["pid"] == NULL)
        owned |= of_process & (listed["deviceId"] == ordinal)
    found = np.unique(listed["globalMemorySize"][owned])
    found = found[found > 0]
    return int(found[0]) if len(found) == 1 else None
