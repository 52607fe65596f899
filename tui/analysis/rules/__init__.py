"""The rules of ``nsys analyze``: what slows a program down, with figures and advice."""

from __future__ import annotations

import difflib
from types import MappingProxyType

from tui.analysis.rules import copies, idle, syncs
from tui.analysis.rules.registry import Rule, RuleFinding, RuleLimits
from tui.errors import UsageError

__all__ = ["RULES", "Rule", "RuleFinding", "RuleLimits", "choose"]

_ALL = (
    Rule(
        "cuda_memcpy_async",
        "Asynchronous copies of pageable memory",
        copies.cuda_memcpy_async,
        "CUDA memory copy",
        copies.has_copies,
        "These copies were asked for asynchronously, but one side is pageable memory. The driver then "
        "stages the data through a buffer of its own, and the call can block the host like a blocking "
        "copy.",
        "Allocate the host side pinned: cudaMallocHost or cudaHostRegister; in PyTorch a DataLoader with "
        "pin_memory=True, or tensor.pin_memory() before .to(device, non_blocking=True).",
        "Same rows as nsys. A copy whose launch was not recorded can't be judged and is left out.",
    ),
    Rule(
        "cuda_memcpy_sync",
        "Blocking copies",
        copies.cuda_memcpy_sync,
        "CUDA memory copy",
        copies.has_copies,
        "In these calls the host waits until the data has moved, and can issue nothing meanwhile. "
        "Copies within a device and small ones to a device return early and are left out.",
        "Use cudaMemcpyAsync on a stream, with pinned memory; in PyTorch .to(device, "
        "non_blocking=True), and keep .item() and .cpu() out of the loop.",
        "Same rows as nsys. A copy whose launch was not recorded can't be judged and is left out.",
        "--small-copy BYTES",
    ),
    Rule(
        "cuda_memset_sync",
        "Blocking memsets",
        copies.cuda_memset_sync,
        "CUDA memset",
        copies.has_copies,
        "A memset of pinned or managed memory without Async makes the host wait until it is done.",
        "Use cudaMemsetAsync on a stream, or set memory that lives on the device.",
        "Same rows as nsys.",
    ),
    Rule(
        "cuda_api_sync",
        "Waits for a device",
        syncs.cuda_api_sync,
        "CUDA API",
        syncs.has_calls,
        "In these calls the host waits until a stream or the whole device has done everything. What "
        "follows can only be launched afterwards, so the device runs dry.",
        "Wait for an event (cudaEventSynchronize, cudaStreamWaitEvent) instead of a stream or device, "
        "and only where the result is needed; in PyTorch look for .item(), .cpu(), print(tensor), "
        "torch.cuda.synchronize().",
        "Same rows as nsys.",
    ),
    Rule(
        "gpu_gaps",
        "Long idle gaps",
        idle.gpu_gaps,
        "CUDA trace",
        idle.has_ops,
        "For so long the device had no kernel, copy, memset or graph of this process.",
        "`nsystui gaps` names what the host was doing in each. Common causes: loading data, a blocking call, "
        "compilation, checkpoints.",
        "Graphs that were traced whole count as work (nsys shows them as gaps).",
        "--gap TIME",
    ),
    Rule(
        "gpu_time_util",
        "Stretches of low use",
        idle.gpu_time_util,
        "CUDA trace",
        idle.has_ops,
        "The time from the first to the last op is cut into equal chunks; in these, neighbours joined, "
        "the device was in use for less than the threshold.",
        "Launch more at a time: larger batches, fused kernels, CUDA graphs, several streams; `nsystui "
        "gaps` tells what the host was doing.",
        "Use is the union of the ops, so it never passes 100 %; nsys adds up ops that overlap.",
        "--chunks N, --utilization PCT",
    ),
)

RULES = MappingProxyType({rule.name: rule for rule in _ALL})
"""Every rule by name."""


def choose(names: list[str]) -> list[Rule]:
    """The rules of these names, ``all`` meaning every one; UsageError for an unknown one."""
    if names == ["all"]:
        return list(RULES.values())
    for name in names:
        if name not in RULES:
            close = difflib.get_close_matches(name, RULES, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(RULES)} and all"
            raise UsageError(f"no rule {name!r}; {hint}")
    return [RULES[name] for name in names]
