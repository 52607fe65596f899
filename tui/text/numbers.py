"""Numbers as they are shown."""

from __future__ import annotations


def hundredths(value: float | None) -> float | None:
    """A percentage with two decimals; None where it is unknown."""
    return None if value is None else round(value, 2)
