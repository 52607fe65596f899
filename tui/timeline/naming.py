"""Names of reports, devices, processes and threads for a screen."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath, PureWindowsPath

from tui.analysis.device_names import on_machine
from tui.report.model import Device, Process, Report, Thread
from tui.text import safe


def report_title(report: Report) -> str:
    """``run.sqlite · 2 x NVIDIA H100 · python 4242``."""
    parts = [safe(report.path.name)]
    models = [safe(device.name or "GPU") for device in report.devices if device.ops]
    if models:
        model = models[0] if len(set(models)) == 1 else "GPU"
        parts.append(f"{len(models)} x {model}" if len(models) > 1 else model)
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
    elsewhere = [str(number) for number in sorted({n for _, n in device.owners}) if number != device.cuda_id]
    pids = sorted({pid for pid, _ in device.owners})
    owners = f"pid {', '.join(map(str, pids))}" if pids else ""
    owners += f" (device {' or '.join(elsewhere)} there)" if elsewhere else ""
    return " · ".join(part for part in (f"GPU {device.cuda_id}", safe(device.name or ""), owners) if part)


def thread_detail(process: Process, thread: Thread) -> str:
    """``pt_autograd_0 · python · pid 4242 · tid 4250``."""
    parts = [safe(thread.name or ""), base_name(process.name), f"pid {thread.pid}", f"tid {thread.tid}"]
    return " · ".join(dict.fromkeys(part for part in parts if part))


def thread_titles(report: Report, numbers: list[int]) -> dict[int, str]:
    """The names of threads, or of their processes; with the tid if several have the same name."""

    def name(thread: Thread) -> str:
        return safe(thread.name or "") or base_name(report.processes[thread.process].name) or "thread"

    def place(thread: Thread) -> str:
        return f"{thread.tid}{on_machine(report, thread.global_tid)}"

    threads = {number: report.threads[number] for number in numbers}
    count = Counter(map(name, threads.values()))
    return {n: name(t) if count[name(t)] == 1 else f"{name(t)} {place(t)}" for n, t in threads.items()}
