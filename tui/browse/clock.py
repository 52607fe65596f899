"""Times as the user chose to read them."""

from __future__ import annotations

from dataclasses import dataclass

from tui.text.times import instant


@dataclass(frozen=True)
class Clock:
    """``absolute``: times as recorded; else since ``origin`` (ns), the start of the device work."""

    origin: int
    absolute: bool = False

    @property
    def zero(self) -> int:
        """The recorded time that reads as 0."""
        return 0 if self.absolute else self.origin

    def at(self, time: int, step: int = 1) -> str:
        """Return a point in time as text; ``step`` (ns): differences that the last digit need not show."""
        return instant(time - self.zero, step)
