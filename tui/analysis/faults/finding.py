"""What a fault says when it is found: one shape for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from tui.intervals import Spans


class Lost(IntEnum):
    """In which way a device's time was lost; what a fault may lay claim to."""

    IDLE = 0
    """Nothing ran."""
    SERIALISED = 1
    """Something ran that ought to run beside compute: a copy or a collective, and no compute kernel."""
    SLOWED = 2
    """A kernel ran longer than the same kernel does otherwise."""


@dataclass(frozen=True)
class Claim:
    """Time of one device that a fault explains. ``spans``: any intervals, ns; overlaps count once."""

    device: int
    """Position in ``Report.devices``."""
    lost: Lost
    spans: Spans


@dataclass(frozen=True)
class Evidence:
    """One measured fact, where to see it and how to have it printed again."""

    text: str
    value: int | float | None
    """None: the fact is no figure."""
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
    """What a fault believes in. The cost is worked out from ``claims`` by the diagnosis."""

    title: str
    """One line: what was seen, in the reader's words."""
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    reasons: tuple[str, ...]
    """Why no more and no less confidence."""
    confirm: str
    """The capture or measurement that would settle it."""
    claims: tuple[Claim, ...] = ()
    advice: tuple[str, ...] | None = None
    also_possible: tuple[str, ...] | None = None
    """Where they are not what the fault always says."""
    of_capture: bool = False
    """A shortcoming of the capture rather than of the program: it has no cost."""
    minor: bool = False
    """Worth a line whatever it costs."""
    under: tuple[str, ...] = ()
    """Faults that say the same with a cost: where one of them was found, this is evidence for it."""


@dataclass(frozen=True)
class NotAssessable:
    """A fault that this export can't speak of."""

    reason: str
    capture: str
    """The option of ``nsys profile`` (or the whole line) that would tell."""
    fault: str = ""
    """Empty: the fault that is looked for."""
