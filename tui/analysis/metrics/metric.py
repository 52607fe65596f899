"""One metric of a device or of the machine: what it is called, in which unit, and its values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tui.analysis.metrics.keys import LINKS, MEANINGS, key_of, named, power_key
from tui.analysis.metrics.quantity import Quantity
from tui.analysis.metrics.units import Measure, measure, worded
from tui.report.metrics.columns import Kept

UNVERIFIED = "how this release exports metrics is taken from its documentation, not from files"
_FULL = 99.5


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric of a device, of a GPU without recorded work, or of the machine."""

    kept: Kept
    device: int
    """Position in ``Report.devices``; -1: none of them."""
    gpu: int | None
    """The number that the capture gives the GPU; None: it is the machine's."""
    key: str | None
    """What it is, whatever it is called; None: no key fits."""
    notes: tuple[str, ...] = ()
    """What has to be said of whose it is."""

    @property
    def source(self) -> str:
        return self.kept.source

    @property
    def name(self) -> str:
        """As the export has it, without its unit."""
        return named(self.kept.name).base

    @cached_property
    def measure(self) -> Measure:
        """In which unit the values are, and which rule says so."""
        stored = Quantity(self.kept)
        middle = stored.quantiles(*self._all, (0.5,))[0] if self.key == "power" else None
        bracket = self.kept.unit or named(self.kept.name).unit
        greatest = stored.extremes[1] if len(stored) else 0.0
        return measure(self.key, bracket, greatest, greatest if middle is None else middle)

    @property
    def _all(self) -> tuple[int, int]:
        axis = self.kept.axis
        return (int(axis.begin[0]), int(axis.end[-1])) if len(axis.end) else (0, 0)

    @property
    def unit(self) -> str:
        return self.measure.unit

    @cached_property
    def quantity(self) -> Quantity:
        """Its values, in :attr:`unit`."""
        return Quantity(self.kept, self.measure.scale)

    @property
    def is_share(self) -> bool:
        """Whether it is a percentage."""
        return self.unit == "%"

    @cached_property
    def constant(self) -> float | None:
        """Its value where it has the same throughout; None: it changes, or has none."""
        low, high = self.quantity.extremes
        return low if low == high else None

    @property
    def inactive(self) -> bool:
        """Whether it is of a link that reads as full from the first sample to the last: nothing uses it."""
        return self.key in LINKS[:2] and self.is_share and (self.constant or 0.0) >= _FULL

    def words(self, value: float) -> str:
        """A value with its unit."""
        return worded(self.unit, value)

    @cached_property
    def details(self) -> tuple[tuple[str, str], ...]:
        """What holds for all of its values, for a details pane."""
        axis = self.kept.axis
        rows = [("metric", self.kept.name), ("unit", f"{self.unit or '?'}: {self.measure.rule}")]
        if self.key in MEANINGS:
            rows.append(("meaning", MEANINGS[self.key or ""]))
        if axis.period:
            rows.append(("period", f"{axis.period:,} ns ({1e9 / axis.period:,.0f} Hz)"))
        rows.append(("samples", f"{len(axis.end):,}"))
        if axis.missing:
            rows.append(("missing", f"{axis.missing:,} samples: the time before them is unknown"))
        rows += [("left out", f"{count:,} with {why}") for why, count in self.kept.counts.items()]
        rows += [("note", note) for note in (*self.kept.notes, *self.notes)]
        return tuple(rows)


def key_for(kept: Kept) -> str | None:
    """The key of a metric by where it comes from."""
    if kept.source == "gpu":
        return key_of(kept.name) or power_key(kept.name)
    return power_key(kept.name) if kept.source == "nvml" else None


def best(metrics: Iterable[Metric], key: str) -> Metric | None:
    """The metric of a key: of two variants the one in percent, then the first. None: there is none.

    A link that nothing uses has no metric.
    """
    fitting = [metric for metric in metrics if metric.key == key and not metric.inactive]
    return min(fitting, key=lambda metric: not metric.is_share) if fitting else None
