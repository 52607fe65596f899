"""What a CUDA API call does to the thread that makes it, by its name."""

from __future__ import annotations

import re
from enum import IntEnum


class CallClass(IntEnum):
    """What a CUDA API call does to its thread; the values of :attr:`Calls.call_class`."""

    SYNCHRONISATION = 0
    """Returns when earlier device work is done (`cudaStreamSynchronize`)."""
    MEMORY_MANAGEMENT = 1
    """Allocates, frees, registers or maps memory. Async forms count too: they may synchronise, and no thread
    means to spend time on them."""
    BLOCKING_COPY = 2
    """Returns when the data has moved (`cudaMemcpy`, not `cudaMemcpyAsync`)."""
    LAUNCH = 3
    """Enqueues work and returns: kernels, graphs, async copies, memsets, prefetches, host functions."""
    OTHER = 4
    """Everything else (`cudaEventRecord`, `cudaStreamWaitEvent`, `cudaGetDevice`, ...)."""


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
_NAMES = {
    CallClass.SYNCHRONISATION: _SYNC,
    CallClass.LAUNCH: _LAUNCH,
    CallClass.BLOCKING_COPY: re.compile(r"cu(da)?Memcpy"),
    CallClass.MEMORY_MANAGEMENT: _MEMORY,
}
"""How the calls of each class begin; the first that fits counts."""


def base_api_name(name: str) -> str:
    """``cudaMemcpyAsync_ptsz_v7000`` -> ``cudaMemcpyAsync``; names without suffix as they are."""
    return _SUFFIX.sub("", name)


def call_class(name: str) -> CallClass:
    """Return the class of a runtime or driver call by its recorded name."""
    base = base_api_name(name)
    return next((kind for kind, names in _NAMES.items() if names.match(base)), CallClass.OTHER)
