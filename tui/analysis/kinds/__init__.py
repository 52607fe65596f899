"""What the tables of a capture that not every capture has give, one module a subject."""

from __future__ import annotations

from tui.analysis.kinds import calls, cpu, diagnostics, graphics, memory, metrics, network, windows, work
from tui.analysis.kinds.facts import FACTS, LABELS, MACHINE
from tui.analysis.kinds.kind import Kind, Subject

SUBJECTS = (
    Subject("GPU work and host calls", work.KINDS),
    Subject("What threads did on CPUs", cpu.KINDS),
    Subject("Metrics", metrics.KINDS),
    Subject("Memory", memory.KINDS),
    Subject("Networks", network.KINDS),
    Subject("Libraries, MPI and files", calls.KINDS),
    Subject("The capture itself", diagnostics.KINDS),
    Subject("Graphics and video", graphics.KINDS),
    Subject("Windows", windows.KINDS),
)
"""All subjects, in the order in which `nsystui info` lists them."""
KINDS: tuple[Kind, ...] = tuple(kind for subject in SUBJECTS for kind in subject.kinds)
"""Every kind of data."""

_OF_TABLE = {table: kind for kind in reversed(KINDS) for table in (*kind.parts, *kind.tables)}


def word_of(table: str) -> str | None:
    """What a table of an export, by nsys's spelling, is for; None for one that is not known."""
    if (kind := _OF_TABLE.get(table)) is not None:
        return f"{kind.name}: {kind.gives}" if table in kind.tables else f"more about {kind.name}"
    if table in FACTS:
        return FACTS[table]
    if table.startswith(LABELS):
        return "labels of numbers in other tables"
    return "facts about the machine" if table.startswith(MACHINE) else None
