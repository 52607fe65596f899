"""What the search for a fault yields: a finding, or the reason why there can be none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np

from tui.intervals import Spans
from tui.report.columns import Int32, Int64


class Lost(IntEnum):
    """How device time was lost; a fault claims time of one of these kinds."""

    IDLE = 0
    """Nothing ran."""
    SERIALISED = 1
    """A copy or a collective ran without compute beside it."""
    SLOWED = 2
    """A kernel ran longer than the same kernel does otherwise."""


@dataclass(frozen=True)
class Claim:
    """Time of one device that a fault explains."""

    device: int
    """Position in ``Report.devices``."""
    lost: Lost
    spans: Spans
    """Any intervals, ns; overlaps count once."""

    @staticmethod
    def by_device(device: Int32, lost: Lost, start: Int64, end: Int64) -> list[Claim]:
        """Return a claim for each of the devices: ``device`` says where each interval belongs."""
        devices = np.unique(device).tolist()
        return [Claim(d, lost, Spans(start[device == d], end[device == d])) for d in devices]


@dataclass(frozen=True)
class Evidence:
    """One measured fact, where to see it, and the command that prints it again."""

    text: str
    value: int | float | None
    """None: the fact is not a number."""
    unit: str
    """``ns``, ``count``, ``%``, ``GB/s``, ``x``; empty without a value."""
    command: str
    """The command whose output holds ``value``."""
    start_ns: int
    end_ns: int
    """Where to look on the timeline."""
    device: int | None = None
    """Position in ``Report.devices``; None: a host lane, or all devices."""


class Confidence(Enum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True)
class Found:
    """A fault that was found. The diagnosis works out its cost from ``claims``."""

    title: str
    """One line: what was seen."""
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    reasons: tuple[str, ...]
    """Why the confidence is what it is."""
    confirm: str
    """The capture or measurement that would settle it."""
    claims: tuple[Claim, ...] = ()
    advice: tuple[str, ...] | None = None
    """None: the advice of the :class:`Fault`; so for ``also_possible``."""
    also_possible: tuple[str, ...] | None = None
    of_capture: bool = False
    """A shortcoming of the capture rather than of the program: it has no cost."""
    without_cost: str = ""
    """Why nothing can be said about its cost; empty: its claims are its cost."""
    minor: bool = False
    """Looked at and fine, unless it turns out to cost something."""
    under: tuple[str, ...] = ()
    """Faults that say the same at a cost: where one of them was found, this becomes evidence for it."""


@dataclass(frozen=True)
class NotAssessable:
    """A fault that can't be judged from this export."""

    reason: str
    capture: str
    """The option of ``nsys profile`` (or the whole line) that would record what is missing."""
    fault: str = ""
    """Empty: the fault whose search yields this."""
    also: tuple[str, ...] = ()
    """Other faults that can't be judged for the same reason."""


Findings = Iterator[Found | NotAssessable]
"""What the search for one fault yields."""
