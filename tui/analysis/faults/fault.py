"""An entry of the catalogue: everything that a fault is, in its own module."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tui.analysis.faults.case import Case
from tui.analysis.faults.finding import Found, NotAssessable


@dataclass(frozen=True)
class Fault:
    """One fault: what it is called, what it looks like, and the function that looks for it."""

    slug: str
    about: str
    """One line for the catalogue's listing."""
    examine: Callable[[Case], Iterable[Found | NotAssessable]] = field(repr=False)
    """Yields what it finds in a case whose devices did some work, and what can't be known from it."""
    seen: str
    """What in the capture speaks for it, one or two sentences."""
    advice: tuple[str, ...] = ()
    """What to change, most effective first."""
    also_possible: tuple[str, ...] = ()
    """What else looks like it."""
    limits: tuple[str, ...] = ()
    """The thresholds that it reads: names of :class:`FaultLimits`."""
