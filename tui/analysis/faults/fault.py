"""An entry of the fault catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tui.analysis.faults.case import Case
from tui.analysis.faults.finding import Findings


@dataclass(frozen=True)
class Fault:
    """One fault: its name, its signs, what to do about it, and the function that searches for it."""

    slug: str
    about: str
    """One line for the catalogue's listing."""
    examine: Callable[[Case], Findings] = field(repr=False)
    """Searches a case whose devices did some work."""
    signs: str
    """Its signs in the capture, one or two sentences."""
    advice: tuple[str, ...] = ()
    """What to change, most effective first."""
    also_possible: tuple[str, ...] = ()
    """Other causes of the same signs."""
    limits: tuple[str, ...] = ()
    """The thresholds that it reads: names of :class:`FaultLimits`."""
