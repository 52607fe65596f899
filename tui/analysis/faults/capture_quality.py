"""What the capture leaves out: ranges, the kernels of graphs, the other ranks of a job."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, longest, share_of
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found, NotAssessable
from tui.intervals import total, union
from tui.report.model import OpKind
from tui.text.numbers import plural

NO_RANGES, GRAPHS, ONE_RANK = "no-ranges", "graph-hides-kernels", "one-rank"
ONLY_SUSPECTED = (
    "one rank is in the report: whether it waits for others or others wait for it can only be suspected"
)
"""Why stragglers can't be judged from the report of one rank."""


def _examine_ranges(case: Case) -> Findings:
    ranges = case.report.ranges
    if case.own_threads[ranges.thread].any():
        return
    reasons = ["the export holds no push/pop or start/end range of the processes that use the GPU"]
    if case.report.capture.get("PROCESS_0:COLLECT_NVTX_TRACE") == "false":
        reasons.append("the capture was asked not to trace NVTX")
    seen = "0 NVTX ranges in the processes that use the GPU"
    yield Found(
        title="the capture has no NVTX ranges: no step and no phase can be named",
        evidence=(Evidence(seen, 0, "count", case.commands.info(), case.window.start, case.window.end),),
        confidence=Confidence.HIGH,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--pytorch=autograd-nvtx"),
        of_capture=True,
    )


RANGES_FAULT = Fault(
    NO_RANGES,
    "no NVTX ranges",
    _examine_ranges,
    "GPU work, and no NVTX range of the processes that launch it.",
    advice=(
        "PyTorch: `with torch.cuda.nvtx.range('train_step'):` around the step "
        "and around data, forward, backward, optimizer; "
        "or `--pytorch=autograd-nvtx` without touching the code.",
        "JAX: `jax.profiler.StepTraceAnnotation`, `nvtx.annotate`; CUDA C++: `nvtx3::scoped_range`.",
    ),
    also_possible=("ranges were made, but `--trace` did not name nvtx",),
)


def _examine_graphs(case: Case) -> Findings:
    ops = case.report.ops
    graphs = np.flatnonzero(case.in_scope & (ops.kind == OpKind.GRAPH))
    if not len(graphs):
        return
    hidden = busy = 0
    for device in case.devices:
        mine = graphs[ops.device[graphs] == device.index]
        hidden += total(*union(ops.start[mine], ops.end[mine]))
        busy += total(*case.busy(device.index))
    if 100 * hidden < case.limits.graph_share_pct * busy:
        return
    seen = f"{plural(len(graphs), 'graph launch')} recorded whole"
    command = case.commands.diagnose(GRAPHS)
    yield Found(
        title=f"{plural(len(graphs), 'CUDA graph')} were recorded whole: "
        f"{share_of(hidden, busy)} the busy time has no kernels",
        evidence=(at_op(case, longest(case, graphs)[0], seen, len(graphs), "count", command),),
        confidence=Confidence.HIGH,
        reasons=("a graph row says when a graph ran, not which kernels, nor how much of it was idle",),
        confirm=case.commands.capture("cuda,nvtx", "--cuda-graph-trace=node"),
        of_capture=True,
    )


GRAPHS_FAULT = Fault(
    GRAPHS,
    "CUDA graphs recorded whole",
    _examine_graphs,
    "Whole-graph rows that make up a good part of the busy time.",
    advice=(
        "Capture again with `--cuda-graph-trace=node`: every node becomes a kernel row "
        "(at a cost per node: use it for a few steps, and time the run without it).",
    ),
    limits=("graph_share_pct",),
)


def _examine_ranks(case: Case) -> Findings:
    ops, index = case.report.ops, case.index
    communicating = np.flatnonzero(index.communicates)
    if not len(communicating):
        return
    ranks = np.unique(np.stack((ops.process[communicating], ops.device[communicating])), axis=1).shape[1]
    if ranks > 1:
        return
    device = int(ops.device[communicating[0]])
    spent = case.communication(device).length(case.window.start, case.window.end)
    if 100 * spent < case.limits.comm_share_pct * case.window.length:
        return
    mine = communicating[case.in_scope[communicating]]
    if not len(mine):
        return
    seen = f"{plural(len(mine), 'collective')} on {case.device_name(device)} alone"
    command = case.commands.diagnose(ONE_RANK)
    yield Found(
        title="one rank of a job of several: what the others do, and who waits for whom, is not recorded",
        evidence=(at_op(case, longest(case, mine)[0], seen, len(mine), "count", command),),
        confidence=Confidence.HIGH,
        reasons=("communication kernels run on one device of one process; a collective takes two or more",),
        confirm="nsys between launcher and program, one report a rank: "
        "srun " + case.commands.capture("cuda,nvtx,osrt", output="run_%q{SLURM_PROCID}"),
        of_capture=True,
    )
    yield NotAssessable(
        ONLY_SUSPECTED,
        "one report a rank: " + case.commands.capture("cuda,nvtx,osrt", output="run_%q{RANK}"),
        fault="straggler",
    )


RANKS_FAULT = Fault(
    ONE_RANK,
    "one rank of many",
    _examine_ranks,
    "Collectives of a single rank: the others are not in the report.",
    advice=(
        "Capture every rank, or a sample across nodes, for the same steps, and compare the same collective.",
    ),
    limits=("comm_share_pct",),
)
