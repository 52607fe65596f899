"""Times and durations as people write them, to the nanosecond, and as people read them."""

from __future__ import annotations

import re
from decimal import Decimal

from tui.errors import UsageError

UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns"))
"""(nanoseconds, name) of the units that times are shown in, the largest first."""

_WRITTEN = {name: size for size, name in UNITS} | {
    "": 1,
    "µs": 1_000,  # micro sign
    "μs": 1_000,  # Greek mu
    "m": 60_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_NSYS_UNITS = _WRITTEN | {
    "nsec": 1,
    "usec": 1_000,
    "msec": 1_000_000,
    "sec": UNITS[0][0],
    "hour": _WRITTEN["h"],
}
_PART = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)([a-zµμ]*)")
_TIME = re.compile(r"\s*([+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+))\s*([a-zA-Zµμ]*)\s*")


def parse_time(text: str) -> int:
    """Read ``1.5s``, ``200ms``, ``-3us`` or ``1500`` (ns) as nanoseconds; UsageError for anything else."""
    match = _TIME.fullmatch(text)
    unit = _WRITTEN.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise UsageError(f"{text!r} is no time such as 1.5s, 200ms, 100us or 1500 (nanoseconds)")
    value = Decimal(match[1].replace("_", "")) * unit
    if abs(value) >= 2**63:
        raise UsageError(f"{text!r} is beyond 64-bit nanoseconds")
    return int(value.to_integral_value())


def parse_times(text: str) -> int:
    """Read a time as nsys does, ``1s500ms``, ``-2us`` or ``1.5e9`` (ns): parts add up. Else UsageError."""
    parts = [*_PART.finditer(text)]
    whole = "".join(part[0] for part in parts) == text
    if not parts or not whole or any(part[2] not in _NSYS_UNITS for part in parts):
        raise UsageError(f"{text!r} is no time such as 1s500ms, 1.5ms, 100us or 1.5e3 (nanoseconds)")
    value = sum((Decimal(part[1]) * _NSYS_UNITS[part[2]] for part in parts), Decimal(0))
    if abs(value) >= 2**63:
        raise UsageError(f"{text!r} is beyond 64-bit nanoseconds")
    return int(value)


def parse_duration(text: str) -> int:
    """Like :func:`parse_time`, but UsageError for a negative one."""
    duration = parse_time(text)
    if duration < 0:
        raise UsageError(f"{text!r} is no duration: it is negative")
    return duration


def show_time(ns: int) -> str:
    """Write a moment in seconds with all nine digits: ``1.234 567 890 s``."""
    seconds, rest = divmod(abs(ns), 1_000_000_000)
    return f"{'-' if ns < 0 else ''}{seconds}.{f'{rest:011_d}'.replace('_', ' ')} s"


def show_duration(ns: int) -> str:
    """Write a duration in the unit that suits it, rounded half away from zero: ``152.310 ms``."""
    size = abs(ns)
    if size < 1_000:
        return f"{ns} ns"
    # The first unit in which the rounded figure stays below 1000.
    scale, unit = next((u for u in UNITS[-2:0:-1] if size * 1_000 + u[0] // 2 < 1_000_000 * u[0]), UNITS[0])
    whole, part = divmod((size * 1_000 + scale // 2) // scale, 1_000)
    return f"{'-' if ns < 0 else ''}{whole}.{part:03d} {unit}"


def rough(ns: int) -> str:
    """Write a duration with one decimal in the unit that suits it: ``61.2 ms``, ``1.5 s``, ``870 ns``."""
    size = abs(ns)
    # The first unit in which the rounded figure stays below 1000.
    scale, unit = next((u for u in UNITS[:0:-1] if size * 10 + u[0] // 2 < 10_000 * u[0]), UNITS[0])
    if scale == 1:
        return f"{ns} {unit}"
    whole, part = divmod((size * 10 + scale // 2) // scale, 10)
    return f"{'-' if ns < 0 else ''}{whole}.{part} {unit}"


def show_limit(ns: int) -> str:
    """Write a duration without trailing zeros: ``100 us``, ``1.5 ms``."""
    number, unit = show_duration(ns).split(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def unit_of(ns: int) -> tuple[int, str]:
    """Return (nanoseconds, name) of the largest unit that fits into ``ns``."""
    size = abs(ns)
    return next((u for u in UNITS if size >= u[0]), UNITS[-1])


def exact(ns: int) -> str:
    """Write a duration without rounding: ``152.310 ms``, ``1.513 400 s``, ``870 ns``."""
    size, name = unit_of(ns)
    whole, rest = divmod(abs(ns), size)
    digits = f"{size + rest:_}"[2:]  # in threes, without the 1 that keeps the leading zeros
    while digits.endswith("_000"):
        digits = digits.removesuffix("_000")
    sign, point = "-" if ns < 0 else "", "." if digits else ""
    return f"{sign}{whole}{point}{digits.replace('_', ' ')} {name}"


def brief(ns: float) -> str:
    """Write a duration in three digits: ``152 ms``, ``1.51 s``, ``42.3 us``, ``870 ns``, ``12,345 s``.

    Less than a nanosecond, but something, is ``<1 ns``.
    """
    if 0 < abs(ns) < 0.5:
        return "<1 ns"
    size, name = unit_of(round(ns))
    if size == 1:
        return f"{round(ns)} {name}"
    value = abs(ns) / size
    text = f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"
    if text == "1,000" and size < UNITS[0][0]:  # 999.7 us reads as 1.00 ms
        return brief((size * 1000) if ns > 0 else -(size * 1000))
    return f"{'-' if ns < 0 else ''}{text} {name}"


def instant(ns: int, step: int = 1) -> str:
    """Write a moment in seconds, as precise as ``step`` (ns) asks: ``0.871 204 113 s``.

    A step of 1 us leaves six decimals, one of 1 ms three.
    """
    dropped = (step >= 1_000) + (step >= 1_000_000)
    digits = show_time(ns).removesuffix(" s")
    return f"{digits[: len(digits) - 4 * dropped]} s"


def nearest_instant(ns: int, step: int) -> str:
    """Write a moment as :func:`instant` does, rounded to the digits that ``step`` leaves."""
    digit = 1_000_000 if step >= 1_000_000 else 1_000 if step >= 1_000 else 1
    return instant((ns + digit // 2) // digit * digit, step)


def show_offset(ns: int) -> str:
    """Write a tick's distance from the ruler's origin without trailing zeros: ``+50 ms``, ``+1.2 s``."""
    size, name = unit_of(ns)
    whole, rest = divmod(abs(ns), size)
    digits = str(size + rest)[1:].rstrip("0")
    return f"{'-' if ns < 0 else '+'}{whole}{'.' + digits if digits else ''} {name}"
