"""Find which physical GPU each (process, deviceId) is, and its name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from tui.report.columns import NULL
from tui.report.importing.global_ids import machine_of, pid_of
from tui.report.importing.metadata import typed_records
from tui.report.model import Device
from tui.report.sqlite.source import Source

_NO_DEVICE_ID = -1
"""The number that is shown for ops without a device id."""
_FOREIGN = ("intel", "amd", "radeon", "microsoft", "parsec", "virtual", "aspeed", "matrox", "llvmpipe")
_Key = tuple[str, int, int]
"""A physical GPU: ("gpu", 0, gpuId), or ("cuda", machine, deviceId) where no gpuId is recorded."""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _only(names: Iterable[str]) -> str | None:
    """Return the only name; None for none or several."""
    distinct = set(names)
    return distinct.pop() if len(distinct) == 1 else None


@dataclass(frozen=True)
class GpuCatalogue:
    """What the TARGET_INFO_* tables say, whichever of them the file has."""

    gpu_of: dict[tuple[int, int], int]  # (pid, cudaId) -> gpuId
    by_id: Mapping[int | None, set[str]]  # names by TARGET_INFO_GPU.id
    by_ordinal: Mapping[int | None, set[str]]  # by TARGET_INFO_GPU.cuDevice, in old files deviceId
    by_process: Mapping[tuple[int | None, int | None], set[str]]  # by TARGET_INFO_CUDA_GPU's (pid, deviceId)
    models: set[str]  # all names of NVIDIA adapters

    @classmethod
    def read(cls, source: Source) -> GpuCatalogue:
        by_id: defaultdict[int | None, set[str]] = defaultdict(set)
        by_ordinal: defaultdict[int | None, set[str]] = defaultdict(set)
        by_process: defaultdict[tuple[int | None, int | None], set[str]] = defaultdict(set)
        models: set[str] = set()
        mapped = typed_records(source, "TARGET_INFO_CUDA_DEVICE", gpuId=int, cudaId=int, pid=int)
        gpu_of = {(pid, cuda): gpu for gpu, cuda, pid in mapped}
        for row in source.records("TARGET_INFO_GPU", ["id", "cuDevice", "deviceId", "name"]):
            name = row.get("name")
            if isinstance(name, str) and name and not name.lower().startswith(_FOREIGN):
                models.add(name)
                by_id[_number(row.get("id"))].add(name)
                by_ordinal[_number(row.get("cuDevice", row.get("deviceId")))].add(name)
        for row in source.records("TARGET_INFO_CUDA_GPU", ["deviceId", "pid", "name"]):
            name, ordinal = row.get("name"), _number(row.get("deviceId"))
            if isinstance(name, str) and name:
                for pid in (_number(row.get("pid")), None):
                    by_process[pid, ordinal].add(name)
        return cls(gpu_of, by_id, by_ordinal, by_process, models)

    def name(self, pid: int | None, cuda_id: int, gpu_id: int | None) -> str | None:
        """Return the GPU model; None where the tables do not say or contradict each other."""
        tries = [self.by_process.get((pid, cuda_id)), self.by_process.get((None, cuda_id))]
        if gpu_id is not None:
            tries.insert(0, self.by_id.get(gpu_id))
        else:
            tries.append(self.by_ordinal.get(cuda_id))
        if found := next(filter(None, tries), None):
            return _only(found)
        return None if self.by_ordinal.keys() - {None} else _only(self.models)


def find_devices(
    ops_of: Mapping[tuple[int, int], int], source: Source
) -> tuple[tuple[Device, ...], dict[tuple[int, int], int]]:
    """Find the devices that did work, and the index of the one that each (globalPid, deviceId) means.

    ``ops_of``: how many ops each pair has; NULL where an id is not recorded. Pairs are one device if
    TARGET_INFO_CUDA_DEVICE maps them to one gpuId, else if their machine and deviceId are equal.
    """
    if not ops_of:
        return (), {}
    catalogue = GpuCatalogue.read(source)
    owners: defaultdict[_Key, list[tuple[int, int]]] = defaultdict(list)
    names: defaultdict[_Key, set[str | None]] = defaultdict(set)
    ops: Counter[_Key] = Counter()
    key_of_pair: dict[tuple[int, int], _Key] = {}
    for (global_id, ordinal), number in sorted(ops_of.items()):
        pid = None if global_id == NULL else pid_of(global_id)
        shown = _NO_DEVICE_ID if ordinal == NULL else ordinal
        if pid is None:
            mapped = {gpu for (_, cuda), gpu in catalogue.gpu_of.items() if cuda == shown}
            gpu = mapped.pop() if len(mapped) == 1 else None
        else:
            gpu = catalogue.gpu_of.get((pid, shown))
        machine = 0 if pid is None else machine_of(global_id)
        key = ("gpu", 0, gpu) if gpu is not None else ("cuda", machine, shown)
        key_of_pair[global_id, ordinal] = key
        owners[key].append((-1 if pid is None else pid, shown))
        names[key].add(catalogue.name(pid, shown, gpu))
        ops[key] += number

    ordinals = {key: min(ordinal for _, ordinal in pairs) for key, pairs in owners.items()}
    if len(set(ordinals.values())) < len(ordinals):
        by_gpu = all(kind == "gpu" for kind, _, _ in owners)
        ordinals = {key: key[2] for key in owners} if by_gpu else _distinct(ordinals)
    ranked = sorted(owners, key=lambda key: (ordinals[key], key))
    devices = tuple(
        Device(
            index=i,
            name=_only(name for name in names[key] if name is not None),
            gpu_id=key[2] if key[0] == "gpu" else None,
            cuda_id=ordinals[key],
            owners=tuple(sorted(owners[key])),
            ops=ops[key],
        )
        for i, key in enumerate(ranked)
    )
    return devices, {pair: ranked.index(key) for pair, key in key_of_pair.items()}


def _distinct(ordinals: dict[_Key, int]) -> dict[_Key, int]:
    """Make the numbers of devices distinct: the first of a number keeps it, the next get free ones."""
    used = set(ordinals.values())
    free = (number for number in count() if number not in used)
    out: dict[_Key, int] = {}
    for key in sorted(ordinals, key=lambda key: (ordinals[key], key)):
        out[key] = next(free) if ordinals[key] in out.values() else ordinals[key]
    return out


def device_of(devices: tuple[Device, ...], global_pid: int, device_id: int) -> int:
    """Find the index of the device of rows that are no ops; -1 where that device did no work."""
    found = -1
    for device in devices:
        for pid, ordinal in device.owners:
            if device_id == ordinal and (global_pid == NULL or pid_of(global_pid) == pid):
                found = device.index
    return found
