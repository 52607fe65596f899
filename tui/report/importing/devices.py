"""Find which physical GPU each (process, deviceId) is, and its name.

A GPU is (machine, UUID, else PCI bus, else gpuId), from whatever the export's maps of GPUs have; where
no map tells, it is (machine, deviceId).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from tui.report.columns import NULL
from tui.report.importing.global_ids import machine_of, pid_of
from tui.report.importing.gpu_tables import Gpu, GpuTables, agreed, only
from tui.report.model import Device
from tui.report.sqlite.source import Source

_NO_DEVICE_ID = -1
"""The number that is shown for ops without a device id."""
_Key = tuple[int | str | None, ...]
"""A physical GPU: its machine, and what identifies it there."""
Pair = tuple[int, int]
"""(globalPid, deviceId); NULL where an id is not recorded."""


@dataclass(frozen=True)
class Meaning:
    """What a process means by a deviceId."""

    pair: Pair
    machine: int
    pid: int | None
    ordinal: int
    gpu: Gpu
    certain: bool
    """Whether a map of the export says so."""
    key: _Key

    @property
    def owner(self) -> tuple[int, int]:
        return (-1 if self.pid is None else self.pid), self.ordinal


@dataclass(frozen=True)
class FoundDevices:
    """The devices that did work, and what each pair means."""

    devices: tuple[Device, ...]
    index: Mapping[Pair, int]
    """The device of each pair; -1: that GPU did no work."""
    meanings: tuple[tuple[Meaning, ...], ...] = ()
    """Of each device: what led to it, of the pairs that did work."""
    listed: Mapping[int, int] = field(default_factory=dict)
    """How many GPUs the export lists, by machine."""
    maps: bool = False
    """Whether the export maps the numbers of any process to GPUs."""


def find_devices(ops_of: Mapping[Pair, int], others: Iterable[Pair], source: Source) -> FoundDevices:
    """Find the devices that did work, and the index of the one that each pair means.

    ``ops_of``: how many ops each pair has; ``others``: more pairs, of rows that are no ops.
    """
    pairs = sorted({*ops_of, *others})
    machines = {machine_of(global_id) for global_id, _ in pairs if global_id != NULL}
    tables = GpuTables.read(source, machines)
    home = only(machines) or 0
    meanings = {m.pair: m for m in _apart([_meaning(tables, home, pair) for pair in pairs])}
    groups: defaultdict[_Key, list[Meaning]] = defaultdict(list)
    for pair in sorted(ops_of):
        groups[meanings[pair].key].append(meanings[pair])

    gpus = {key: agreed(m.gpu for m in group) for key, group in groups.items()}
    sure = {key: agreed(m.gpu for m in group if m.certain) for key, group in groups.items()}
    shown = _numbers({key: min(m.ordinal for m in group) for key, group in groups.items()}, sure, gpus)
    ranked = sorted(groups, key=shown.__getitem__)
    listed = {machine: tables.count(machine) for machine in {home, *machines}}
    devices = []
    for i, key in enumerate(ranked):
        group = groups[key]
        known = gpus[key] if listed[group[0].machine] == 1 else sure[key]
        devices.append(
            Device(
                index=i,
                name=only(m.gpu.name for m in group if m.gpu.name is not None),
                gpu_id=sure[key].number,
                cuda_id=shown[key],
                owners=tuple(sorted({m.owner for m in group})),
                ops=sum(ops_of[m.pair] for m in group),
                users=tuple(sorted({m.pair[0] for m in group} - {NULL})),
                uuid=known.uuid,
                bus=known.bus,
            )
        )
    place = {key: i for i, key in enumerate(ranked)}
    return FoundDevices(
        tuple(devices),
        {pair: place.get(meaning.key, -1) for pair, meaning in meanings.items()},
        tuple(tuple(groups[key]) for key in ranked),
        listed,
        tables.maps,
    )


def _meaning(tables: GpuTables, home: int, pair: Pair) -> Meaning:
    """Find out what one pair means; ``home``: the machine of rows without a process."""
    global_id, device_id = pair
    pid = None if global_id == NULL else pid_of(global_id)
    machine = home if pid is None else machine_of(global_id)
    ordinal = _NO_DEVICE_ID if device_id == NULL else device_id
    gpu = tables.meant(machine, pid, ordinal)
    certain = gpu.identified
    if not certain and not (tables.maps and pid is not None and tables.knows(pid)):
        counted = tables.by_ordinal(machine, ordinal)
        gpu = replace(counted, name=gpu.name or counted.name, processors=gpu.processors)
    key: _Key = (machine, *gpu.key) if gpu.identified else (machine, "ordinal", ordinal)
    gpu = replace(gpu, name=tables.name(machine, pid, ordinal, gpu))
    return Meaning(pair, machine, pid, ordinal, gpu, certain, key)


def _apart(meanings: list[Meaning]) -> Iterator[Meaning]:
    """Keep apart what can't be one GPU where no map says so: two models."""
    models: defaultdict[_Key, set[str]] = defaultdict(set)
    for m in meanings:
        if not m.certain and m.gpu.name is not None:
            models[m.key].add(m.gpu.name)
    for m in meanings:
        yield replace(m, key=(*m.key, m.gpu.name or "")) if len(models[m.key]) > 1 else m


def _numbers(
    ordinals: dict[_Key, int], sure: Mapping[_Key, Gpu], gpus: Mapping[_Key, Gpu]
) -> dict[_Key, int]:
    """Number the devices: as processes do, where that is unique, else by gpuId, else with free numbers."""

    def rank(key: _Key) -> tuple[int | str, ...]:
        gpu, machine = gpus[key], key[0]
        assert isinstance(machine, int)
        number = -1 if gpu.number is None else gpu.number
        return ordinals[key], machine, number, gpu.bus or "", gpu.uuid or "", repr(key)

    if len(set(ordinals.values())) == len(ordinals):
        return ordinals
    numbers = {key: gpu.number for key, gpu in sure.items() if gpu.number is not None}
    if len(set(numbers.values())) == len(ordinals):
        return numbers
    used = set(ordinals.values())
    free = (number for number in count() if number not in used)
    out: dict[_Key, int] = {}
    taken: Counter[int] = Counter()
    for key in sorted(ordinals, key=rank):
        out[key] = next(free) if taken[ordinals[key]] else ordinals[key]
        taken[ordinals[key]] += 1
    return out
