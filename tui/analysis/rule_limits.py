"""The thresholds of rules that a user may set: help lists them, so nothing here needs NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.errors import UsageError
from tui.text.times import parse_duration

if TYPE_CHECKING:
    from tui.analysis.choices import Choices


@dataclass(frozen=True)
class Limit:
    """A threshold of a rule; an option of ``nsystui analyze`` sets it."""

    rule: str
    name: str
    """Its key in :attr:`Choices.limits`."""
    option: str
    metavar: str
    default: str
    """As typed on the command line; the value that nsys uses."""
    about: str
    parse: Callable[[str], int] = int
    least: int = 0

    def of(self, choices: Choices) -> int:
        """Return the chosen value, or the default."""
        chosen: int = choices.limits.get(self.name, self.parse(self.default))
        return chosen

    def checked(self, value: int) -> int:
        """Return the value; UsageError if it is too small."""
        if value < self.least:
            raise UsageError(f"{self.option} is at least {self.least}")
        return value


GAP = Limit("gpu_gaps", "gap_ns", "--gap", "TIME", "500ms", "longer gaps", parse_duration)
CHUNKS = Limit("gpu_time_util", "chunks", "--chunks", "N", "30", "chunks", least=1)
UTILIZATION = Limit("gpu_time_util", "busy_pct", "--utilization", "PCT", "50", "less busy chunks")
SMALL_COPY = Limit(
    "cuda_memcpy_sync",
    "small_copy",
    "--small-copy",
    "BYTES",
    "64000",
    "leave out Host-to-Device copies up to this size",
)
LIMITS = (GAP, CHUNKS, UTILIZATION, SMALL_COPY)
"""Every threshold, in the order of the options."""
