"""Classes of kernels against the limits of the device: memory bandwidth, and the tensor pipe left idle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.grouping import dense
from tui.analysis.metrics.capture import may_have_metrics
from tui.analysis.metrics.class_columns import class_means
from tui.report.columns import Positions
from tui.report.kernels.class_table import KernelClass

BANDWIDTH, TENSOR = "bandwidth-bound", "tensor-unused"


@dataclass(frozen=True)
class _Class:
    """A class of kernels: which they are, and its metrics."""

    name: str
    op: Positions
    ns: int
    kernel_ns: int
    """Of all classes."""
    means: dict[str, float | None]


def _classes(case: Case) -> list[_Class]:
    return case.once("classes with metrics", lambda: _find_classes(case))


def _find_classes(case: Case) -> list[_Class]:
    if not may_have_metrics(case.report):
        return []
    ops, window = case.report.ops, case.window
    number, used = dense(ops.name[case.kernels])
    names = [case.text(n) if n >= 0 else "" for n in used.tolist()]
    class_of = {name: case.report.classes.kernel_class(name).value for name in names}
    means = class_means(case.index, case.scope, class_of)
    of_op = np.array([class_of[name] for name in names], object)[number]
    ns = np.minimum(ops.end[case.kernels], window.end) - np.maximum(ops.start[case.kernels], window.start)
    whole = int(ns.sum())
    return [
        _Class(name, case.kernels[of_op == name], int(ns[of_op == name].sum()), whole, means.get(name, {}))
        for name in dict.fromkeys(class_of.values())
        if (of_op == name).any()
    ]


def _bandwidth(case: Case) -> Findings:
    found = []
    for one in _classes(case):
        read, write = one.means.get("dram_read"), one.means.get("dram_write")
        communicates = one.name == KernelClass.COMMUNICATION.value
        if read is None or write is None or communicates or one.ns < case.limits.class_share * one.kernel_ns:
            continue
        if read + write >= case.limits.bandwidth_pct:
            found.append((read + write, one))
    if found:
        worst = max(found, key=lambda pair: pair[1].ns)
        yield Found(
            title=f"{worst[1].name} is bound by memory bandwidth: {worst[0]:.0f} % of its peak, "
            f"{share(worst[1].ns, worst[1].kernel_ns)} of kernel time",
            evidence=tuple(_evidence(case, one, "reading and writing", value) for value, one in found),
            confidence=Confidence.HIGH,
            reasons=("the cost is all of that class's time: what fewer bytes would save is a part of it",),
            confirm="`ncu --set full` on its kernels: memory throughput against compute throughput",
            claims=tuple(claim for _, one in found for claim in _claims(case, one)),
        )


def _tensor(case: Case) -> Findings:
    for one in _classes(case):
        value = one.means.get("tensor_active")
        if one.name != KernelClass.GEMM.value or value is None:
            continue
        if one.ns >= case.limits.gemm_share * one.kernel_ns and value < case.limits.tensor_unused_pct:
            yield Found(
                title=f"matrix products leave the tensor pipe idle: {value:.1f} % active, "
                f"{share(one.ns, one.kernel_ns)} of kernel time",
                evidence=(_evidence(case, one, "the tensor pipe", value),),
                confidence=Confidence.HIGH,
                reasons=("the cost is all of that class's time: tensor cores would save most of it",),
                confirm="`ncu --section SpeedOfLight` on these kernels: which pipe they use",
                claims=_claims(case, one),
            )


def _evidence(case: Case, one: _Class, what: str, value: float) -> Evidence:
    rounded = round(value, 1)
    text = f"{one.name}: {what} {rounded} % while it runs alone"
    ops, window = case.report.ops, case.window
    start, end = max(int(ops.start[one.op[0]]), window.start), min(int(ops.end[one.op[0]]), window.end)
    return Evidence(text, rounded, "%", case.commands.classes(), start, end, int(ops.device[one.op[0]]))


def _claims(case: Case, one: _Class) -> tuple[Claim, ...]:
    ops = case.report.ops
    return tuple(Claim.by_device(ops.device[one.op], Lost.SLOWED, ops.start[one.op], ops.end[one.op]))


BANDWIDTH_FAULT = Fault(
    BANDWIDTH,
    "a class of kernels is bound by memory bandwidth",
    _bandwidth,
    "DRAM reading and writing from 60 % of the peak on while a class runs alone that has a tenth of kernel "
    "time or more (GPU metrics).",
    advice=(
        "Fuse kernels that pass over the same data (torch.compile, fused optimizers and norms).",
        "Move fewer bytes: BF16 or FP8 instead of FP32, a layout without copies in between.",
    ),
    limits=("bandwidth_pct", "class_share"),
)
TENSOR_FAULT = Fault(
    TENSOR,
    "matrix products do not use tensor cores",
    _tensor,
    "The tensor pipe is active for less than a tenth while matrix products run alone (GPU metrics).",
    advice=(
        "Let them: `torch.set_float32_matmul_precision('high')` (TF32), autocast to BF16.",
        "Make dimensions multiples of 8 (16 for FP8), and pad vocabularies.",
    ),
    also_possible=("the products are too small or too thin to fill the pipe",),
    limits=("gemm_share", "tensor_unused_pct"),
)
