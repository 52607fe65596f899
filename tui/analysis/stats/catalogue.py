"""Every report there is, with what it means."""

from __future__ import annotations

from tui.analysis.stats import (
    host_sums,
    kern_exec,
    kernels,
    memory,
    nvtx_gpu,
    nvtx_sums,
    nvtx_trace,
    sizes,
    traces,
)
from tui.analysis.stats.registry import StatsReport

GRAPHS = (
    "Graphs that were traced whole are rows of their own (nsys leaves them out, so that a graph-mode capture "
    "looks idle); a note counts them. Without such graphs equal to nsys's, digit for digit."
)
STD9 = "Sums durations by name. Time (%): share of the listed total, not of wall time. StdDev: of a sample."
KERNEL_OPTIONS = ("base", "mangled")
EXTENSION = "An extension: nsys has no such report, although older guides name it."

GPU_SUMS = (
    StatsReport(
        "cuda_gpu_kern_sum",
        "CUDA GPU Kernel Summary",
        kernels.cuda_gpu_kern_sum,
        "CUDA kernel",
        "Which kernels the device time goes to.",
        f"{STD9} `:base` groups by the short name, `:mangled` by the mangled one where it was recorded.",
        GRAPHS,
        ("gpukernsum",),
        KERNEL_OPTIONS,
    ),
    StatsReport(
        "cuda_gpu_kern_gb_sum",
        "CUDA GPU Kernel/Grid/Block Summary",
        kernels.cuda_gpu_kern_gb_sum,
        "CUDA kernel",
        "Which kernels, in which grid and block, the device time goes to.",
        f"{STD9} One row a kernel name, grid and block.",
        GRAPHS,
        ("gpukerngbsum",),
        KERNEL_OPTIONS,
    ),
    StatsReport(
        "cuda_gpu_mem_time_sum",
        "CUDA GPU MemOps Summary (by Time)",
        kernels.cuda_gpu_mem_time_sum,
        "GPU memory",
        "How long copies (by direction) and memsets took on the device.",
        STD9,
        aliases=("gpumemtimesum",),
    ),
    StatsReport(
        "cuda_gpu_mem_size_sum",
        "CUDA GPU MemOps Summary (by Size)",
        sizes.cuda_gpu_mem_size_sum,
        "GPU memory",
        "How many bytes copies (by direction) and memsets moved.",
        "Decimal megabytes (10^6 bytes), three decimals, largest total first.",
        "Equal to nsys's; an operation whose size was not recorded is left out and counted in a note.",
        ("gpumemsizesum",),
    ),
    StatsReport(
        "cuda_gpu_sum",
        "CUDA GPU Summary (Kernels/MemOps)",
        kernels.cuda_gpu_sum,
        "CUDA trace",
        "Kernels, copies and memsets in one list.",
        f"{STD9} Category: CUDA_KERNEL, MEMORY_OPER, CUDA_GRAPH.",
        GRAPHS,
        ("gpusum",),
        KERNEL_OPTIONS,
    ),
    StatsReport(
        "cuda_api_gpu_sum",
        "CUDA Summary (API/Kernels/MemOps)",
        kernels.cuda_api_gpu_sum,
        "CUDA trace",
        "The host's CUDA calls beside the device's work, in one list.",
        f"{STD9} Host and device time overlap: the shares compare rows, they do not divide a timeline.",
        GRAPHS,
        ("apigpusum",),
        KERNEL_OPTIONS,
    ),
)

NVTX_SUMS = (
    StatsReport(
        "nvtx_sum",
        "NVTX Range Summary",
        nvtx_sums.nvtx_sum,
        "NV Tools Extension (NVTX)",
        "How long the program's own ranges took on the host.",
        f"{STD9} Children are not subtracted; `Domain:name`, `:name` in the default domain.",
        "Equal to nsys's. A range never closed ends with the latest NVTX timestamp; a note counts them.",
        ("nvtxsum",),
    ),
    StatsReport(
        "nvtx_pushpop_sum",
        "NVTX Push/Pop Range Summary",
        nvtx_sums.nvtx_pushpop_sum,
        "NVTX push/pop range",
        "As nvtx_sum, push/pop ranges only.",
        STD9,
        aliases=("pushpopsum", "nvtxppsum"),
    ),
    StatsReport(
        "nvtx_startend_sum",
        "NVTX Start/End Range Summary",
        nvtx_sums.nvtx_startend_sum,
        "NVTX start/end range",
        "As nvtx_sum, start/end ranges only.",
        STD9,
        aliases=("startendsum", "nvtxsesum"),
    ),
)

HOST_SUMS = (
    StatsReport(
        "cuda_api_sum",
        "CUDA API Summary",
        host_sums.cuda_api_sum,
        "CUDA trace",
        "How long the host was inside CUDA calls: host time, a launch returns before its kernel runs.",
        f"{STD9} A `_v` suffix of six characters is dropped from the name, as nsys does.",
        "Equal to nsys's; rows that only carry a backtrace (eventClass 67) are no calls and are left out.",
        ("cudaapisum",),
    ),
    StatsReport(
        "osrt_sum",
        "OS Runtime Summary",
        host_sums.osrt_sum,
        "OS Runtime trace",
        "How long threads were inside calls of the OS runtime (read, poll, pthread_cond_wait, ...).",
        f"{STD9} Waits of many threads add up: the total may exceed the capture many times.",
        aliases=("osrtsum",),
    ),
)


TRACES = (
    StatsReport(
        "cuda_gpu_trace",
        "CUDA GPU Trace",
        traces.cuda_gpu_trace,
        "CUDA trace",
        "Every kernel, copy and memset with its shape, size, place and name.",
        "One row an op, by start. Throughput is bytes by duration; megabytes are decimal.",
        "Throughput is exact; nsys divides integers: it truncates, and prints 0 for copies longer than 1 s. "
        "A memset's memory kind stands under SrcMemKd. Graphs traced whole are rows too.",
        ("gputrace",),
    ),
    StatsReport(
        "cuda_api_trace",
        "CUDA API Trace",
        traces.cuda_api_trace,
        "CUDA trace",
        "Every CUDA call with its result and thread.",
        "One row a call, by start.",
        "The thread's priority (T-Pri) is not read from the export: shown as unknown.",
        ("cudaapitrace",),
    ),
    StatsReport(
        "cuda_kern_exec_sum",
        "CUDA Kernel Launch & Exec Time Summary",
        kern_exec.cuda_kern_exec_sum,
        "CUDA kernel",
        "How long launching a kernel, waiting for the device and running took, by call and kernel.",
        "API = the call, Queue = its return to the start of the kernel (QCount counts those that waited), "
        "Kernel = the kernel, Total = start of the call to the end of both.",
        "Launches are joined within their process, never twice. Kernels without a recorded launch "
        "drop out, as in nsys; a note counts them.",
        ("kernexecsum",),
        KERNEL_OPTIONS,
    ),
    StatsReport(
        "cuda_kern_exec_trace",
        "CUDA Kernel Launch & Exec Time Trace",
        kern_exec.cuda_kern_exec_trace,
        "CUDA kernel",
        "Every kernel with its launch: call, queue and kernel time.",
        "One row a kernel, by the start of the call; times as in cuda_kern_exec_sum.",
        "Launches are joined within their process, never twice; a note counts kernels without one.",
        ("kernexectrace",),
        KERNEL_OPTIONS,
    ),
    StatsReport(
        "nvtx_pushpop_trace",
        "NVTX Push/Pop Range Trace",
        nvtx_trace.nvtx_pushpop_trace,
        "NVTX push/pop range",
        "Every push/pop range with its place in the nesting and the time of its children.",
        "Parent: the tightest range around it on its thread, bounds included. Ids are rows of NVTX_EVENTS.",
        aliases=("pushpoptrace", "nvtxpptrace"),
    ),
    StatsReport(
        "nvtx_gpu_proj_trace",
        "NVTX GPU Projection Trace",
        nvtx_gpu.nvtx_gpu_proj_trace,
        "NV Tools Extension (NVTX) and CUDA trace",
        "Every range with the stretch of device time that its launches took.",
        "Projected: first start to last end, over all streams and devices, of the ops whose API call lies "
        "inside the range on its thread. NumGPUOps counts launches.",
        "A range left open reaches to the end of the capture. Graphs traced whole are ops too.",
        ("nvtxgpuproj", "nvtxgputrace"),
    ),
    StatsReport(
        "nvtx_gpu_proj_sum",
        "NVTX GPU Projection Summary",
        nvtx_gpu.nvtx_gpu_proj_sum,
        "NV Tools Extension (NVTX) and CUDA trace",
        "How much device time ranges stretch over, by name.",
        "Sums the projections of nvtx_gpu_proj_trace by name and style, longest total first.",
        "A range left open reaches to the end of the capture. Graphs traced whole are ops too.",
        ("nvtxgpuprojsum",),
    ),
    StatsReport(
        "nvtx_kern_sum",
        "NVTX Range Kernel Summary",
        nvtx_gpu.nvtx_kern_sum,
        "NV Tools Extension (NVTX) and CUDA kernel",
        "Which kernels the ranges launched, and how long those took.",
        "A kernel counts in every range around its launch on that thread; outside any, under a blank one.",
        "Kernels without a recorded launch are kept, under a blank range; so are graphs traced whole.",
        ("nvtxkernsum",),
        KERNEL_OPTIONS,
    ),
)


def other(
    name: str, title: str, counted: str, prefixes: tuple[str, ...], needs: str, means: str, *aliases: str
) -> StatsReport:
    """A report that sums tables which the product knows by name only."""
    differs = EXTENSION if name in ("cudnn_api_sum", "cublas_api_sum") else "Equal to the report of nsys."
    return StatsReport(
        name, title, host_sums.other_sum(name, title, counted, prefixes), needs, means, STD9, differs, aliases
    )


OTHER_SUMS = (
    other(
        "openmp_sum", "OpenMP Summary", "Count", ("OPENMP_EVENT_KIND_",), "OpenMP event",
        "How long OpenMP regions, tasks and waits took.", "openmpevtsum",
    ),
    other(
        "openacc_sum", "OpenACC Summary", "Count", ("CUPTI_ACTIVITY_KIND_OPENACC_",), "OpenACC event",
        "How long OpenACC constructs took on the host.", "openaccsum",
    ),
    other(
        "mpi_event_sum", "MPI Event Summary", "Count", ("MPI_",), "MPI event",
        "How long ranks were inside MPI calls.", "mpieventsum",
    ),
    other(
        "syscall_sum", "Syscall Summary", "Num Calls", ("SYSCALL",), "syscall trace",
        "How long threads were inside system calls.",
    ),
    other(
        "cudnn_api_sum", "cuDNN API Summary", "Num Calls", ("CUDNN_EVENTS",), "cuDNN trace",
        "How long the host was inside cuDNN calls.",
    ),
    other(
        "cublas_api_sum", "cuBLAS API Summary", "Num Calls", ("CUBLAS_EVENTS",), "cuBLAS trace",
        "How long the host was inside cuBLAS calls.",
    ),
)  # fmt: skip

MEMORY = (
    StatsReport(
        "um_total_sum",
        "Unified Memory Totals Summary",
        memory.um_total_sum,
        "CUDA Unified Memory",
        "How much unified memory moved between host and devices by itself, and the page faults behind it.",
        "One row: bytes of unified copies by direction, number of CPU page faults.",
        "GPU page faults and addresses are not read from the export: shown as unknown, not as zero.",
        ("umtotalsum",),
    ),
)

ALL = (*GPU_SUMS, *NVTX_SUMS, *HOST_SUMS, *TRACES, *OTHER_SUMS, *MEMORY)
