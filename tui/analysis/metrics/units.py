"""In which unit values are: the one in a name is what it is shown in, not always how it is stored."""

from __future__ import annotations

import re
from typing import NamedTuple

from tui.analysis.metrics.keys import CLOCKS, PERCENT
from tui.text.numbers import rounded

_MILLION = 1e6
_MILLIWATTS = 2000.0
_RATES = {"kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9, "tb/s": 1e12, "b/s": 1.0, "bytes/s": 1.0}
_HERTZ = {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}


class Measure(NamedTuple):
    """How stored values become values in a unit."""

    unit: str
    """``%``, ``Hz``, ``bytes/s``, ``W``, ``°C``; any other as the name has it."""
    scale: float
    """What a stored value is multiplied by."""
    rule: str
    """Which rule fired, in words."""


def measure(key: str | None, bracket: str, greatest: float, median: float) -> Measure:
    """The measure of a metric, by its key, its name's unit, and its greatest and median stored values."""
    low = bracket.casefold().strip()
    found = (
        _of_nvml(key, low, median)
        or _of_clock(key, low, greatest)
        or _of_rate(low, greatest)
        or _of_share(key, low, bracket)
    )
    return found or Measure(bracket, 1.0, "the unit is the name's" if bracket else "the export names no unit")


def _of_nvml(key: str | None, low: str, median: float) -> Measure | None:
    if key == "power":
        if low == "mw" or (low != "w" and median > _MILLIWATTS):
            why = "the name says mW" if low == "mw" else f"values above {_MILLIWATTS:,.0f} are mW"
            return Measure("W", 1e-3, why)
        if low == "w" and median > _MILLIWATTS:
            return Measure("W", 1e-3, f"the name says W, but values above {_MILLIWATTS:,.0f} are mW")
        return Measure("W", 1.0, "the unit is the name's" if low == "w" else "taken to be W")
    if key in ("temperature", "memory_temperature"):
        return Measure("°C", 1.0, "taken to be °C")
    return None


def _of_clock(key: str | None, low: str, greatest: float) -> Measure | None:
    if low in ("mhz", "ghz", "khz") and greatest >= _MILLION:
        return Measure("Hz", 1.0, f"values from 10⁶ up under a name in {low[0].upper()}Hz are Hz")
    if low in _HERTZ:
        return Measure("Hz", _HERTZ[low], "the unit is the name's")
    if key in CLOCKS and not low:
        hertz = greatest >= _MILLION
        return Measure(
            "Hz", 1.0 if hertz else 1e6, f"no unit in the name: taken to be {'Hz' if hertz else 'MHz'}"
        )
    return None


def _of_rate(low: str, greatest: float) -> Measure | None:
    if low not in _RATES:
        return None
    if greatest > _MILLION and _RATES[low] > 1:
        return Measure("bytes/s", 1.0, f"values above 10⁶ under a name in {low.upper()} are bytes/s")
    return Measure("bytes/s", _RATES[low], "the unit is the name's")


def _of_share(key: str | None, low: str, bracket: str) -> Measure | None:
    if re.search(r"%|percent", low):
        return Measure("%", 1.0, "the unit is the name's")
    if key in PERCENT and not bracket:
        return Measure("%", 1.0, "no unit in the name: taken to be percent of the peak")
    return None


def worded(unit: str, value: float) -> str:
    """A value with its unit: ``61.3 %``, ``1,980.0 MHz``, ``12.4 GB/s``."""
    if unit == "%":
        return f"{rounded(value, 1)} %"
    if unit == "Hz":
        return f"{value / 1e6:,.1f} MHz"
    if unit == "bytes/s":
        scale, name = next(((s, n) for s, n in _BYTES if abs(value) >= s), _BYTES[-1])
        return f"{value / scale:,.1f} {name}"
    text = f"{value:,.1f}" if abs(value) < 1e15 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


_BYTES = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
