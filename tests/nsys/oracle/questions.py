"""What both are asked: every report of nsys 2023.4 and its options, every rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A report or rule: how nsys spells it, how we do, and our options for it."""

    nsys: str
    ours: str
    options: tuple[str, ...] = ()
    command: str = "stats"

    @property
    def report(self) -> str:
        """The name alone, without options."""
        return self.ours.partition(":")[0]


KERNEL_REPORTS = (
    "cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_sum", "cuda_api_gpu_sum", "cuda_gpu_trace",
    "cuda_kern_exec_sum", "cuda_kern_exec_trace",
)  # fmt: skip
PLAIN_REPORTS = (
    "cuda_api_sum", "cuda_api_trace", "cuda_gpu_mem_size_sum", "cuda_gpu_mem_time_sum", "nvtx_sum",
    "nvtx_pushpop_sum", "nvtx_startend_sum", "nvtx_pushpop_trace", "nvtx_gpu_proj_trace", "nvtx_gpu_proj_sum",
    "nvtx_kern_sum", "nvtx_kern_sum:base", "nvtx_kern_sum:mangled", "osrt_sum", "openmp_sum", "openacc_sum",
    "mpi_event_trace", "um_total_sum", "um_sum", "um_sum:rows=-1", "um_cpu_page_faults_sum",
    "network_congestion", "network_congestion:ticks_threshold=10", "opengl_khr_range_sum",
    "opengl_khr_gpu_range_sum", "vulkan_api_sum", "vulkan_api_trace", "vulkan_marker_sum",
    "vulkan_gpu_marker_sum", "dx11_pix_sum", "dx12_pix_sum", "dx12_gpu_marker_sum", "nvvideo_api_sum",
    "wddm_queue_sum",
)  # fmt: skip
NAMINGS = ("", ":base", ":mangled", ":nvtx-name", ":nvtx-name:base", ":nvtx-name:mangled")
WAITS = ("cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync")

REPORTS = tuple(
    Question(name, name)
    for name in (*(report + naming for report in KERNEL_REPORTS for naming in NAMINGS), *PLAIN_REPORTS)
)
RULES = (
    *(Question(f"{name}:rows=-1", name, ("--rows", "0"), "analyze") for name in WAITS),
    Question("cuda_api_sync", "cuda_api_sync", (), "analyze"),
    Question("gpu_gaps:rows=-1", "gpu_gaps", ("--rows", "0"), "analyze"),
    Question("gpu_gaps:rows=-1:gap=1", "gpu_gaps", ("--rows", "0", "--gap", "1ms"), "analyze"),
    Question("gpu_time_util:rows=-1", "gpu_time_util", ("--rows", "0"), "analyze"),
    Question(
        "gpu_time_util:rows=-1:chunks=7:threshold=80",
        "gpu_time_util",
        ("--rows", "0", "--chunks", "7", "--utilization", "80"),
        "analyze",
    ),
    Question("dx12_mem_ops:rows=-1", "dx12_mem_ops", ("--rows", "0"), "analyze"),
)
