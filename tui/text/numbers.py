"""Numbers in words: decimals, shares, counts, sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from tui.errors import UsageError

BYTE_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))
"""(bytes, name) of the units that sizes are shown in, the largest first."""

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def rounded(value: float, places: int) -> str:
    """Write ``value`` with ``places`` decimals; a tiny one above zero is ``<0.1``, not ``0.0``."""
    text = f"{value:,.{places}f}"
    return f"<{10**-places:.{places}f}" if value > 0 and not text.strip("0.") else text


def brief_size(size: float) -> str:
    """Write a size in bytes in three digits: ``512 B``, ``4.19 MB``, ``12.5 kB``, ``1,250 GB``."""
    value = abs(size)
    # The first unit in which the rounded figure stays below 1000.
    scale, unit = next((u for u in BYTE_UNITS[::-1] if value < 999.5 * u[0]), BYTE_UNITS[0])
    value /= scale
    whole = scale == 1 or value >= 99.95
    text = f"{value:,.0f}" if whole else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    return f"{'-' if size < 0 else ''}{text} {unit}"


def percent(part: float, whole: float) -> float | None:
    """Return ``part`` in percent of ``whole``; None (unknown) where ``whole`` is zero."""
    return 100 * part / whole if whole > 0 else None


def share(part: float, whole: float) -> str:
    """Write a share: ``61.0%``, ``<0.1%`` where it is tiny, ``?`` (unknown) where ``whole`` is zero."""
    value = percent(part, whole)
    return "?" if value is None else f"{rounded(value, 1)}%"


def share_spaced(part: float, whole: float) -> str:
    """Write a share for a sentence: ``61.0 %``, ``<0.1 %`` where it is tiny, ``0.0 %`` of nothing."""
    return f"{rounded(percent(part, whole) or 0.0, 1)} %"


def hundredths(value: float | None) -> float | None:
    """Round a percentage to the two decimals that JSON shows; None (unknown) stays None."""
    return None if value is None else round(value, 2)


def plural(count: int, word: str) -> str:
    """Write a count of something: ``1 step``, ``2,594 steps``, ``3 copies``, ``4 batches``."""
    if count == 1:
        return f"1 {word}"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{count:,} {word[:-1]}ies"
    return f"{count:,} {word}{'es' if word.endswith(('s', 'ch')) else 's'}"


def ordinal(number: int) -> str:
    """Write a place in an order: ``1st``, ``2nd``, ``11th``, ``23rd``."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def show_size(size: int) -> str:
    """Write a size in bytes, from 0.1 MB up also in MB: ``512 B``, ``4,194,304 B  (4.194 MB)``."""
    return f"{size:,} B" + (f"  ({size / 10**6:.3f} MB)" if size >= 10**5 else "")


def parse_size(text: str) -> int:
    """Read ``500 MB``, ``20G`` or ``1000`` as bytes (decimal units). Raises UsageError."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is no size such as 500MB or 20GB")
    return int(float(match[1]) * _PREFIXES[match[2].lower()])


def rounded_parts(parts: Sequence[Fraction], total: int | None = None) -> list[int]:
    """Round parts to whole numbers that add up to their sum, rounded half up, or to ``total``.

    ``total``: their sum as it is rounded elsewhere, up or down. Each part is rounded down or up; up those
    that lose most otherwise, of equal ones the earlier.
    """
    whole = [math.floor(part) for part in parts]
    up = (math.floor(sum(parts, Fraction(1, 2))) if total is None else total) - sum(whole)
    by_loss = sorted(range(len(parts)), key=lambda i: whole[i] - parts[i])
    for i in by_loss[:up]:
        whole[i] += 1
    return whole
