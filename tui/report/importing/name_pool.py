"""All names of a report in one pool, each text once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Array, Int32, Int64, UInt8
from tui.report.environment import without_environments
from tui.report.importing.doubts import Doubts
from tui.report.sqlite.source import Source
from tui.report.sqlite.texts import Hasher, HashIndex, Texts

_FILLED = 4
"""Ids have places in a table where at least one place in four is in use."""


class NamePool:
    """Numbers distinct texts from 0 up in the order in which they come."""

    def __init__(self, keep: Callable[[Array], Array] = lambda values: values) -> None:
        """``keep``: gets each array that the pool holds, and returns it from where it is to stay."""
        self._hash = Hasher()
        self._index = HashIndex()
        self._keep = keep
        self._blobs: list[UInt8] = []
        self._sizes: list[Int64] = []
        self._ends = [0]  # of each blob's texts, by index

    def __len__(self) -> int:
        return self._ends[-1]

    def intern(self, text: str) -> int:
        """Return the index of one text."""
        return int(self.intern_all([text])[0])

    def intern_all(self, texts: Sequence[str]) -> Int32:
        """Return the index of each text."""
        return self.intern_texts(Texts.of([text.encode("utf-8", "surrogatepass") for text in texts]))

    def intern_texts(self, texts: Texts) -> Int32:
        """Return the index of each text; -1 where there is none."""
        out = np.full(len(texts.size), -1, np.int32)
        there = np.flatnonzero(texts.size >= 0)
        if not len(there):
            return out
        some = texts.take(there)
        out[there], fresh = self._index.number(self._hash(some))
        if len(fresh):
            new = some.take(fresh)
            self._blobs.append(self._keep(new.packed()))
            self._sizes.append(self._keep(new.size))
            self._ends.append(self._ends[-1] + len(fresh))
        return out

    def blobs(self) -> Iterator[UInt8]:
        """Yield the bytes of all texts so far, in the order of their indices."""
        yield from self._blobs

    def holds(self, text: bytes) -> bool:
        """Whether a text begins with ``text``, or has it anywhere else."""
        return any(text in blob.tobytes() for blob in self._blobs)

    def offsets(self) -> Iterator[Int64]:
        """Yield where each text begins in the bytes, and where the last one ends."""
        yield np.zeros(1, np.int64)
        at = 0
        for sizes in self._sizes:
            ends = np.cumsum(sizes) + at
            at = int(ends[-1])
            yield ends

    def texts(self, indices: NDArray[np.integer]) -> list[str]:
        """Decode a few texts."""
        out = []
        for i in indices.tolist():
            part = bisect_right(self._ends, i) - 1
            sizes = self._sizes[part]
            within = i - self._ends[part]
            start = int(sizes[:within].sum())
            out.append(self._blobs[part][start : start + sizes[within]].tobytes().decode("utf-8", "replace"))
        return out


class StringTable:
    """StringIds: maps the ids of the file to the indices of the pool."""

    def __init__(self, ids: Int64, indices: Int32) -> None:
        order = np.argsort(ids, kind="stable")
        self._ids = ids[order]
        self._indices = indices[order]
        self._place: Int32 | None = None
        if len(ids):
            low, high = int(self._ids[0]), int(self._ids[-1])
            if high - low <= _FILLED * len(ids) + (1 << 10):  # as nsys counts them: no search
                self._place = np.full(high - low + 1, -1, np.int32)
                self._place[self._ids[::-1] - low] = self._indices[::-1]  # of equal ids the first counts

    @classmethod
    def none(cls) -> StringTable:
        """A table without strings."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int32))

    @classmethod
    def read(cls, source: Source, pool: NamePool, doubts: Doubts) -> StringTable:
        """Read StringIds; empty where the file has none."""
        ids: list[Int64] = [np.empty(0, np.int64)]
        indices: list[Int32] = [np.empty(0, np.int32)]
        source.require("StringIds")
        if source.has("StringIds", "id", "value"):
            for chunk in source.chunks("StringIds", ["id"], ["value"]):
                doubts.note_odd("StringIds", chunk.rowid, chunk.odd)
                ids.append(chunk.ints["id"])
                indices.append(pool.intern_texts(without_environments(chunk.texts["value"])))
        return cls(np.concatenate(ids), np.concatenate(indices))

    def find(self, ids: Int64) -> Int32:
        """Return the pool index of each id; -1 where the id is NULL or unknown."""
        if not len(self._ids):
            return np.full(len(ids), -1, np.int32)
        if self._place is not None:
            low, high = int(self._ids[0]), int(self._ids[-1])
            if len(ids) and int(ids.min()) >= low and int(ids.max()) <= high:
                return self._place[ids - low]
            inside = (ids >= low) & (ids <= high)
            return np.where(inside, self._place[np.where(inside, ids - low, 0)], np.int32(-1))
        at = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        found = (self._ids[at] == ids) & (ids != NULL)
        return np.where(found, self._indices[at], -1).astype(np.int32)
