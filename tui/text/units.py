"""Times and durations as people write them, to the nanosecond, and as people read them."""

from __future__ import annotations

import re
from decimal import Decimal

from tui.errors import UsageError

_UNITS = {
    "": 1,
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # micro sign
    "μs": 1_000,  # Greek mu
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_TIME = re.compile(r"\s*([+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+))\s*([a-zA-Zµμ]*)\s*")


def parse_time(text: str) -> int:
    """``1.5s``, ``200ms``, ``-3us``, ``1500`` (ns) in nanoseconds; UsageError for anything else."""
    match = _TIME.fullmatch(text)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise UsageError(f"{text!r} is no time such as 1.5s, 200ms, 100us or 1500 (nanoseconds)")
    value = Decimal(match[1].replace("_", "")) * unit
    if abs(value) >= 2**63:
        raise UsageError(f"{text!r} is beyond 64-bit nanoseconds")
    return int(value.to_integral_value())


def parse_duration(text: str) -> int:
    """Like :func:`parse_time`, but never negative."""
    duration = parse_time(text)
    if duration < 0:
        raise UsageError(f"{text!r} is no duration: it is negative")
    return duration


def show_time(ns: int) -> str:
    """A moment in seconds with all nine digits, in groups: ``1.234 567 890 s``."""
    sign = "-" if ns < 0 else ""
    seconds, rest = divmod(abs(ns), 1_000_000_000)
    digits = f"{rest:09d}"
    return f"{sign}{seconds}.{digits[:3]} {digits[3:6]} {digits[6:]} s"


def show_duration(ns: int) -> str:
    """A duration in its own unit, at most three decimals, rounded half away from zero: ``152.310 ms``."""
    size = abs(ns)
    if size < 1_000:
        return f"{ns} ns"
    for unit, scale in (("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)):
        thousandths = (size * 1_000 + scale // 2) // scale
        if thousandths < 1_000_000 or unit == "s":
            whole, part = divmod(thousandths, 1_000)
            return f"{'-' if ns < 0 else ''}{whole}.{part:03d} {unit}"
    raise AssertionError("unreachable")


def show_limit(ns: int) -> str:
    """A round duration without needless zeros: ``100 us``, ``1.5 ms``."""
    number, unit = show_duration(ns).split(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"
