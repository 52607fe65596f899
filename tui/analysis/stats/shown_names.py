"""Names as a column: decoded when looked at, once each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from tui.report.model import Strings


class Names(Sequence[str]):
    """The texts of ``indices`` in ``strings``; "" for -1."""

    def __init__(self, strings: Strings, indices: NDArray[Any]) -> None:
        self._strings = strings
        self._indices = indices
        self._known: dict[int, str] = {-1: ""}

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self._text(index) for index in self._indices[at].tolist()]
        return self._text(int(self._indices[at]))

    def _text(self, index: int) -> str:
        text = self._known.get(index)
        if text is None:
            text = self._known[index] = self._strings[index]
        return text
