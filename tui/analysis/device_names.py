"""Which GPU a number means, in words, where processes number them differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tui.report.importing.global_ids import machine_of
from tui.report.model import Device, Report

_SHOWN = 3
"""How many processes of a GPU are named."""


def ambiguous(report: Report) -> bool:
    """Whether a device's number is not what every process that uses it calls it, and it alone."""
    numbers = [(d.cuda_id, {ordinal for _, ordinal in d.owners}) for d in report.devices]
    meanings = Counter(ordinal for _, ordinals in numbers for ordinal in ordinals)
    return any(ordinals != {shown} or meanings[shown] > 1 for shown, ordinals in numbers)


def on_machine(report: Report, global_pid: int) -> str:
    """`` on VM 2``, where a report has processes of several machines: they may share a pid; else empty."""
    processes = report.processes  # by globalPid, whose upper bits are the machine's
    if not processes or machine_of(processes[0].global_pid) == machine_of(processes[-1].global_pid):
        return ""
    bits = machine_of(global_pid)
    return f" on VM {bits & 0xFF}" + (f" of machine {bits >> 8}" if bits >> 8 else "")


def called(report: Report, device: Device) -> str:
    """What the processes that use a GPU call it: ``device 0 of process 100``."""
    where = on_machine(report, device.users[0]) if device.users else ""
    names = [
        f"device {ordinal}" + (f" of process {pid}" if pid >= 0 else "") for pid, ordinal in device.owners
    ]
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "") + where


def identified(report: Report, device: Device) -> str:
    """``GPU 3 is device 0 of process 100 (NVIDIA H100, 0000:1a:00.0)``."""
    known = ", ".join(part for part in (device.name, device.bus or device.uuid) if part)
    return f"GPU {device.cuda_id} is {called(report, device)}" + (f" ({known})" if known else "")


def chosen_note(report: Report, positions: Iterable[int] | None) -> str | None:
    """Say which GPUs were chosen by number, where numbers are ambiguous; None where that is clear."""
    if positions is None or not ambiguous(report):
        return None
    return "; ".join(identified(report, report.devices[position]) for position in positions)


def choices(report: Report, devices: Iterable[Device]) -> list[str]:
    """The numbers that can be chosen, with what they mean where numbers are ambiguous."""
    if not ambiguous(report):
        return [str(device.cuda_id) for device in devices]
    return [f"{device.cuda_id} ({called(report, device)})" for device in devices]
