"""Which fault reads which threshold: what a fault declares is what it reads."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import tui.analysis
from fixtures import registry
from tui.analysis.choices import Choices
from tui.analysis.faults import CATALOGUE
from tui.analysis.faults.case import Case
from tui.analysis.faults.limits import FaultLimits, limits_from
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.errors import UsageError

NAMES = {field.name for field in fields(FaultLimits)}
COMMON = {
    "min_cost_pct", "blame_floor_ns", "healthy_busy_pct", "healthy_lost_pct", "outlier_ratio",
    "steps_for_pattern", "few_kernels",
}  # fmt: skip
"""What the case, the diagnosis and the verdict read themselves."""


class Watched:
    """The default thresholds; ``read`` holds the names of those that were asked for."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(FaultLimits(), name)


def test_every_limit_belongs_to_a_fault_or_to_all_of_them() -> None:
    declared = {name for fault in CATALOGUE for name in fault.limits}
    assert declared | COMMON == NAMES
    for fault in CATALOGUE:
        assert len(fault.limits) == len(set(fault.limits)), fault.slug


def test_every_limit_is_read_somewhere() -> None:
    sources = Path(tui.analysis.__file__).parent.rglob("*.py")
    read = {name for path in sources for name in re.findall(r"\blimits\.([a-z_]+)\b", path.read_text())}
    assert read >= NAMES


@pytest.mark.parametrize("name", ["finetune", "ddp", *(f"fault:{f}" for f in registry.FAULTS)])
def test_a_fault_reads_what_it_declares(seen, name: str) -> None:
    index = Index(seen(name).report)
    case = Case(index, Choices(Scope(work_window(index))))
    assert len(case.pieces) >= 0  # built before anybody is watched
    for fault in CATALOGUE:
        watched = Watched()
        case.limits = watched  # type: ignore[assignment]
        list(fault.examine(case))
        assert watched.read <= {*fault.limits}, fault.slug


def test_a_limit_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no limit 'speed'"):
        limits_from({"speed": 3})
