"""A seed -> a small export with everything at once that a capture may hold."""

from __future__ import annotations

from tests.nsys.oracle import cuda_rows, graphics_rows, nvtx_rows, other_rows
from tests.nsys.oracle.draft import Draft, Process

UNITS = (2, 7, 1000, 100_000, 1_000_003, 90_000_000, 2**45 + 1)
"""Grids of time in ns. The last one makes sums of durations pass 2^53."""

GPUS = ("NVIDIA H100", "NVIDIA A100, 80GB", "GPU")


def export(seed: int) -> Draft:
    """The export of `seed`: the same rows each time."""
    draft = Draft(seed)
    draft.unit = draft.pick(*UNITS)
    # No time is 0: a row from 0 to 0 is one whose times were not recorded.
    draft.first = draft.pick(5, 5, 1_000_000_007, -20 * draft.unit - 3, 2**53 + 1)
    _machine(draft)
    for feature, share in (
        (cuda_rows.add, 0.85),
        (nvtx_rows.add, 0.85),
        (other_rows.add, 0.5),
        (graphics_rows.add, 0.4),
    ):
        if draft.chance(share):
            feature(draft)
    if draft.chance(0.3):  # rows in the order of their writing, not of time
        for table, rows in draft.rows.items():
            if table not in ("TARGET_INFO_GPU", "StringIds"):
                draft.rng.shuffle(rows)
    return draft


def _machine(draft: Draft) -> None:
    """Processes, threads, their names and the GPUs."""
    for name, value in (("EXPORT_PRODUCT_VERSION", "2023.4.4.54"), ("EXPORT_SCHEMA_VERSION", "3.7.2")):
        draft.add("META_DATA_EXPORT", name=name, value=value)
    machine = draft.pick(1, 1, 257)  # the VM, and now and then a hardware id above it
    devices = draft.rng.randint(1, 3)
    for number in range(draft.rng.randint(1, 3)):
        pid = draft.pick(100 + number, 4_000_000 + number)
        global_pid = machine << 48 | pid << 24
        threads = [global_pid | tid for tid in range(pid, pid + draft.rng.randint(1, 3))]
        own = tuple(range(devices) if draft.chance(0.6) else [draft.rng.randrange(devices)])
        draft.processes.append(Process(global_pid, tuple(threads), own))
        if draft.chance(0.9):
            draft.add("PROCESSES", globalPid=global_pid, pid=pid, name=f"python{number}")
        for thread in threads:
            if draft.chance(0.7):
                name = draft.string(draft.name("main", "worker", "pt_autograd_0"))
                draft.add("ThreadNames", nameId=name, priority=draft.pick(0, 10, 20, -5), globalTid=thread)
    for device in range(devices):
        draft.add("TARGET_INFO_GPU", vmId=machine << 48, id=device, name=draft.pick(*GPUS), cuDevice=device)
