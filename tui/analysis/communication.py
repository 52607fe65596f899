"""Communication time of a device, and the part of it that no compute hides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Busy, Index, Processes
from tui.intervals import Coverage, subtract


@dataclass(frozen=True)
class Communication:
    """Busy time of one device split by what its kernels do."""

    comm: Coverage
    """Communication kernels (their base name begins ``nccl``)."""
    exposed: Coverage
    """Communication while no other kernel or graph runs on the device. Copies hide nothing."""


def communication(index: Index, device: int, processes: Processes = None) -> Communication:
    """The communication of one device, of all processes or some."""
    ops = index.report.ops
    kernels = index.ops_of(device, processes, Busy.KERNELS)
    talks = index.communicates[kernels]
    comm = Coverage(ops.start[kernels[talks]], ops.end[kernels[talks]])
    if not len(comm):
        return Communication(comm, comm)
    compute = Coverage(ops.start[kernels[~talks]], ops.end[kernels[~talks]])
    exposed = subtract(comm.spans, compute.spans)
    return Communication(comm, Coverage(exposed.start, exposed.end))


def joint(parts: list[Coverage]) -> Coverage:
    """Time covered by any of ``parts``."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Coverage([], [])
    return Coverage(np.concatenate([p.start for p in parts]), np.concatenate([p.end for p in parts]))
