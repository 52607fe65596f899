"""The differences from nsys 2023.4.4 that are meant."""

from __future__ import annotations

from tests.nsys.differences import Meant

MEANT: tuple[Meant, ...] = ()
"""Every difference that is meant. The walk fails where one of them is met no more."""

PENDING = frozenset(
    {
        "cuda_api_gpu_sum",
        "cuda_api_sum",
        "cuda_api_trace",
        "cuda_gpu_kern_gb_sum",
        "cuda_gpu_kern_sum",
        "cuda_gpu_sum",
        "cuda_gpu_trace",
        "cuda_kern_exec_sum",
        "cuda_kern_exec_trace",
        "um_total_sum",
        # rules
        "cuda_api_sync",
        "cuda_memcpy_async",
        "cuda_memcpy_sync",
        "gpu_gaps",
        "gpu_gaps_1ms",
        "gpu_time_util",
        "gpu_time_util_200_80",
        # ranges
        "nvtx_gpu_proj_sum",
        "nvtx_gpu_proj_trace",
        "nvtx_kern_sum",
        "nvtx_pushpop_sum",
        "nvtx_pushpop_trace",
        "nvtx_sum",
    }
)
"""Reports and rules that do not equal nsys's yet: they are not walked."""
