"""Mutant N of a seed: which export, and what was done to it."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from fixtures import metrics as forms
from fixtures.memory_rows import (
    UM_DTOH,
    allocate,
    context,
    cpu_fault,
    gpu_faults,
    migrate,
    pool_event,
    release,
)
from fixtures.registry import find
from fixtures.trace import global_id
from tests.fuzz.damage import damage
from tests.fuzz.edits import edit, reshape
from tests.support.export import Export
from tests.support.network import MS, NetworkExport
from tests.support.payloads import Form, NcclExport
from tests.support.real import EXPORTS

LARGEST = 600_000
"""Bytes of a real export that is taken as often as any other; larger ones are taken now and then."""
MESSAGE_FORMS: tuple[Form, ...] = ("json", "blob", "dynamic")
GENERATED = ("decode-graph", "resnet", "ddp", "fault:hidden-sync")


@dataclass(frozen=True)
class Seeds:
    """The exports that mutants are made of."""

    small: tuple[Path, ...]
    large: tuple[Path, ...]

    @classmethod
    def in_folder(cls, folder: Path) -> Seeds:
        """Generate into ``folder`` what can be generated; the real exports are used where they lie."""
        folder.mkdir(exist_ok=True)
        made = [
            everything(folder / f"everything-{schema}.sqlite", schema)
            for schema in ("2020", "2022", "2026.2")
        ]
        made += [tiny(folder / "tiny.sqlite"), deep(folder / "deep.sqlite")]
        made += [messages(folder / f"messages-{form}.sqlite", form) for form in MESSAGE_FORMS]
        made += [networks(folder / f"networks-{schema}.sqlite", schema) for schema in ("2022", "2026.2")]
        for name in GENERATED:
            path = folder / f"{name.replace(':', '-')}.sqlite"
            find(name).build(path)
            made.append(path)
        small = [p for p in EXPORTS if p.stat().st_size <= LARGEST]
        # The little ones twice: in a file of few pages every flipped bit counts.
        return cls((*made[:5], *made, *small), tuple(p for p in EXPORTS if p not in small))


def everything(path: Path, schema: str) -> Path:
    """An export with some rows of every kind that the product knows."""
    export = Export(path, schema)
    for pid in (100, 200):
        export.process(pid, f"python {pid}")
        export.thread_name(pid, 1, "main")
        export.thread_name(pid, 2, "loader")
        export.domain(1, "NCCL", pid=pid)
        if schema != "2020":
            export.device_map(pid, 0, pid // 100 - 1)
    export.device(id=0)
    export.device(id=1)
    for i in range(8):
        t, pid = 1_000_000 * i, 100 + 100 * (i % 2)
        export.push_pop(f"step {i // 2}", t, t + 1_900_000, pid=pid)
        export.push_pop("forward", t + 10, t + 400_000, pid=pid)
        export.start_end("request", t + 100, t + 700_000, pid=pid, end_tid=2)
        export.mark(f"mark {i}", t + 5, pid=pid)
        for k in range(4):
            at = t + 1000 * k
            export.launch(
                (at + 100, at + 150), (at + 300_000, at + 300_800), pid=pid, stream=7 + k % 2, name=f"k<{k}>"
            )
        corr = export.runtime("cudaMemcpyAsync_v3020", t + 6000, t + 6100, pid=pid)
        export.memcpy(t + 320_000, t + 330_000, pid=pid, corr=corr, bytes=4096)
        corr = export.runtime("cudaMemsetAsync_v3020", t + 7000, t + 7100, pid=pid)
        export.memset(t + 330_500, t + 331_000, pid=pid, corr=corr)
        corr = export.runtime("cudaGraphLaunch_v10000", t + 8000, t + 8300, pid=pid)
        export.graph(t + 340_000, t + 360_000, pid=pid, corr=corr)
        export.kernel(t + 370_000, t + 380_000, pid=pid, name="ncclDevKernel_AllReduce")
        export.runtime("cudaStreamSynchronize_v3020", t + 9000, t + 390_000, pid=pid)
        export.sync(t + 9000, t + 389_000, pid=pid)
        export.osrt("poll", t + 500, t + 90_000, pid=pid, tid=2, callchainId=i + 1)
        export.chain("OSRT", i + 1, [("__poll", "/lib/libc.so.6"), "wait", "main"])
        export.runtime("cudaMalloc", t + 9_100, t + 9_200, pid=pid, callchainId=i + 1)
        export.chain("CUDA", i + 1, [("cudaMalloc", "/lib/libcudart.so"), "allocate", "main"])
        export.on_cpu(t + 100, t + 200_000, cpu=i % 3, pid=pid)
        for k in range(3):
            export.sample(t + 10_000 * k, [f"f{k}", ("0x7f10", "[vdso]"), "main"], pid=pid, unwind=k)
        export.overhead("CUPTI buffer flush", t + 395_000, t + 396_000, pid=pid)
        export.cuda_overhead("Lazy Function Loading", t + 110, t + 130, 2 + i % 7, pid=pid)
        _calls(export, i, t, pid)
    export.push_pop("never popped", 5, None)
    memory(export)
    metrics(export)
    return export.write()


def metrics(export: Export) -> None:
    """Metrics of both devices in every form, of the machine, and counters of its CPUs."""
    times = [100_000 * i for i in range(1, 81)]
    values = [(37 * i) % 101 for i in range(80)]
    fields = {forms.SM_ACTIVE: ("Unsigned", 4), forms.TENSOR: ("Float", 4), forms.CLOCK: ("Double", 8)}
    for gpu in (0, 1):
        bits = [forms.float_bits(value) for value in values]
        clock = [forms.double_bits(1.98e9 - 1e6 * value) for value in values]
        both = {forms.SM_ACTIVE: values, forms.TENSOR: bits, forms.CLOCK: clock}
        forms.gpu_metrics(export, times, both, gpu)
        forms.field_types(export, fields, forms.type_id(gpu))
    forms.gpu_metrics(export, times, {"EMC Frequency [MHz]": values}, table="SOC_METRICS")
    late = "2026" in export.schema
    power = {"Power": values, "GPU Temperature": values}
    if late:
        forms.field_events(export, times[:40], power)
    forms.json_events(export, times[:40], power if not late else {"SM Active": values}, forms.type_id(0, 5))
    export.row("PMU_EVENT_REQUESTS", id=0, eventid=1, source=1, unit_type=0, event_name="Cycles")
    export.row("TARGET_INFO_PERF_METRIC", id=3, name="Instructions", description="", unit="")
    for i, start in enumerate(times[:30]):
        span = {"start": start, "end": start + 90_000}
        export.row("PMU_EVENTS", **span, globalVm=1, cpu=i % 2, counter_id=i)
        export.row("PMU_EVENT_COUNTERS", id=i, idx=0, value=i)
        export.row("UNCORE_PMU_EVENTS", **span, globalVm=1, clusterId=0, counterId=i)
        export.row("UNCORE_PMU_EVENT_VALUES", id=i, type=34, value=i, rawId=0, clusterId=0)
        export.row("PERF_EVENT_CPU_RAW_EVENT", **span, vmId=1, componentId=0, eventId=3, count=i)


def memory(export: Export) -> None:
    """Allocations, pools, unified memory and contexts of the GPU, in both processes."""
    for i in range(8):
        t, pid = 1_000_000 * i, 100 + 100 * (i % 2)
        corr = export.runtime("cudaMalloc_v3020", t + 9_300, t + 9_400, pid=pid)
        pool = (0xF000, 1 << 22, 1 << 20)
        allocate(export, t + 9_350, 1 << 21, 0x7F00_0000 + i, pid=pid, corr=corr, name=f"buffer {i}")
        allocate(export, t + 9_360, 1 << 20, 0x7E00_0000, pid=pid, kind=1 + i % 4, pool=pool)
        release(export, t + 600_000, 1 << 20, 0x7E00_0000, pid=pid, kind=1 + i % 4, pool=pool)
        pool_event(export, t + 9_340, 0xF000, 1 + i % 3, reserved=1 << 22, used=1 << 20, pid=pid)
        migrate(export, t + 301_000, t + 302_000, pid=pid)
        migrate(export, t + 303_000, t + 304_000, kind=UM_DTOH, cause=i % 6, pid=pid)
        gpu_faults(export, t + 300_500, t + 301_500, 1 + i, pid=pid)
        cpu_fault(export, t + 10_000, 0x7F00_0000_0000 + 4096 * i, pid=pid)
        context(export, t, t + 500_000, i % 2, pid=pid, older=i > 3)
        context(export, t + 500_000, t + 900_000, 2, pid=999, older=i > 3)


def _calls(export: Export, i: int, t: int, pid: int) -> None:
    """What few captures have: events and waits for them, files, libraries, MPI and UCX, messages."""
    corr = export.runtime("cudaEventRecord_v3020", t + 5000, t + 5010, pid=pid)
    export.event(i % 3, corr, stream=7, pid=pid, timestamp=t + 310_000, record=i)
    corr = export.runtime("cudaStreamWaitEvent_v3020", t + 5020, t + 5030, pid=pid)
    export.sync(t + 5020, t + 5025, stream=8, pid=pid, corr=corr, kind=2, eventId=i % 3, eventSyncId=i)
    export.file(i, f"/data/shard_{i}.tar", t, pid=pid)
    export.file_access(i, t + 500, t + 90_000, 4096 * i, tid=2, kind=i % 7)
    place = {"globalTid": global_id(pid, 1)}
    export.row("CUDNN_EVENTS", start=t + 50, end=t + 3000, eventClass=7, nameId="cudnnForward", **place)
    export.row("CUBLAS_EVENTS", start=t + 90, end=t + 900, eventClass=7, nameId="cublasSgemm", **place)
    message = {"bufferAddr": i, "packedSize": 64, "peerWorkerUid": 1, "tag": 3, **place}
    export.row("UCP_SUBMIT_EVENTS", start=t, end=t + 9, textId="ucp_tag_send_nbx", **message)
    export.row("UCP_PROGRESS_EVENTS", start=t + 20, end=t + 30, textId="ucp_tag_send_nbx", **message)
    export.row("UCP_WORKERS", workerUid=i, **place)
    export.row(
        "MPI_COLLECTIVES_EVENTS", start=t, end=t + 70, textId="MPI_Bcast", commHandle=i, size=8, **place
    )
    export.row("MPI_COMMUNICATORS", rank=0, timestamp=t, commHandle=i, localRank=0, size=4, members="0,1")
    export.diagnostic("Not all CUDA events might have been collected.", 1 + i % 3, time=t)
    export.row("ProcessStreams", globalPid=pid << 24, filenameId="stdout", contentId=f"step {i}")


def tiny(path: Path) -> Path:
    """A page or two of rows: three kernels, two calls, a range."""
    export = Export(path)
    export.notation(
        'N(59,0-400,"step") R cudaLaunchKernel_v7000 5-9 corr=1 K(0,7,10-20) corr=1 K 30-40 K 200300-200400'
    )
    return export.write()


def messages(path: Path, form: Form) -> Path:
    """Calls of NCCL with their payloads, alone and in groups, and the names that a program gave."""
    export = NcclExport(path)
    export.form = form
    export.describe(copies=2)
    export.call("ncclCommInitRank", 0, 10, "init", (77, 8, 3, 0))
    for i in range(6):
        t = 10_000 * i + 100
        export.push_pop(f"step {i}", t, t + 9_000, category=5)
        export.mark("queue", t, jsonText=f'{{"length": {i}}}')
        export.call("ncclAllReduce", t, t + 50, "reduce", (77, 4096 << i, i % 5))
        corr = export.runtime("cudaLaunchKernelExC_v11060", t + 10, t + 20)
        export.kernel(t + 100, t + 900, corr=corr, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL()")
        export.call("ncclGroupStart", t + 1000, t + 1010)
        for peer in range(3):
            export.call("ncclSend", t + 1020 + peer, t + 1021 + peer, "peer", (77, 512, peer))
        export.call("ncclGroupEnd", t + 1030, t + 1100)
        corr = export.runtime("cudaLaunchKernelExC_v11060", t + 1040, t + 1050)
        export.kernel(t + 2000, t + 2900, corr=corr, name="ncclDevKernel_SendRecv()", stream=9)
    thread = {"globalTid": global_id(100, 1)}
    export.row("NVTX_EVENTS", start=0, eventType=33, category=5, text="weights", domainId=0, **thread)
    export.row("TARGET_INFO_NVTX_CUDA_DEVICE", name="left", hwId=0, vmId=1, deviceId=0)
    export.row(
        "TARGET_INFO_NVTX_CUDA_STREAM",
        name="comm", hwId=0, vmId=1, processId=100, deviceId=0, contextId=1, streamId=9,
    )  # fmt: skip
    return export.write()


def networks(path: Path, schema: str) -> Path:
    """Samples of two adapters and a switch, beside steps with kernels."""
    export = NetworkExport(path, schema)
    export.metrics()
    export.adapters("mlx5_0", "mlx5_1", form="guid" if schema == "2022" else "globalId")
    port = None if schema == "2022" else 1
    for i in range(30):
        for metric in range(7):
            export.sample(i * MS, (i + 1) * MS, metric, 1000 * i * metric, 900 + i % 2, port)
        export.sample(i * MS, (i + 1) * MS, 0, i, 77, port, "NET_IB_SWITCH_METRIC")
    for i in range(4):
        t = 7 * MS * i
        export.push_pop(f"step {i}", t, t + 6 * MS)
        export.launch((t, t + 5_000), (t + 6_000, t + 5 * MS))
        export.row("NET_IB_SWITCH_CONGESTION_EVENT", start=t, globalId=77, congestionType=1)
    export.row("NET_IB_DEVICE_INFO", networkId=1, guid=77, name="leaf-3", des="", lid=1)
    export.row("NET_IB_DEVICE_PORT_INFO", guid=77, portNumber=1, portLabel="1/1", portLid=2)
    return export.write()


def deep(path: Path) -> Path:
    """Ranges nested and crossing by the hundred, ops of every stream at once, as many names as rows."""
    export = Export(path)
    for i in range(300):
        export.push_pop(f"nested {i}", i, 10_000 - i)
        export.push_pop(f"crossing {i}", i, 10_000 + i, tid=2)
        export.start_end(f"request {i}", i, 10_000 + i, tid=3)
        export.launch((i, i + 5), (i, 10_000), stream=i % 40, device=i % 5, name=f"k<{i}>")
        export.osrt(f"poll {i}", i, 9_000, tid=4 + i % 50)
    return export.write()


def make(seeds: Seeds, seed: int, number: int, path: Path) -> str:
    """Write mutant ``number`` of ``seed`` to ``path``; says of what it was made, and how."""
    rng = random.Random(f"{seed}/{number}")
    origin = rng.choice(seeds.large if seeds.large and rng.random() < 0.06 else seeds.small)
    shutil.copyfile(origin, path)
    path.chmod(0o600)
    said = [origin.stem]
    kind = rng.random()
    if kind < 0.05:
        said.append(reshape(rng, path))
    if kind < 0.6:
        said += [edit(rng, path) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    if kind >= 0.55:
        said += [damage(rng, path) for _ in range(rng.choice((1, 1, 1, 2)))]
    return "; ".join(said)
