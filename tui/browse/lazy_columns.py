"""Columns of a list of a million rows: a cell becomes text when it is drawn, and NumPy sorts and filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tui.report.columns import NULL, Array, Bool, Int64, Positions


@runtime_checkable
class Arranged(Protocol):
    """Values of a column that know their order, and which of them contain a text."""

    def order_keys(self) -> Array:
        """Return numbers in the order of the values; :data:`NULL` for an unknown one."""

    def containing(self, needle: str) -> Bool | None:
        """Return which rows contain ``needle`` (casefolded); None: none is ever searched."""


class Written(Sequence[str]):
    """Texts that ``write`` makes of ``keys`` (int64, NULL unknown), by which they are sorted.

    A filter does not look into them: they are numbers.
    """

    def __init__(self, keys: Int64, write: Callable[[int], str]) -> None:
        self.keys = keys
        self._write = write

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self._text(key) for key in self.keys[at].tolist()]
        return self._text(int(self.keys[at]))

    def _text(self, key: int) -> str | None:
        return None if key == NULL else self._write(key)

    def order_keys(self) -> Array:
        return self.keys

    def containing(self, needle: str) -> Bool | None:
        return None


class Coded(Sequence[str]):
    """Texts of some kinds: ``codes`` (int64, -1 for none) are positions among ``count`` kinds.

    ``word`` returns the text of a kind, at its first use. ``kernels``: kinds whose text names a kernel.
    """

    def __init__(
        self, codes: Int64, count: int, word: Callable[[int], str], kernels: Sequence[int] = ()
    ) -> None:
        self.codes = codes
        self.kernels = kernels
        self._word = word
        self._known: list[str | None] = [None] * count

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self._text(code) for code in self.codes[at].tolist()]
        return self._text(int(self.codes[at]))

    def kernel_names(self) -> list[str]:
        """Return the texts that name kernels, each once."""
        return [str(self._text(code)) for code in self.kernels]

    def _text(self, code: int) -> str | None:
        if code < 0:
            return None
        text = self._known[code]
        if text is None:
            text = self._known[code] = self._word(code)
        return text

    @cached_property
    def _folded(self) -> list[str]:
        return [str(self._text(code)).casefold() for code in range(len(self._known))]

    def words(self) -> list[str]:
        """Return the texts of all kinds."""
        return [text for code in range(len(self._known)) if (text := self._text(code)) is not None]

    def order_keys(self) -> Array:
        order = sorted(range(len(self._folded)), key=self._folded.__getitem__)
        rank = np.empty(len(order) + 1, np.int64)
        place, before = -1, None
        for code in order:
            if self._folded[code] != before:
                place, before = place + 1, self._folded[code]
            rank[code] = place
        rank[-1] = NULL
        return rank[self.codes]

    def containing(self, needle: str) -> Bool | None:
        hit = np.zeros(len(self._known) + 1, bool)
        hit[:-1] = [needle in text for text in self._folded]
        return hit[self.codes]


def by_key(keys: Array, descending: bool) -> Positions:
    """Return the order of ``keys`` (integers with NULL, or floats): unknown last, equal ones as they are."""
    known = np.flatnonzero(~np.isnan(keys) if keys.dtype.kind == "f" else keys != NULL)
    values = keys[known]
    if descending:  # from behind, so that equal ones, turned round twice, keep their order
        order = (len(values) - 1 - np.argsort(values[::-1], kind="stable"))[::-1]
    else:
        order = np.argsort(values, kind="stable")
    if len(known) == len(keys):
        return order.astype(np.intp)
    rest = np.ones(len(keys), bool)
    rest[known] = False
    return np.concatenate((known[order], np.flatnonzero(rest))).astype(np.intp)
