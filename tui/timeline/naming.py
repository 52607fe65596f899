"""What a report, its processes and its threads are called on a screen."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath, PureWindowsPath

from tui.report.model import Device, Process, Report, Thread
from tui.text import safe


def report_title(report: Report) -> str:
    """What the report is of: ``run.sqlite · 2 x NVIDIA H100 · python 4242``."""
    parts = [safe(report.path.name)]
    used = [d for d in report.devices if d.ops]
    models = {safe(d.name or "GPU") for d in used}
    if used:
        model = models.pop() if len(models) == 1 else "GPU"
        parts.append(f"{len(used)} x {model}" if len(used) > 1 else model)
    if len(report.processes) == 1:
        process = report.processes[0]
        parts.append(f"{base_name(process.name) or 'pid'} {process.pid}")
    elif report.processes:
        parts.append(f"{len(report.processes)} processes")
    return " · ".join(parts)


def base_name(path: str | None) -> str:
    """The last part of a program's path, safe for a screen; empty when unknown."""
    if not path:
        return ""
    return safe(PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name) or safe(path)


def device_detail(device: Device) -> str:
    """``GPU 0 · NVIDIA H100 · pid 4242``."""
    pids = sorted({pid for pid, _ in device.owners})
    owners = f"pid {', '.join(map(str, pids))}" if pids else ""
    return " · ".join(part for part in (f"GPU {device.cuda_id}", safe(device.name or ""), owners) if part)


def thread_detail(process: Process, thread: Thread) -> str:
    """``pt_autograd_0 · python · pid 4242 · tid 4250``."""
    parts = [safe(thread.name or ""), base_name(process.name), f"pid {thread.pid}", f"tid {thread.tid}"]
    return " · ".join(dict.fromkeys(part for part in parts if part))


def thread_titles(report: Report, numbers: list[int]) -> dict[int, str]:
    """Thread names, or their process's; with the tid where that is needed to tell them apart."""
    plain: dict[int, str] = {}
    for number in numbers:
        thread = report.threads[number]
        process = report.processes[thread.process]
        plain[number] = safe(thread.name or "") or base_name(process.name) or "thread"
    count = Counter(plain.values())
    return {
        number: name if count[name] == 1 else f"{name} {report.threads[number].tid}"
        for number, name in plain.items()
    }
