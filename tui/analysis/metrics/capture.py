"""The metrics of a report: whose each one is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tui.analysis.index import Index
from tui.analysis.metrics.keys import VERSION, field_kind
from tui.analysis.metrics.metric import Metric, best, key_for
from tui.analysis.metrics.quantity import Quantity
from tui.errors import ReportError
from tui.report.importing.global_ids import machine_of
from tui.report.metrics.columns import Kept
from tui.report.metrics.reading import has_metrics, metrics_in
from tui.report.model import Device, Report

_GPU = re.compile(r"\b(?:GPU|Device)[ _#]?(\d+)\b", re.IGNORECASE)
_OF_GPU = ("gpu", "nvml")


@dataclass(frozen=True, eq=False)
class Metrics:
    """All metrics of a report: those of devices in their order, then those of the machine."""

    all: tuple[Metric, ...]
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why they can't be read; empty where they can."""
    _of: dict[int, tuple[Metric, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.all)

    def of(self, device: int) -> tuple[Metric, ...]:
        """The metrics of a device of the report; of -1 all others."""
        if device not in self._of:
            self._of[device] = tuple(metric for metric in self.all if metric.device == device)
        return self._of[device]

    def find(self, device: int, key: str) -> Metric | None:
        """The metric of a device that has this key."""
        return best(self.of(device), key)

    def quantity(self, device: int, key: str) -> Quantity | None:
        """The values of the metric of a device that has this key."""
        metric = self.find(device, key)
        return None if metric is None else metric.quantity


NONE = Metrics(())


def metrics_of(index: Index) -> Metrics:
    """The metrics of a report; read at the first call, which may take seconds.

    A report whose metrics can't be read has none: its other figures do not need them.
    """
    return index.once("metrics", lambda: _metrics(index.report))


def metrics_are_read(index: Index) -> bool:
    """Whether :func:`metrics_of` costs nothing any more."""
    return index.knows("metrics")


def may_have_metrics(report: Report) -> bool:
    """Whether there may be any: costs nothing."""
    return has_metrics(report)


def _metrics(report: Report) -> Metrics:
    try:
        kept = metrics_in(report, field_kind, VERSION)
    except ReportError as error:
        return Metrics((), problem=str(error))
    found, notes = [], []
    for one in kept:
        metric = Metric(one, *_owner(report.devices, one), key_for(one), ())
        found.append(metric)
    assumed = sorted({m.gpu for m in found if m.gpu is not None and m.device >= 0 and _is_assumed(report, m)})
    if assumed:
        listed = ", ".join(map(str, assumed))
        notes.append(
            f"metrics of GPU {listed}: taken to be the device of that number; the export does not say so"
        )
    shared = sorted({m.gpu for m in found if m.gpu is not None and _is_shared(report.devices, m)})
    if shared:
        notes.append(
            f"GPU {', '.join(map(str, shared))} is several devices (MIG): its metrics are of all of "
            "them, and are shown at the first"
        )
    notes += dict.fromkeys(note for metric in found for note in metric.kept.notes)
    last = len(report.devices)
    order = sorted(found, key=lambda m: (m.device if m.device >= 0 else last, m.gpu is None, m.gpu or 0))
    return Metrics(tuple(order), tuple(notes))


def _owner(devices: tuple[Device, ...], kept: Kept) -> tuple[int, int | None]:
    """(position of the device or -1, number of the GPU or None) of one metric."""
    if kept.source not in _OF_GPU or kept.type_id is None:
        return -1, None
    number = kept.type_id & 0xFF
    if kept.source == "nvml" and (match := _GPU.search(kept.name)) is not None:
        number = int(match[1])
    same = _same(devices, number, kept.type_id)
    if same:
        return same[0], number
    if any(device.gpu_id is not None for device in devices):
        return -1, number
    return next((d.index for d in devices if d.cuda_id == number), -1), number


def _same(devices: Iterable[Device], number: int, type_id: int) -> list[int]:
    """The devices that are GPU ``number`` of the machine in an id: several are instances of one GPU."""
    found = [device for device in devices if device.gpu_id == number]
    near = [device for device in found if machine_of(type_id) in map(machine_of, device.users)]
    return [device.index for device in near or found]


def _is_shared(devices: tuple[Device, ...], metric: Metric) -> bool:
    type_id = metric.kept.type_id
    return metric.gpu is not None and type_id is not None and len(_same(devices, metric.gpu, type_id)) > 1


def _is_assumed(report: Report, metric: Metric) -> bool:
    return report.devices[metric.device].gpu_id is None
