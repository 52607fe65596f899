"""Matrix products and convolutions that run on the FP32 pipe, beside which tensor cores stand idle."""

from __future__ import annotations

import numpy as np

from tui.analysis.class_table import PRODUCTS
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.analysis.grouping import dense, summed
from tui.report.columns import Int64, Positions
from tui.report.kernels.names import FP32, name_parts, pipe
from tui.text.times import show_duration

SLUG = "fp32-products"
_SHOWN = 3
_NAMESPACES = ("at::native::", "tensorflow::", "paddle::", "mxnet::")
"""Namespaces of frameworks that have a switch for the precision of products."""
_OPERATOR = "aten::"


def _examine(case: Case) -> Findings:
    report, window = case.report, case.window
    ops, kernels = report.ops, case.kernels
    if not len(kernels):
        return
    ns = np.minimum(ops.end[kernels], window.end) - np.maximum(ops.start[kernels], window.start)
    groups, used = dense(ops.name[kernels])
    names = [report.strings[number] if number >= 0 else "" for number in used.tolist()]
    spent, whole = summed(groups, len(used), ns), int(ns.sum())
    on_fp32 = np.array([_is_fp32(case, name) for name in names], bool)
    total = int(spent[on_fp32].sum())
    limits = case.limits
    if 100 * total < limits.plain_products_pct * whole or not _of_framework(case, names):
        return
    order = np.flatnonzero(on_fp32)
    order = order[np.argsort(-spent[order], kind="stable")][:_SHOWN]
    pct = round(100 * total / whole, 1)
    worst = int(kernels[groups == order[0]][0])
    text = f"products on the FP32 pipe take {share(total, whole)} of the kernel time"
    yield Found(
        title=f"{share(total, whole)} of the kernel time is FP32 products: enable TF32 or AMP",
        evidence=(
            at_op(case, worst, text, pct, "%", case.commands.diagnose(SLUG)),
            *(_one_name(case, kernels[groups == at], names[at], spent[at]) for at in order.tolist()),
        ),
        confidence=Confidence.HIGH,
        reasons=(
            "their names say sgemm, simt or ffma: no tensor core works on them",
            f"they are {share(total, case.device_ns)} of the device time",
        ),
        confirm=case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (Tensor Active while they run)",
        without_cost="how long they take on tensor cores depends on their shapes, which no capture holds",
    )


def _is_fp32(case: Case, name: str) -> bool:
    return case.report.classes.kernel_class(name) in PRODUCTS and pipe(name) == FP32


def _of_framework(case: Case, names: list[str]) -> bool:
    """Whether a framework with a switch for the precision of products works here."""
    if any(case.report.classes.of(name).made_by or any(n in name for n in _NAMESPACES) for name in names):
        return True
    used = np.unique(case.report.ranges.name).tolist()
    return any(number >= 0 and case.report.strings[number].startswith(_OPERATOR) for number in used)


def _one_name(case: Case, mine: Positions, name: str, spent: Int64) -> Evidence:
    """One kernel and its time in the window, as the classes of names print it."""
    text = f"{name_parts(name).last} takes {show_duration(int(spent))}"
    return at_op(case, int(mine[0]), text, int(spent), "ns", case.commands.class_names())


FAULT = Fault(
    SLUG,
    "matrix products on the FP32 pipe",
    _examine,
    "Products and convolutions whose names say sgemm, simt or ffma, in a framework that can do otherwise.",
    advice=(
        "PyTorch: `torch.set_float32_matmul_precision('high')` and "
        "`torch.backends.cudnn.allow_tf32 = True` (Ampere and later); JAX: "
        "`jax_default_matmul_precision='tensorfloat32'`.",
        "Train and infer in bf16 or fp16 (`torch.autocast`); tensor cores before Ampere take fp16 alone.",
        "Make sizes multiples of 8 (fp16, bf16) or 4 (TF32): other sizes may stay on the FP32 pipe.",
    ),
    also_possible=("the precision is meant: solvers and some losses need all of FP32",),
    limits=("plain_products_pct",),
)
