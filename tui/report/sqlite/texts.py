"""Many texts in one block of bytes, and which of them are equal, found at array speed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Int64, UInt8
from tui.report.sqlite.pages import PADDING

Hashes = NDArray[np.uint64]
_HIGH = np.uint64(0xFFFFFFFF00000000)
_WORD = 4
_LONGEST = 64
"""Words of the longest texts that are hashed as rows of one array; longer ones go one by one."""


class Texts(NamedTuple):
    """One text a row: ``size`` bytes from ``start`` in ``block``; a size of -1 is no text.

    ``block`` has at least eight bytes behind the last text.
    """

    block: UInt8
    start: Int64
    size: Int64

    @classmethod
    def of(cls, values: Sequence[bytes | None]) -> Texts:
        size = np.array([-1 if v is None else len(v) for v in values], np.int64)
        length = np.maximum(size, 0)
        joined = b"".join([v for v in values if v is not None]) + bytes(PADDING)
        return cls(np.frombuffer(joined, np.uint8), np.cumsum(length) - length, size)

    def listed(self) -> list[bytes | None]:
        raw = self.block.tobytes()
        spans = zip(self.start.tolist(), self.size.tolist(), strict=True)
        return [None if n < 0 else raw[s : s + n] for s, n in spans]

    def take(self, rows: Int64) -> Texts:
        return Texts(self.block, self.start[rows], self.size[rows])

    def packed(self) -> UInt8:
        """The bytes of all texts, one after the other; none may be missing."""
        before = np.cumsum(self.size) - self.size
        return self.block[np.repeat(self.start - before, self.size) + np.arange(int(self.size.sum()))]


class Hasher:
    """64-bit hashes of texts: two multilinear ones of 32 bits, with new random multipliers in each process.

    Any two different texts collide with a probability of 2**-64, even if somebody chose them to: the
    multipliers come from the system's random source and never leave the process.
    """

    def __init__(self) -> None:
        self._key = np.frombuffer(os.urandom(16 * (_LONGEST + 2)), np.uint64).reshape(2, -1)
        self._seed = os.urandom(16)

    def __call__(self, texts: Texts) -> Hashes:
        """One hash a text; none may be missing."""
        out = np.empty(len(texts.size), np.uint64)
        words = (texts.size + _WORD - 1) // _WORD
        order = np.argsort(words, kind="stable")
        edges = np.flatnonzero(np.diff(words[order])) + 1
        for rows in np.split(order, edges):
            if len(rows):
                width = int(words[rows[0]])
                some = texts.take(rows)
                out[rows] = self._short(some, width) if width <= _LONGEST else self._long(some)
        return out

    def _short(self, texts: Texts, width: int) -> Hashes:
        every = np.ndarray((len(texts.block) - _WORD + 1,), "<u4", texts.block, strides=(1,))
        found = every[texts.start[:, None] + _WORD * np.arange(width)].astype(np.uint64)
        if width:
            unused = (width * _WORD - texts.size).astype(np.uint64) * np.uint64(8)
            found[:, -1] &= np.uint64(0xFFFFFFFF) >> unused
        high, low = (
            (found * key[:width]).sum(1, dtype=np.uint64) + key[-1] + texts.size.astype(np.uint64) * key[-2]
            for key in self._key
        )
        hashes: Hashes = (high & _HIGH) | (low >> np.uint64(32))
        return hashes

    def _long(self, texts: Texts) -> Hashes:
        from hashlib import blake2b

        digests = [blake2b(t or b"", digest_size=8, key=self._seed).digest() for t in texts.listed()]
        return np.frombuffer(b"".join(digests), np.uint64)


class HashIndex:
    """Consecutive numbers of hashes: sorted arrays; the new ones are merged into the old now and then."""

    def __init__(self) -> None:
        none = (np.empty(0, np.uint64), np.empty(0, np.int32))
        self._old, self._new = none, none
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def number(self, hashes: Hashes) -> tuple[NDArray[np.int32], Int64]:
        """The number of each hash, and the positions of those that are new, in the order of their numbers."""
        distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        numbers = np.maximum(_look_up(self._old, distinct), _look_up(self._new, distinct))
        fresh = np.flatnonzero(numbers < 0)
        fresh = fresh[np.argsort(first[fresh])]
        numbers[fresh] = np.arange(self._count, self._count + len(fresh), dtype=np.int32)
        self._count += len(fresh)
        if len(fresh):
            self._new = _merged(self._new, (distinct[fresh], numbers[fresh]))
            if len(self._new[0]) * 4 > len(self._old[0]) + (1 << 16):
                self._old, self._new = _merged(self._old, self._new), (self._new[0][:0], self._new[1][:0])
        return numbers[inverse.reshape(-1)], first[fresh]


_Sorted = tuple[Hashes, NDArray[np.int32]]


def _look_up(index: _Sorted, hashes: Hashes) -> NDArray[np.int32]:
    """The numbers of ``hashes``; -1 for those that are not in the index."""
    keys, numbers = index
    if not len(keys):
        return np.full(len(hashes), -1, np.int32)
    at = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
    return np.where(keys[at] == hashes, numbers[at], np.int32(-1))


def _merged(a: _Sorted, b: _Sorted) -> _Sorted:
    keys = np.concatenate([a[0], b[0]])
    order = np.argsort(keys, kind="stable")
    return keys[order], np.concatenate([a[1], b[1]])[order]
