"""The kernels of the real exports: how much of them no class fits."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from tests.support.real import ALL_EXPORTS
from tui.report import open_report
from tui.report.kernels.class_table import KernelClass
from tui.report.kernels.classes import Classes
from tui.report.model import OpKind


class OtherShare(NamedTuple):
    """Distinct names and launches of all real exports, and those of the class ``other``."""

    names: int
    launches: int
    other_names: int
    other_launches: int


def real_kernels() -> Counter[str]:
    """How often each kernel name was launched in the real exports."""
    found: Counter[str] = Counter()
    for path in ALL_EXPORTS:
        report = open_report(path, use_store=False, rules=())
        named = report.ops.name[report.ops.kind == OpKind.KERNEL]
        for number, count in Counter(named.tolist()).items():
            found[report.strings[number] if number >= 0 else ""] += count
    return found


def other_share() -> OtherShare:
    """How much of the real exports' kernels has no class."""
    kernels, classes = real_kernels(), Classes()
    other = {name for name in kernels if classes.kernel_class(name) is KernelClass.OTHER}
    return OtherShare(len(kernels), sum(kernels.values()), len(other), sum(kernels[name] for name in other))
