"""The environment variables of launchers that are read; of an environment nothing else is ever looked at."""

from __future__ import annotations

PURPOSES: dict[str, tuple[str, ...]] = {
    "rank": (
        "RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "MV2_COMM_WORLD_RANK",
        "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK", "SLURM_PROCID",
    ),
    "ranks": (
        "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE",
        "SLURM_NTASKS",
    ),
    "local_rank": (
        "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID",
    ),
    "node": ("NODE_RANK", "GROUP_RANK", "SLURM_NODEID", "PALS_NODEID"),
    "run": (
        "SLURM_JOB_ID", "PMI_JOBID", "PALS_APID", "PMIX_NAMESPACE", "TORCHELASTIC_RUN_ID", "LSB_JOBID",
        "PBS_JOBID", "FLUX_JOB_ID",
    ),
    "visible": ("CUDA_VISIBLE_DEVICES",),
}  # fmt: skip
"""What a variable tells, and the names of those that tell it, the best first."""
SLURM_STEP = "SLURM_STEP_ID"
"""Goes with SLURM_JOB_ID: the steps of one job are runs of their own."""
HARDWARE = ("NSYS_HW_ID", "NSYS_SYSTEM_ID")
"""What names the machine whose clock a report was timed by."""
KNOWN = frozenset({name for names in PURPOSES.values() for name in names} | {SLURM_STEP, *HARDWARE})
"""All that are read. An environment holds secrets: what is not listed here reaches nothing."""
