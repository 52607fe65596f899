"""Times in words, as a timeline needs them: durations, instants and tick offsets."""

from __future__ import annotations

from tui.text.units import show_time

UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns"))


def unit_of(ns: int) -> tuple[int, str]:
    """(nanoseconds, name) of the largest unit that ``ns`` holds at least once."""
    size = abs(ns)
    return next((u for u in UNITS if size >= u[0]), UNITS[-1])


def exact(ns: int) -> str:
    """Every digit that counts: ``152.310 ms``, ``1.513 400 s``, ``870 ns`` (never rounded off)."""
    size, name = unit_of(ns)
    whole, rest = divmod(abs(ns), size)
    sign = "-" if ns < 0 else ""
    if size == 1:
        return f"{sign}{whole} {name}"
    digits = f"{rest:0{len(str(size)) - 1}d}"
    groups = [digits[i : i + 3] for i in range(0, len(digits), 3)]
    while len(groups) > 1 and groups[-1] == "000":
        groups.pop()
    return f"{sign}{whole}.{' '.join(groups)} {name}"


def brief(ns: int) -> str:
    """Three significant digits: ``152 ms``, ``1.51 s``, ``42.3 us``, ``870 ns``."""
    size, name = unit_of(ns)
    if size == 1:
        return f"{ns} {name}"
    value = abs(ns) / size
    text = f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
    if text == "1000" and size < UNITS[0][0]:  # 999.7 us reads as 1.00 ms
        return brief((size * 1000) if ns > 0 else -(size * 1000))
    return f"{'-' if ns < 0 else ''}{text} {name}"


def instant(ns: int, step: int = 1) -> str:
    """A point in time in seconds, digits in threes: ``0.871 204 113 s``.

    ``step``: what the last digit need not tell apart; a step of 1 ms leaves three decimals.
    """
    places = 9
    while places > 3 and step >= 10 ** (12 - places):
        places -= 3
    text = show_time(ns).removesuffix(" s")
    return text[: len(text) - (9 - places) // 3 * 4] + " s"


def offset(ns: int) -> str:
    """A tick's distance from the ruler's origin, as short as it is exact: ``+50 ms``, ``+1.2 s``."""
    size, name = unit_of(ns)
    whole, rest = divmod(abs(ns), size)
    digits = f"{rest:0{max(len(str(size)) - 1, 1)}d}".rstrip("0") if size > 1 else ""
    return f"{'-' if ns < 0 else '+'}{whole}{'.' + digits if digits else ''} {name}"


def rounded(value: float, places: int) -> str:
    """``value`` with so many decimals; what is there never reads as nothing: ``<0.1``, not ``0.0``."""
    text = f"{value:.{places}f}"
    return f"<{10**-places:.{places}f}" if value > 0 and not text.strip("0.") else text


def share(part: int, whole: int) -> str:
    """``61.0%``; ``<0.1%`` of what is there; unknown where there is nothing to be a share of."""
    return f"{rounded(100 * part / whole, 1)}%" if whole > 0 else "?"
