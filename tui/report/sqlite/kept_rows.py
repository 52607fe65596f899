"""Which rows of a table are read, as a condition that SQLite tests."""

from __future__ import annotations

from typing import NamedTuple

from tui.report.sqlite.catalog import identifier


class KeptRows(NamedTuple):
    """Which rows of a table are read."""

    present: tuple[str, ...]
    only: tuple[str, tuple[int, ...]] | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it depends on."""
        return self.present if self.only is None else (*self.present, self.only[0])

    @property
    def condition(self) -> str:
        """What has to hold, in SQL."""
        parts = []
        if self.present:
            parts.append(f"({' OR '.join(f'{q} IS NOT NULL' for q in map(identifier, self.present))})")
        if self.only is not None:
            parts.append(f"{identifier(self.only[0])} IN ({', '.join(str(int(n)) for n in self.only[1])})")
        return " AND ".join(parts)
