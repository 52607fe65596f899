"""What the TARGET_INFO_* tables say: which GPUs there are, and which one a process means by a number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from tui.report.importing.global_ids import machine_of
from tui.report.sqlite.source import Source
from tui.report.sqlite.values import whole_text

_FOREIGN = ("intel", "amd", "radeon", "microsoft", "parsec", "virtual", "aspeed", "matrox", "llvmpipe")
_BUS = re.compile(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?")
_IDENTITY = ("number", "bus", "uuid")
"""What GPUs are looked up by, the most specific to the export first."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Gpu:
    """What is known of one GPU; None: not recorded."""

    uuid: str | None = None
    """Of a MIG instance: its own."""
    bus: str | None = None
    """The PCI address, ``0000:1a:00.0``."""
    number: int | None = None
    """TARGET_INFO_GPU.id."""
    name: str | None = None
    processors: int | None = None
    """Multiprocessors that the process may use: fewer than the GPU has in a MIG instance or under MPS."""

    @property
    def identified(self) -> bool:
        return (self.uuid, self.bus, self.number) != (None, None, None)

    @property
    def key(self) -> tuple[str, str | int | None]:
        """What tells it from the other GPUs of its machine: the best that is known."""
        if self.uuid is not None:
            return "uuid", self.uuid
        return ("bus", self.bus) if self.bus is not None else ("number", self.number)


@dataclass(frozen=True)
class _Row:
    """A row of one of the tables. ``machine`` and ``pid`` None: of any; ``ordinal``: CUDA's number."""

    machine: int | None
    pid: int | None
    ordinal: int | None
    gpu: Gpu


class _Machine:
    """The GPUs that are listed for one machine."""

    def __init__(self, rows: Iterable[_Row]) -> None:
        self.gpus: list[Gpu] = []
        self.has_ordinals = False
        self._by: defaultdict[tuple[str, object], list[Gpu]] = defaultdict(list)
        for row in rows:
            self.gpus.append(row.gpu)
            self.has_ordinals |= row.ordinal is not None
            self._by["ordinal", row.ordinal].append(row.gpu)
            for field in _IDENTITY:
                self._by[field, getattr(row.gpu, field)].append(row.gpu)

    def find(self, field: str, value: object) -> Gpu:
        """What the rows with this value agree on; an unknown GPU where there are none."""
        return agreed(self._by.get((field, value), ()) if value is not None else ())


class GpuTables:
    """The rows of all tables. Questions are about one machine: the VM and hardware bits of a global id."""

    def __init__(self, listed: Iterable[_Row], mapped: Iterable[_Row], machines: Set[int]) -> None:
        """``listed``: the GPUs of the machines; ``mapped``: what processes call them.

        ``machines``: those that processes ran on. A list without any of them numbers them in another way.
        """
        rows = [*dict.fromkeys(listed)]
        self._everywhere = rows if all(row.machine not in machines for row in rows) else []
        self._rows: defaultdict[int | None, list[_Row]] = defaultdict(list)
        for row in rows:
            self._rows[row.machine].append(row)
        self._machines: dict[int, _Machine] = {}
        self._of_pair: defaultdict[tuple[int | None, int], list[_Row]] = defaultdict(list)
        self._of_ordinal: defaultdict[int, list[_Row]] = defaultdict(list)
        self._uuids: defaultdict[int | None, set[str]] = defaultdict(set)
        self._pids: set[int | None] = set()
        self.maps = False
        """Whether any table says which GPU a process means."""
        for row in dict.fromkeys(mapped):
            assert row.ordinal is not None
            self._of_pair[row.pid, row.ordinal].append(row)
            self._of_ordinal[row.ordinal].append(row)
            if row.gpu.uuid is not None:
                self._uuids[row.gpu.number].add(row.gpu.uuid)
            self._pids.add(row.pid)
            self.maps |= row.gpu.identified

    @classmethod
    def read(cls, source: Source, machines: Set[int]) -> GpuTables:
        return cls(_listed(source), [*_device_map(source), *_process_gpus(source)], machines)

    def knows(self, pid: int) -> bool:
        """Whether a process is in a map."""
        return pid in self._pids or None in self._pids

    def count(self, machine: int) -> int:
        """How many GPUs a machine has, as far as any table lists them."""
        gpus = self._on(machine).gpus
        if not gpus:
            rows = [row for found in self._of_ordinal.values() for row in found]
            gpus = [row.gpu for row in rows if row.machine in (machine, None)]
        return len({gpu.key for gpu in gpus if gpu.identified})

    def meant(self, machine: int, pid: int | None, ordinal: int) -> Gpu:
        """The GPU that a process (None: any) calls ``ordinal`` by what the maps say; else an unknown one.

        Rows that contradict each other say nothing but what they agree on.
        """
        if pid is None:
            rows = self._of_ordinal.get(ordinal, [])
        else:
            rows = self._of_pair.get((pid, ordinal)) or self._of_pair.get((None, ordinal), [])
        rows = [row for row in rows if row.machine in (machine, None)]
        there = self._on(machine)
        if len({row.gpu.number for row in rows} - {None}) > 1:  # processes of several machines share a pid
            rows = [r for r in rows if r.gpu.number is None or there.find("number", r.gpu.number).identified]
        gpu = agreed([row.gpu for row in rows])
        return self._completed(there, gpu) if gpu.identified else gpu

    def by_ordinal(self, machine: int, ordinal: int) -> Gpu:
        """The GPU that CUDA calls ``ordinal`` where a process sees all; an unknown one if none is."""
        return self._completed(self._on(machine), self._on(machine).find("ordinal", ordinal))

    def name(self, machine: int, pid: int | None, ordinal: int, gpu: Gpu) -> str | None:
        """The model of a process's GPU; None where the tables do not say or contradict each other."""
        if gpu.name is not None or gpu.identified:
            return gpu.name
        rows = self._of_ordinal.get(ordinal, ())
        names = {row.gpu.name for row in rows if row.machine in (machine, None)} - {None}
        if names or (pid is not None and self.knows(pid)):
            return only(names)
        there = self._on(machine)
        if there.has_ordinals:
            return there.find("ordinal", ordinal).name
        return only(gpu.name for gpu in there.gpus if gpu.name is not None)

    def _on(self, machine: int) -> _Machine:
        if machine not in self._machines:
            rows = self._everywhere or [*self._rows[machine], *self._rows[None]]
            self._machines[machine] = _Machine(rows)
        return self._machines[machine]

    def _completed(self, there: _Machine, gpu: Gpu) -> Gpu:
        """Add what other rows say of the same GPU."""
        found = (there.find(field, getattr(gpu, field)) for field in _IDENTITY)
        known = next((other for other in found if other.identified), Gpu())
        uuid = gpu.uuid or known.uuid
        number = known.number if gpu.number is None else gpu.number
        if uuid is None and number is not None:
            uuid = only(self._uuids.get(number, ()))
        return replace(gpu, uuid=uuid, bus=gpu.bus or known.bus, number=number, name=known.name or gpu.name)


def only(values: Iterable[_T | None]) -> _T | None:
    """Return the only value; None for none or several."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def agreed(gpus: Iterable[Gpu]) -> Gpu:
    """What is said of one GPU in several places, where they agree; what one does not say the others do."""
    said = [(gpu.uuid, gpu.bus, gpu.number, gpu.name, gpu.processors) for gpu in gpus]
    columns = ([value for value in column if value is not None] for column in zip(*said, strict=True))
    return Gpu(*map(only, columns)) if said else Gpu()


def _listed(source: Source) -> list[_Row]:
    """TARGET_INFO_GPU. In 2020 `deviceId` was its own and CUDA's number; on Windows it has other vendors'."""
    rows = []
    wanted = ["vmId", "id", "cuDevice", "deviceId", "name", "busLocation", "uuid"]
    for row in source.records("TARGET_INFO_GPU", wanted, ["uuid"]):
        name = _text(row.get("name"))
        if name is not None and name.lower().startswith(_FOREIGN):
            continue
        number = _number(row.get("id", row.get("deviceId")))
        ordinal = _number(row.get("cuDevice", row.get("deviceId")))
        gpu = Gpu(_uuid(row.get("uuid")), _bus(row.get("busLocation")), number, name)
        rows.append(_Row(_machine(row.get("vmId")), None, ordinal, gpu))
    return [*_distinguishing(rows)]


def _distinguishing(rows: list[_Row]) -> Iterator[_Row]:
    """Leave out each UUID and address that the list gives to GPUs of several numbers."""
    numbers: defaultdict[object, set[int | None]] = defaultdict(set)
    for row in rows:
        for value in (row.gpu.uuid, row.gpu.bus):
            numbers[row.machine, value].add(row.gpu.number)
    for row in rows:
        uuid, bus = (
            value if len(numbers[row.machine, value]) == 1 else None for value in (row.gpu.uuid, row.gpu.bus)
        )
        yield replace(row, gpu=replace(row.gpu, uuid=uuid, bus=bus))


def _device_map(source: Source) -> Iterator[_Row]:
    """TARGET_INFO_CUDA_DEVICE, from 2025 on."""
    wanted = ["vmId", "gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"]
    for row in source.records("TARGET_INFO_CUDA_DEVICE", wanted, ["uuid"]):
        pid, ordinal = _number(row.get("pid")), _number(row.get("cudaId"))
        number, processors = _number(row.get("gpuId")), _number(row.get("numMultiprocessors"))
        gpu = Gpu(_uuid(row.get("uuid")), None, number, None, processors)
        if pid is not None and ordinal is not None and gpu.identified:
            yield _Row(_machine(row.get("vmId")), pid, ordinal, gpu)


def _process_gpus(source: Source) -> Iterator[_Row]:
    """TARGET_INFO_CUDA_GPU, in files of 2020 and 2021."""
    wanted = ["vmId", "deviceId", "pid", "name", "pciBusId", "uuid", "numMultiprocessors"]
    for row in source.records("TARGET_INFO_CUDA_GPU", wanted, ["uuid"]):
        ordinal = _number(row.get("deviceId"))
        gpu = Gpu(
            _uuid(row.get("uuid")),
            _bus(row.get("pciBusId")),
            None,
            _text(row.get("name")),
            _number(row.get("numMultiprocessors")),
        )
        if ordinal is not None:
            yield _Row(_machine(row.get("vmId")), _number(row.get("pid")), ordinal, gpu)


def _number(value: object) -> int | None:
    """A number from 0 up, however it is stored."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    elif isinstance(value, str):
        value, _ = whole_text(value.encode("utf-8", "replace"))
    return value if isinstance(value, int) and value >= 0 else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _machine(value: object) -> int | None:
    """A vmId has its bits where a global id has them; a small one is those bits alone."""
    if isinstance(value, str):
        number, wrong = whole_text(value.encode("utf-8", "replace"))
        value = None if wrong else number
    if not isinstance(value, int) or value == 0:
        return None
    return value if 0 < value <= 0xFFFF else machine_of(value)


def _uuid(value: object) -> str | None:
    """One spelling of a UUID, stored as text or as its 16 bytes; None for blanks and zeros."""
    if isinstance(value, bytes):
        binary = len(value) == 16 and not (value.isascii() and value.decode("ascii").isprintable())
        value = str(UUID(bytes=value)) if binary else value.decode("utf-8", "replace")
    text = value.strip().lower().removeprefix("gpu-") if isinstance(value, str) else ""
    return (
        text if any(c in "123456789abcdef" for c in text) and text not in ("n/a", "[n/a]", "none") else None
    )


def _bus(value: object) -> str | None:
    """One spelling of a PCI address, with or without a domain and a function; None for blanks and zeros."""
    if (number := _number(value)) is not None:
        value = f"{number:02x}:00.0"
    text = value.strip().lower() if isinstance(value, str) else ""
    found = _BUS.fullmatch(text)
    if found is None:
        return text or None
    domain, bus, device, function = found.groups()
    spelt = f"{int(domain or '0', 16):04x}:{bus}:{device}.{function or '0'}"
    return None if spelt == "0000:00:00.0" else spelt
