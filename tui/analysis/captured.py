"""What the tables of a capture that not every capture has give, and which option of nsys records them."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report.model import Report


@dataclass(frozen=True)
class Kind:
    """A kind of data."""

    name: str
    table: str
    gives: str
    """What is made of it."""
    option: str
    """What records it: options of ``nsys profile``."""


@dataclass(frozen=True)
class Captured:
    """How much of a kind of data a report holds."""

    kind: Kind
    rows: int | None
    """None: it was not captured. 0: it was, and nothing happened."""

    @property
    def words(self) -> str:
        """What it gives, or how to record it."""
        if self.rows is None:
            return f"not captured; nsys profile {self.kind.option} adds it"
        return self.kind.gives if self.rows else "captured, no rows"


SCHEDULING = Kind(
    "scheduling", "SCHED_EVENTS", "how long threads ran: threads, gaps --cpu", "--cpuctxsw=process-tree"
)
CPU_SAMPLES = Kind("CPU samples", "COMPOSITE_EVENTS", "which functions ran: samples", "--sample=process-tree")
SAMPLED_STACKS = Kind(
    "sampled stacks",
    "SAMPLING_CALLCHAINS",
    "how they came to run: samples --by stack",
    "--sample=process-tree",
)
OS_BACKTRACES = Kind(
    "OS backtraces", "OSRT_CALLCHAINS", "who waits in long OS calls: samples --callers os", "--trace=osrt"
)
CUDA_BACKTRACES = Kind(
    "CUDA backtraces",
    "CUDA_CALLCHAINS",
    "who makes CUDA calls: samples --callers cuda",
    "--trace=cuda --cudabacktrace=all",
)
CPU_KINDS = (SCHEDULING, CPU_SAMPLES, SAMPLED_STACKS, OS_BACKTRACES, CUDA_BACKTRACES)


def captured(report: Report, kinds: tuple[Kind, ...] = CPU_KINDS) -> list[Captured]:
    """How many rows of each kind of data the report's file holds. Reads none of them."""
    rows = {table.name: table.rows for table in report.tables}
    return [Captured(kind, rows.get(kind.table)) for kind in kinds]


def lacking(report: Report, kind: Kind) -> str:
    """Return the error text for a report without data of a kind: not captured, or nothing happened."""
    (found,) = captured(report, (kind,))
    return f"{report.path.name}: {kind.name}: {found.words if not found.rows else 'none that can be used'}"


def sampling_period(report: Report) -> int | None:
    """After how many cycles of a CPU a sample was taken; None where the capture does not say."""
    text = report.capture.get("LINUX_PERF_OPTIONS:SAMPLING_PERIOD", "")
    return int(text) if text.isdecimal() else None
