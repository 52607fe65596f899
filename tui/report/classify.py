"""What a CUDA API call does to the thread that makes it, by its name.

* SYNCHRONISATION: the call returns when earlier device work is done (`cudaStreamSynchronize`).
* MEMORY_MANAGEMENT: allocates, frees, registers or maps memory, async forms included: they may
  synchronise and are rarely what a thread means to spend time on.
* BLOCKING_COPY: a copy that returns when the data has moved (`cudaMemcpy`, not `cudaMemcpyAsync`).
* LAUNCH: enqueues work on a device and returns: kernels, graphs, asynchronous copies, memsets,
  prefetches, host functions.
* OTHER: everything else (`cudaEventRecord`, `cudaStreamWaitEvent`, `cudaGetDevice`, ...).
"""

from __future__ import annotations

import re
from enum import IntEnum


class CallClass(IntEnum):
    """What a CUDA API call does to its thread; the values of :attr:`Calls.call_class`."""

    SYNCHRONISATION = 0
    MEMORY_MANAGEMENT = 1
    BLOCKING_COPY = 2
    LAUNCH = 3
    OTHER = 4


# `cudaMemcpyAsync_ptsz_v7000`, `cuMemcpyHtoD_v2_ptds`: versions and the per-thread default stream.
_SUFFIX = re.compile(r"(?:_v\d+|_ptsz|_ptds)+$")

_SYNC = re.compile(
    r"cuda(Device|Stream|Event|Thread)Synchronize|cu(Ctx|Stream|Event)Synchronize|cuda(ExternalSemaphore)?Wait$"
)
_MEMORY = re.compile(
    r"cuda(Malloc|Free|HostAlloc|HostRegister|HostUnregister|HostGetDevicePointer|MemPool(?!ImportPointer)|MemAdvise"
    r"|Ipc(Open|Close|Get)MemHandle|DeviceSetMemPool|DeviceGraphMemTrim)"
    r"|cu(MemAlloc|MemFree|MemHost|MemCreate|MemRelease|MemMap|MemUnmap|MemSetAccess|MemAddress|MemPool|MemAdvise"
    r"|MemExport|MemImport|MemRetain|ArrayCreate|ArrayDestroy|Array3DCreate|MipmappedArray(Create|Destroy)"
    r"|Ipc(Open|Close|Get)MemHandle|DeviceGraphMemTrim)"
)
_LAUNCH = re.compile(
    r"cuda(Launch|GraphLaunch|Memset|MemPrefetch)|cudaMem(cpy|Prefetch|Discard)\w*Async|cudaMemcpy\w*BatchAsync"
    r"|cu(Launch|GraphLaunch|Memset|MemPrefetch)|cuMem(cpy|Prefetch|Discard)\w*Async|cuMemcpy\w*BatchAsync"
)
_COPY = re.compile(r"cu(da)?Memcpy")


def base_api_name(name: str) -> str:
    """``cudaMemcpyAsync_ptsz_v7000`` -> ``cudaMemcpyAsync``; names without suffix as they are."""
    return _SUFFIX.sub("", name)


def call_class(name: str) -> CallClass:
    """The class of a runtime or driver call by its recorded name."""
    base = base_api_name(name)
    if _SYNC.match(base):
        return CallClass.SYNCHRONISATION
    if _LAUNCH.match(base):
        return CallClass.LAUNCH
    if _COPY.match(base):
        return CallClass.BLOCKING_COPY
    if _MEMORY.match(base):
        return CallClass.MEMORY_MANAGEMENT
    return CallClass.OTHER
