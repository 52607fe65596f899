"""How busy each device is, and how much of it is communication.

kernel + copy-only + other + unknown + idle = window, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.accounts import shown_work, unknown
from tui.analysis.index import Busy, Index, Processes
from tui.analysis.scope import Scope, devices_with_work
from tui.intervals import Coverage, subtract
from tui.report.model import Device
from tui.text.numbers import percent


@dataclass(frozen=True)
class DeviceBusy:
    """Busy and idle time of one device in one window (ns), each instant counted once."""

    device: Device
    window_ns: int
    busy_ns: int
    """Some op runs (with ``--busy kernels``: a kernel or graph)."""
    kernel_ns: int
    """A kernel or graph runs: compute, and communication without compute beside it."""
    compute_ns: int
    """A kernel or graph runs that is no communication."""
    copy_only_ns: int
    """A copy or memset runs and no kernel does."""
    other_ns: int
    """Work of another API (OpenGL, Vulkan, Direct3D) runs and no CUDA work does."""
    unknown_ns: int
    """Nothing that was recorded runs, but something was launched that was not recorded."""
    idle_ns: int
    """Nothing runs."""
    span: tuple[int, int] | None
    """The device's own first and last busy instant inside the window; None: no work in it."""

    @property
    def exposed_comm_ns(self) -> int:
        """Communication runs and no other kernel does."""
        return self.kernel_ns - self.compute_ns

    @property
    def busy_pct(self) -> float | None:
        return percent(self.busy_ns, self.window_ns)

    @property
    def span_busy_pct(self) -> float | None:
        return percent(self.busy_ns, self.span[1] - self.span[0]) if self.span else None


def scoped_devices(index: Index, scope: Scope) -> list[Device]:
    """The devices that the scope names; by default all that have ops (of the chosen processes)."""
    report = index.report
    if scope.devices is not None:
        return [report.devices[d] for d in scope.devices]
    devices = devices_with_work(report)
    if scope.processes is None:
        return devices
    return [d for d in devices if not index.users[d.index].isdisjoint(scope.processes)]


def device_busy(index: Index, scope: Scope, busy: Busy = Busy.ALL) -> list[DeviceBusy]:
    """One row a device in scope. ``busy`` decides what ``busy_ns`` and the own span count."""
    low, high = scope.window.start, scope.window.end
    rows = []
    for device in scoped_devices(index, scope):
        of = device.index, scope.processes
        any_ns = index.coverage(*of).length(low, high)
        shown_ns = shown_work(index, *of).length(low, high)
        unknown_ns = unknown(index, *of).length(low, high)
        counted = index.coverage(*of, busy)
        copy_ns = index.copy_only(*of).length(low, high)
        rows.append(
            DeviceBusy(
                device=device,
                window_ns=high - low,
                busy_ns=counted.length(low, high),
                kernel_ns=any_ns - copy_ns,
                compute_ns=index.coverage(*of, Busy.COMPUTE).length(low, high),
                copy_only_ns=copy_ns,
                other_ns=shown_ns - any_ns,
                unknown_ns=unknown_ns,
                idle_ns=high - low - shown_ns - unknown_ns,
                span=counted.extent(low, high),
            )
        )
    return rows


@dataclass(frozen=True)
class Communication:
    """When one device communicates."""

    comm: Coverage
    """A communication kernel runs (see :class:`Comm`)."""
    exposed: Coverage
    """And no other kernel or graph does. Copies do not hide communication."""


def communication(index: Index, device: int, processes: Processes = None) -> Communication:
    """The communication of the ``processes`` (default: all) on one device."""
    ops = index.report.ops
    kernels = index.ops_of(device, processes, Busy.KERNELS)
    is_comm = index.communicates[kernels]
    comm = Coverage(ops.start[kernels[is_comm]], ops.end[kernels[is_comm]])
    if not len(comm):
        return Communication(comm, comm)
    compute = Coverage(ops.start[kernels[~is_comm]], ops.end[kernels[~is_comm]])
    return Communication(comm, Coverage(*subtract(comm.spans, compute.spans)[:2]))


def joint(parts: list[Coverage]) -> Coverage:
    """Time covered by any of ``parts``, of which there is one at least."""
    if len(parts) == 1:
        return parts[0]
    return Coverage(np.concatenate([p.start for p in parts]), np.concatenate([p.end for p in parts]))
