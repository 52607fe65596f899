"""CUDA: calls, kernels, copies, memsets, graphs, waits, the profiler's own work."""

from __future__ import annotations

from tests.nsys.oracle.draft import Draft, Process, Row

KERNELS = (
    ("gemm", "gemm<float, (int)128>(float *, int)", "_Z4gemmIfLi128EEvPfi"),
    ("gemm", "gemm<double, (int)64>(double *, int)", "_Z4gemmIdLi64EEvPdi"),
    ("relu", "relu(float *)", "_Z4reluPf"),
    ("ncclDevKernel_AllReduce", "ncclDevKernel_AllReduce(ncclDevComm *, unsigned long)", None),
    ("scale", "void ns::scale<(bool)1>(const int *, [lambda(int) (instance 1)])", "_ZN2ns5scaleE"),
)
LAUNCHES = (
    "cudaLaunchKernel_v7000", "cudaLaunchKernelExC_v11060", "cudaLaunchKernel_ptsz_v7000",
    "cuLaunchKernel", "cuLaunchKernelEx", "cudaLaunchCooperativeKernel_v9000",
)  # fmt: skip
COPIES = (
    "cudaMemcpy_v3020", "cudaMemcpyAsync_v3020", "cudaMemcpyAsync_ptsz_v7000", "cudaMemcpy2DAsync_v3020",
    "cudaMemcpyToSymbol_v3020", "cudaMemcpyPeerAsync_v4000", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoH_v2",
    "cudaMemcpy2D_ptds_v7000", "cudamemcpyasync",
)  # fmt: skip
MEMSETS = (
    "cudaMemset_v3020",
    "cudaMemsetAsync_v3020",
    "cudaMemset2D_v3020",
    "cuMemsetD8Async",
    "cudaMemset_ptds_v7000",
)
WAITS = (
    "cudaDeviceSynchronize_v3020", "cudaStreamSynchronize_v3020", "cudaStreamSynchronize_ptsz_v7000",
    "cudaEventSynchronize_v3020", "cuStreamSynchronize", "cuCtxSynchronize",
)  # fmt: skip
OTHERS = (
    "cudaMalloc_v3020",
    "cudaFree_v3020",
    "cuModuleLoadData",
    "cudaGetDevice_v",
    "_v3020",
    "cudaX_v10000",
)
SIZES = (0, 1, 999, 4096, 63_999, 64_000, 64_001, 65_536, 65_537, 1_000_000, 1_234_567_890, 2**53 + 1)
OVERHEADS = (
    "CUDA profiling overhead", "CUDA profiling data flush overhead", "CUDA profiling stop overhead",
    "CUDA profiling overhead ", "Profiling Start Event",
)  # fmt: skip


def add(draft: Draft) -> None:
    """Calls with and without work, work with and without its call."""
    numbering = draft.pick("one by one", "one by one", "per process", "doubled")
    counts: dict[int, int] = {}
    for _ in draft.some(25):
        process = draft.rng.choice(draft.processes)
        key = process.global_pid if numbering == "per process" else 0
        counts[key] = counts.get(key, 0) + 1
        correlation = draft.rng.randint(1, 6) if numbering == "doubled" else counts[key]
        _call(draft, process, correlation)
    for _ in draft.some(3):  # work whose call is unknown
        _work(draft, draft.rng.choice(draft.processes), draft.pick(None, 0, 900), draft.moment())
    for _ in draft.some(4):
        _row(
            draft,
            "SYNCHRONIZATION",
            draft.rng.choice(draft.processes),
            1,
            *draft.span(),
            syncType=draft.pick(1, 2, 3, 4),
        )
    for _ in draft.some(3):
        start, end = draft.span()
        name = draft.string(draft.pick(*OVERHEADS))
        draft.add("PROFILER_OVERHEAD", start=start, end=end, globalTid=draft.thread(), nameId=name)
    if draft.chance(0.15):
        for _ in draft.some(3):
            _row(
                draft,
                "GRAPH_TRACE",
                draft.rng.choice(draft.processes),
                draft.number(),
                *draft.span(),
                graphId=1,
            )


def _call(draft: Draft, process: Process, correlation: int) -> None:
    """A call on a thread of `process`, and what it put on a device."""
    start, end = draft.span(longest=5)
    kind = draft.pick("kernel", "kernel", "kernel", "graph", "copy", "copy", "memset", "wait", "other")
    names = {"kernel": LAUNCHES, "copy": COPIES, "memset": MEMSETS, "wait": WAITS, "other": OTHERS}
    name = "cudaGraphLaunch_v10000" if kind == "graph" else draft.name(*names[kind])
    thread = draft.rng.choice(process.threads)
    call: Row = {
        "start": start, "end": end, "globalTid": thread, "correlationId": correlation,
        "returnValue": draft.pick(0, 0, 0, 2, 700),
    }  # fmt: skip
    driver = name.startswith("cu") and not name.startswith("cuda")
    draft.add("CUPTI_ACTIVITY_KIND_RUNTIME", eventClass=int(driver), nameId=draft.string(name), **call)
    if draft.chance(0.1):  # the backtrace of a call
        draft.add("CUPTI_ACTIVITY_KIND_RUNTIME", eventClass=67, nameId=draft.string("CUDA backtrace"), **call)
    works = draft.rng.randint(0, 4) if kind == "graph" else int(draft.chance(0.9))
    for _ in range(works if kind not in ("wait", "other") else 0):
        _work(draft, process, correlation, draft.pick(start, end, draft.moment(0, 70)), kind)


def _work(draft: Draft, process: Process, correlation: int | None, start: int, kind: str = "graph") -> None:
    """A kernel, a copy or a memset that begins at `start`."""
    length = draft.rng.randint(0, 9) * draft.unit
    if kind == "graph":
        kind = draft.pick("kernel", "kernel", "copy", "memset")
    {"kernel": _kernel, "copy": _copy, "memset": _memset}[kind](
        draft, process, correlation, start, start + length
    )


def _row(
    draft: Draft,
    table: str,
    process: Process,
    correlation: int | None,
    start: int,
    end: int,
    **rest: int | None,
) -> None:
    draft.add(
        f"CUPTI_ACTIVITY_KIND_{table}",
        start=start,
        end=end,
        deviceId=draft.rng.choice(process.devices),
        contextId=draft.pick(1, 1, 2),
        greenContextId=draft.pick(None, None, 0, 3),
        streamId=draft.pick(7, 7, 13, 20),
        correlationId=correlation,
        globalPid=process.global_pid,
        **rest,
    )


def _kernel(draft: Draft, process: Process, correlation: int | None, start: int, end: int) -> None:
    short, full, mangled = draft.pick(*KERNELS)
    if draft.chance(0.1):
        short = full = draft.name("odd") + "k"  # never a call's name: nsys adds up calls and kernels of one
        mangled = None
    shape = draft.pick((1, 1, 1), (128, 1, 1), (8, 16, 2), (2_147_483_647, 65_535, 65_535))
    block = draft.pick((32, 1, 1), (1024, 1, 1), (8, 8, 8))
    _row(
        draft, "KERNEL", process, correlation, start, end,
        demangledName=draft.string(full), shortName=draft.string(short),
        mangledName=draft.string(mangled) if mangled else None,
        registersPerThread=draft.pick(16, 255), gridX=shape[0], gridY=shape[1], gridZ=shape[2],
        blockX=block[0], blockY=block[1], blockZ=block[2],
        staticSharedMemory=draft.pick(0, 500, 49_152), dynamicSharedMemory=draft.pick(0, 1500, 232_448),
        gridId=draft.number(),
    )  # fmt: skip


def _copy(draft: Draft, process: Process, correlation: int | None, start: int, end: int) -> None:
    unified = draft.chance(0.2)
    kind = draft.pick(11, 12, 13) if unified else draft.pick(1, 1, 2, 2, 8, draft.rng.randint(0, 13))
    _row(
        draft, "MEMCPY", process, correlation, start, end, bytes=draft.pick(*SIZES), copyKind=kind,
        srcKind=draft.pick(None, 0, 0, 1, 2, draft.rng.randint(0, 7)),
        dstKind=draft.pick(None, 0, 0, 1, 2, draft.rng.randint(0, 7)),
        srcDeviceId=draft.pick(None, 0, 1), dstDeviceId=draft.pick(None, 0, 1),
        srcContextId=draft.pick(None, 1), dstContextId=draft.pick(None, 1),
        migrationCause=draft.rng.randint(0, 5) if unified else None,
        virtualAddress=0x7F00_0000_0000 + 65_536 * draft.rng.randint(0, 4) if unified else None,
    )  # fmt: skip


def _memset(draft: Draft, process: Process, correlation: int | None, start: int, end: int) -> None:
    _row(
        draft, "MEMSET", process, correlation, start, end, bytes=draft.pick(*SIZES), value=draft.pick(0, 255),
        memKind=draft.pick(None, 0, 1, 2, 4, draft.rng.randint(0, 7)),
    )  # fmt: skip
