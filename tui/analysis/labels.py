"""Labels of a report's names, each worked out once."""

from __future__ import annotations

from tui.report.model import Strings
from tui.text.labels import label


class Labels:
    """Labels of a report's names, each worked out once. Ids are positions in ``Report.strings``."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._known: dict[int, str] = {}

    def __getitem__(self, string: int) -> str:
        found = self._known.get(string)
        if found is None:
            found = self._known[string] = label(self._strings[string])
        return found
