"""Families of kernel classes: what has a colour of its own on the timeline."""

from __future__ import annotations

from tui.report.kernels.class_table import KernelClass

_C = KernelClass
COMMUNICATION, PRODUCTS, ATTENTION, MEMORY, OTHER = (
    "comm", "kernel.gemm", "kernel.attention", "kernel.memory", "kernel.other"
)  # fmt: skip
MEANINGS = (
    (COMMUNICATION, "communication"),
    (PRODUCTS, "gemm, convolution"),
    (ATTENTION, "attention"),
    (MEMORY, "memory-like"),
    (OTHER, "other kernel"),
)
"""What a legend says of each style."""
_FAMILIES: dict[KernelClass, str] = {
    _C.COMMUNICATION: COMMUNICATION,
    _C.GEMM: PRODUCTS,
    _C.CONVOLUTION: PRODUCTS,
    _C.EXPERTS: PRODUCTS,
    _C.ATTENTION: ATTENTION,
    _C.OTHER: OTHER,
}
"""All other classes are bound by memory as a rule: copies, norms, elementwise work."""
SHADES = 3
"""Lightness levels of a family, so that neighbouring names look different."""


def family(kernel_class: KernelClass) -> str:
    """The style of a class, without its shade."""
    return _FAMILIES.get(kernel_class, MEMORY)
