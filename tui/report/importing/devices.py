"""Which (process, deviceId) is which physical GPU, and what it is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.report.columns import NULL
from tui.report.importing.global_ids import machine_of, pid_of
from tui.report.model import Device
from tui.report.sqlite.source import Source

NO_DEVICE_ID = -1
"""What ops without a device id are shown under."""

_FOREIGN = ("intel", "amd", "radeon", "microsoft", "parsec", "virtual", "aspeed", "matrox", "llvmpipe")


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


@dataclass(frozen=True)
class GpuCatalogue:
    """What the TARGET_INFO_* tables say, whichever of them the file has."""

    gpu_of: dict[tuple[int, int], int]  # (pid, cudaId) -> gpuId
    name_by_id: dict[int, set[str]]  # TARGET_INFO_GPU.id
    name_by_ordinal: dict[int, set[str]]  # TARGET_INFO_GPU.cuDevice, in old files deviceId
    name_by_process: dict[tuple[int | None, int], set[str]]  # TARGET_INFO_CUDA_GPU
    sole_name: str | None  # where all NVIDIA adapters are of one model and no ordinal tells them apart

    @classmethod
    def read(cls, source: Source) -> GpuCatalogue:
        gpu_of: dict[tuple[int, int], int] = {}
        for row in source.records("TARGET_INFO_CUDA_DEVICE", ["gpuId", "cudaId", "pid"]):
            gpu, cuda, pid = (_number(row.get(c)) for c in ("gpuId", "cudaId", "pid"))
            if gpu is not None and cuda is not None and pid is not None:
                gpu_of[pid, cuda] = gpu
        by_id: dict[int, set[str]] = {}
        by_ordinal: dict[int, set[str]] = {}
        models: set[str] = set()
        ordinals_known = False
        for row in source.records("TARGET_INFO_GPU", ["id", "cuDevice", "deviceId", "name"]):
            name = row.get("name")
            if not isinstance(name, str) or not name or name.lower().startswith(_FOREIGN):
                continue
            models.add(name)
            gpu = _number(row.get("id"))
            if gpu is not None:
                by_id.setdefault(gpu, set()).add(name)
            ordinal = _number(row.get("cuDevice", row.get("deviceId")))
            if ordinal is not None:
                ordinals_known = True
                by_ordinal.setdefault(ordinal, set()).add(name)
        by_process: dict[tuple[int | None, int], set[str]] = {}
        for row in source.records("TARGET_INFO_CUDA_GPU", ["deviceId", "pid", "name"]):
            name, ordinal, pid = row.get("name"), _number(row.get("deviceId")), _number(row.get("pid"))
            if isinstance(name, str) and name and ordinal is not None:
                by_process.setdefault((pid, ordinal), set()).add(name)
                by_process.setdefault((None, ordinal), set()).add(name)
        sole = next(iter(models)) if len(models) == 1 and not ordinals_known else None
        return cls(gpu_of, by_id, by_ordinal, by_process, sole)

    def name(self, pid: int | None, cuda_id: int, gpu_id: int | None) -> str | None:
        """The model, or None where the tables do not tell or contradict each other."""
        tries = [self.name_by_process.get((pid, cuda_id)), self.name_by_process.get((None, cuda_id))]
        if gpu_id is not None:
            tries.insert(0, self.name_by_id.get(gpu_id))
        else:
            tries.append(self.name_by_ordinal.get(cuda_id))
        for names in tries:
            if names:
                return next(iter(names)) if len(names) == 1 else None
        return self.sole_name


def find_devices(
    ops_of: Mapping[tuple[int, int], int], source: Source
) -> tuple[tuple[Device, ...], dict[tuple[int, int], int]]:
    """The devices that did work, and which of them each (globalPid, deviceId) means.

    ``ops_of``: how many ops each pair has; NULL where not recorded. A device's key is its
    gpuId where TARGET_INFO_CUDA_DEVICE maps (pid, deviceId), else (machine, deviceId).
    """
    if not ops_of:
        return (), {}
    catalogue = GpuCatalogue.read(source)
    owners: dict[tuple[str, int, int], list[tuple[int, int]]] = {}
    names: dict[tuple[str, int, int], set[str | None]] = {}
    ops: dict[tuple[str, int, int], int] = {}
    key_of_pair: dict[tuple[int, int], tuple[str, int, int]] = {}
    for (global_id, ordinal), count in sorted(ops_of.items()):
        pid = None if global_id == NULL else pid_of(global_id)
        shown = NO_DEVICE_ID if ordinal == NULL else ordinal
        gpu = None if pid is None else catalogue.gpu_of.get((pid, shown))
        if gpu is None and pid is None:
            mapped = {g for (_, cuda), g in catalogue.gpu_of.items() if cuda == shown}
            gpu = mapped.pop() if len(mapped) == 1 else None
        machine = 0 if pid is None else machine_of(global_id)
        key = ("gpu", 0, gpu) if gpu is not None else ("cuda", machine, shown)
        key_of_pair[global_id, ordinal] = key
        owners.setdefault(key, []).append((-1 if pid is None else pid, shown))
        names.setdefault(key, set()).add(catalogue.name(pid, shown, gpu))
        ops[key] = ops.get(key, 0) + count

    ordinals = {key: min(o for _, o in pairs_) for key, pairs_ in owners.items()}
    unique = len(set(ordinals.values())) == len(ordinals)
    gpu_ids = [key[2] for key in owners if key[0] == "gpu"]
    if not unique and len(gpu_ids) == len(owners):
        ordinals = {key: key[2] for key in owners}
    elif not unique:
        ordinals = _spread(ordinals)
    ranked = sorted(owners, key=lambda k: (ordinals[k], k))
    devices = []
    for i, key in enumerate(ranked):
        known = {n for n in names[key] if n is not None}
        devices.append(
            Device(
                index=i,
                name=known.pop() if len(known) == 1 else None,
                gpu_id=key[2] if key[0] == "gpu" else None,
                cuda_id=ordinals[key],
                owners=tuple(sorted(owners[key])),
                ops=ops[key],
            )
        )
    position = {key: i for i, key in enumerate(ranked)}
    return tuple(devices), {pair: position[key] for pair, key in key_of_pair.items()}


def _spread(ordinals: dict[tuple[str, int, int], int]) -> dict[tuple[str, int, int], int]:
    """Numbers of their own for devices that share one: the first keeps it, the next take free ones."""
    taken: set[int] = set()
    clash = []
    out: dict[tuple[str, int, int], int] = {}
    for key in sorted(ordinals, key=lambda k: (ordinals[k], k)):
        if ordinals[key] in taken:
            clash.append(key)
        else:
            out[key] = ordinals[key]
            taken.add(ordinals[key])
    free = (i for i in range(len(ordinals) + max(taken, default=0) + 2) if i not in taken)
    for key in clash:
        out[key] = next(free)
    return out


def device_of(devices: tuple[Device, ...], global_pid: int, device_id: int) -> int:
    """The device of rows that are no ops themselves; -1 where that device did no work."""
    found = -1
    for device in devices:
        for pid, ordinal in device.owners:
            if device_id == ordinal and (global_pid == NULL or pid_of(global_pid) == pid):
                found = device.index
    return found
