"""What the export can't tell of its GPUs, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tui.report.columns import NULL
from tui.report.importing.devices import FoundDevices, Meaning

_SHOWN = 3
"""How many of a kind are named."""


def device_notes(found: FoundDevices) -> tuple[str, ...]:
    """Say where it is not sure which GPU a process used, the most doubtful first."""
    return (*_shared(found), *_unmapped(found), *_contradicted(found), *_parts(found))


def _shared(found: FoundDevices) -> Iterator[str]:
    """Processes that say the same number, where it may mean several GPUs."""
    doubtful = [
        group
        for group in found.meanings
        if found.listed.get(group[0].machine, 0) > 1
        and len(_processes(group)) > 1
        and any(not m.certain and m.ordinal >= 0 for m in group)
    ]
    for group in doubtful[:_SHOWN]:
        number = found.devices[found.index[group[0].pair]].cuda_id
        yield (
            f"the export lists {found.listed[group[0].machine]:,} GPUs and does not tell which of them each "
            f"process used: {_listed_processes(group)} say device {_ordinals(group)}, which counts as one "
            f"GPU here (GPU {number}) but may be several, as with CUDA_VISIBLE_DEVICES"
        )
    if len(doubtful) > _SHOWN:
        yield f"... and so it is with {len(doubtful) - _SHOWN:,} more GPUs"


def _unmapped(found: FoundDevices) -> Iterator[str]:
    """Processes that the map of others lacks, and numbers that it lacks of a process."""
    if not found.maps:
        return
    missing = [
        m for group in found.meanings for m in group if not m.certain and m.pid is not None and m.ordinal >= 0
    ]
    missing = [m for m in missing if max(found.listed.get(m.machine, 0), len(found.devices)) > 1]
    for m in missing[:_SHOWN]:
        taken = "the GPU that CUDA counts so" if m.gpu.identified else "a GPU of that number"
        yield (
            f"which GPU device {m.ordinal} of process {m.pid} is, the export does not tell: it is taken for "
            f"{taken}, GPU {found.devices[found.index[m.pair]].cuda_id} here"
        )
    if len(missing) > _SHOWN:
        yield f"... and so it is with {len(missing) - _SHOWN:,} more devices of processes"


def _contradicted(found: FoundDevices) -> Iterator[str]:
    """Processes of which the map has two numbers for one GPU."""
    for device, group in zip(found.devices, found.meanings, strict=True):
        several = [
            pid for pid, count in Counter(m.pair[0] for m in group).items() if count > 1 and pid != NULL
        ]
        if several:
            own = [m for m in group if m.pair[0] == several[0]]
            yield (
                f"the export says that devices {_ordinals(own)} of process {own[0].pid} are one GPU (GPU "
                f"{device.cuda_id} here): they count as one, but may be parts of it (MIG)"
            )


def _parts(found: FoundDevices) -> Iterator[str]:
    """GPUs of which processes saw different parts, where no UUID tells these apart."""
    for device, group in zip(found.devices, found.meanings, strict=True):
        sizes = {m.gpu.processors for m in group} - {None}
        if len(sizes) > 1 and all(m.gpu.uuid is None for m in group):
            yield (
                f"processes saw GPU {device.cuda_id} with {' and '.join(map(str, sorted(sizes, key=str)))} "
                "multiprocessors: they may be parts of it (MIG), or shares (MPS), which the export does not "
                "tell apart; it counts as one GPU here"
            )


def _processes(group: Sequence[Meaning]) -> list[int]:
    return sorted({m.pair[0] for m in group} - {NULL})


def _listed_processes(group: Sequence[Meaning]) -> str:
    pids = [str(m.pid) for m in group if m.pid is not None]
    pids = [*dict.fromkeys(pids)]
    shown = pids[:_SHOWN]
    more = len(pids) - len(shown)
    return f"processes {', '.join(shown)}" + (f" and {more:,} more" if more else "")


def _ordinals(group: Sequence[Meaning]) -> str:
    return " and ".join(str(ordinal) for ordinal in sorted({m.ordinal for m in group}))
