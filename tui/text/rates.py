"""Amounts and rates in words: ``12.5 MB/s``, ``1.20 k packets/s``. Prefixes are decimal."""

from __future__ import annotations

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def show_amount(value: float, unit: str) -> str:
    """Write a value to three digits: ``12.5 MB/s`` for ``bytes/s``, ``1.20 k packets/s``, ``7 ticks/s``."""
    short = unit.replace("bytes", "B", 1) if unit.startswith("bytes") else unit
    number, prefix = _scaled(value)
    if short != unit:
        return f"{number} {prefix}{short}"
    return f"{number} {prefix + ' ' if prefix else ''}{short}".rstrip()


def _scaled(value: float) -> tuple[str, str]:
    for factor, prefix in _PREFIXES:
        if abs(value) >= 0.9995 * factor:
            return _digits(value / factor), prefix
    whole = float(value).is_integer()
    return (f"{value:.0f}" if whole else _digits(value)), ""


def _digits(value: float) -> str:
    size = abs(value)
    return f"{value:.{2 if size < 9.995 else 1 if size < 99.95 else 0}f}"
