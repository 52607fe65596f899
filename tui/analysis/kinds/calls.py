"""Calls of libraries, of MPI and of the system, and the files behind them."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

MPI = Kind(
    "MPI calls",
    "MPI_COLLECTIVES_EVENTS",
    "MPI lanes, gaps; stats -r mpi_event_sum,mpi_comm_sum; ranks",
    "--trace=mpi",
    also=("MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"),
    parts=("MPI_RANKS", "MPI_COMMUNICATORS"),
)
UCX = Kind(
    "UCX calls",
    "UCP_SUBMIT_EVENTS",
    "UCX lanes; stats -r ucx_sum",
    "--trace=ucx",
    also=("UCP_PROGRESS_EVENTS", "UCP_EVENTS"),
    parts=("UCP_WORKERS",),
    rare=True,
)
CUDNN = Kind("cuDNN calls", "CUDNN_EVENTS", "cuDNN lanes; stats -r cudnn_api_sum", "--trace=cudnn", rare=True)
CUBLAS = Kind(
    "cuBLAS calls", "CUBLAS_EVENTS", "cuBLAS lanes; stats -r cublas_api_sum", "--trace=cublas", rare=True
)
OPENMP = Kind(
    "OpenMP regions",
    "OPENMP_EVENT_KIND_PARALLEL",
    "OpenMP lanes; stats -r openmp_sum",
    "--trace=openmp",
    also=tuple(
        f"OPENMP_EVENT_KIND_{kind}"
        for kind in (
            "CANCEL", "CRITICAL_SECTION", "DISPATCH", "FLUSH", "LOCK_DESTROY", "LOCK_INIT", "MASTER",
            "MUTEX_RELEASED", "MUTEX_WAIT", "REDUCTION", "SYNC_REGION", "SYNC_REGION_WAIT", "TASK",
            "TASK_CREATE", "TASK_SCHEDULE", "THREAD", "WORKSHARE",
        )
    ),
    rare=True,
)  # fmt: skip
OPENACC = Kind(
    "OpenACC regions",
    "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH",
    "OpenACC lanes; stats -r openacc_sum",
    "--trace=openacc",
    also=("CUPTI_ACTIVITY_KIND_OPENACC_DATA", "CUPTI_ACTIVITY_KIND_OPENACC_OTHER"),
    rare=True,
)
OPENSHMEM = Kind("OpenSHMEM calls", "OPENSHMEM_EVENTS", "OpenSHMEM lanes", "--trace=openshmem", rare=True)
FILES = Kind(
    "file accesses",
    "OSRT_FILE_ACCESS_EVENTS",
    "which files were read: files, gaps",
    "--trace=osrt --osrt-file-access=true, of nsys 2024 or later",
    parts=("OSRT_FILE_ACCESS_DESCRIPTORS",),
)
SYSTEM_CALLS = Kind(
    "system calls",
    "SYSCALL",
    "system call lanes; stats -r syscall_sum",
    "--trace=syscall, of nsys 2024 or later",
    parts=("SYSCALL_CALLCHAINS",),
    rare=True,
)
KINDS = (MPI, UCX, CUDNN, CUBLAS, OPENMP, OPENACC, OPENSHMEM, FILES, SYSTEM_CALLS)
