"""A mean of samples, and how far it can be trusted."""

from __future__ import annotations

from typing import NamedTuple

from tui.text.numbers import percent

FEW = 5
"""Fewer samples than these say nothing."""
LEAST_COVERAGE = 0.5
"""No finding rests on samples that cover less of its time."""


class Average(NamedTuple):
    """A mean over some time."""

    mean: float | None
    """Over what is known, by time; None: nothing is."""
    samples: int
    covered_ns: int
    length_ns: int

    @property
    def known(self) -> float | None:
        """The mean; None (unknown) for fewer than :data:`FEW` samples."""
        return self.mean if self.samples >= FEW else None

    @property
    def sure(self) -> float | None:
        """The mean; None also where it covers too little of its time for a finding."""
        return self.known if self.covered_ns >= LEAST_COVERAGE * self.length_ns else None

    @property
    def coverage_pct(self) -> float | None:
        return percent(self.covered_ns, self.length_ns)
