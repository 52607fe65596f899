"""The self-test of the diagnosis: every fault's generated capture, and what is found in it.

A fault is found first in its own capture, at its true cost; nothing is found in its milder sibling, its
control and a healthy run.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands.shared.capture_generator import load_generator
from tui.errors import CheckFailed

if TYPE_CHECKING:
    from tui.analysis.diagnosis import Diagnosis

TOLERANCE = 0.1
"""How far from the truth a cost may be."""


@dataclass(frozen=True)
class MatrixRow:
    """One generated capture and what was found in it."""

    scenario: str
    expected: str | None
    """The fault that it was made with; None: nothing worth a finding."""
    truth_ns: int
    first: str | None
    """The most costly finding; of those without a cost the first."""
    first_ns: int | None
    others: tuple[str, ...]
    """Findings besides the expected one that are not true of this capture."""

    @property
    def ratio(self) -> float | None:
        """The cost found over the true one; None where there is none."""
        return self.first_ns / self.truth_ns if self.first_ns is not None and self.truth_ns else None

    @property
    def right(self) -> bool:
        """Whether the expected fault was found first, at its cost, and nothing else."""
        close = self.ratio is None or abs(self.ratio - 1) <= TOLERANCE
        return self.first == self.expected and close and not self.others


def judge(name: str, truth: Any, diagnosis: Diagnosis) -> MatrixRow:
    """Compare a diagnosis with the truth of a generated capture."""
    healthy = name.count(":") == 2  # fault:NAME:mild and fault:NAME:control hold nothing worth a finding
    expected = None if healthy else truth.fault
    # A capture of one rank that communicates is rightly called so, whatever it was made to show.
    one_rank = len(truth.devices) == 1 and truth.devices[0].comm_ns
    found = [f for f in diagnosis.findings if not f.minor]
    found = [f for f in found if f.fault == expected or not (one_rank and f.fault == "one-rank")]
    return MatrixRow(
        scenario=name,
        expected=expected,
        truth_ns=truth.costs.get(expected, 0) if expected else 0,
        first=found[0].fault if found else None,
        first_ns=found[0].cost_ns if found else None,
        others=tuple(f.fault for f in found if f.fault != expected),
    )


def scenario_names(registry: Any) -> list[str]:
    """Return the captures of the matrix: faults first, then their siblings, then the healthy runs."""
    faults = [f"fault:{name}" for name in registry.FAULTS]
    siblings = [f"{name}:{level}" for name in faults for level in ("mild", "control")]
    return [*faults, *siblings, "healthy", "healthy-ddp"]


def print_matrix() -> int:
    """Generate, diagnose and judge each capture, a line each; CheckFailed where any is judged wrongly."""
    from tui.analysis.diagnosis import diagnose
    from tui.analysis.index import Index
    from tui.report import open_report

    registry = load_generator()
    wrong = []
    print(f"{'capture':<34} {'made with':<20} {'found first':<20} {'cost/truth':>10}  others")
    with tempfile.TemporaryDirectory(prefix="nsystui-matrix-") as folder:
        for name in scenario_names(registry):
            path = Path(folder) / f"{name.replace(':', '-')}.sqlite"
            truth = registry.find(name).build(path)
            row = judge(name, truth, diagnose(Index(open_report(path, use_store=False))))
            path.unlink()
            ratio = "-" if row.ratio is None else f"{row.ratio:.3f}"
            names = f"{name:<34} {row.expected or '-':<20} {row.first or '-':<20}"
            mark = "" if row.right else "  WRONG"
            print(f"{names} {ratio:>10}  {', '.join(row.others) or '-'}{mark}", flush=True)
            if not row.right:
                wrong.append(name)
    if wrong:
        raise CheckFailed(f"judged wrongly: {', '.join(wrong)}")
    return 0
