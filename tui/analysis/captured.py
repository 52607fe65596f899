"""What the tables of a capture that not every capture has give, and which option of nsys records them."""

from __future__ import annotations

from dataclasses import dataclass

from tui.analysis.kinds import KINDS, SUBJECTS
from tui.analysis.kinds.kind import Kind
from tui.report.model import Report


@dataclass(frozen=True)
class Captured:
    """How much of a kind of data a report holds."""

    kind: Kind
    rows: int | None
    """None: it was not captured. 0: it was, and nothing happened."""

    @property
    def state(self) -> str:
        """``captured``, ``captured, no rows`` or ``not captured``."""
        return "not captured" if self.rows is None else "captured" if self.rows else "captured, no rows"

    @property
    def words(self) -> str:
        """What it gives, or how to record it."""
        if self.rows is None:
            return f"not captured; nsys profile {self.kind.option} adds it"
        return self.kind.gives if self.rows else self.state


def captured(report: Report, kinds: tuple[Kind, ...] = KINDS) -> list[Captured]:
    """How many rows of each kind of data the report's file holds. Reads none of them."""
    rows = {table.name: table.rows for table in report.tables}
    found = [[rows[table] for table in kind.tables if table in rows] for kind in kinds]
    return [Captured(kind, sum(there) if there else None) for kind, there in zip(kinds, found, strict=True)]


def captured_by_subject(report: Report) -> list[tuple[str, Captured]]:
    """The subject of each kind of data, and how much of it a report's file holds."""
    return [(s.title, found) for s in SUBJECTS for found in captured(report, s.kinds)]


def lacking(report: Report, kind: Kind) -> str:
    """Return the error text for a report without data of a kind: not captured, or nothing happened."""
    (found,) = captured(report, (kind,))
    return f"{report.path.name}: {kind.name}: {found.words if not found.rows else 'none that can be used'}"


def sampling_period(report: Report) -> int | None:
    """After how many cycles of a CPU a sample was taken; None where the capture does not say."""
    text = report.capture.get("LINUX_PERF_OPTIONS:SAMPLING_PERIOD", "")
    return int(text) if text.isdecimal() else None
