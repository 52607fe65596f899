"""All names of a report in one dense pool, each text once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tui.report.model import NULL, Bool, Int32, Int64, Strings
from tui.report.source import Source

UNNAMED = "(unnamed)"
"""The name of an event whose export gives it none."""


def missing_name(string_id: int) -> str:
    """The placeholder for a name whose id the string table does not have."""
    return f"(name {string_id} is not in the export)"


class NamePool:
    """Interns texts; an index is stable once given out."""

    def __init__(self) -> None:
        self._index: dict[bytes, int] = {}

    def intern(self, text: str | bytes) -> int:
        raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        return self._index.setdefault(raw, len(self._index))

    def intern_many(self, texts: Iterable[bytes | None]) -> Int32:
        """One index per text; -1 for None."""
        index = self._index
        return np.array([-1 if t is None else index.setdefault(t, len(index)) for t in texts], np.int32)

    def text(self, i: int) -> str:
        return list(self._index)[i].decode("utf-8", "replace")

    def strings(self) -> Strings:
        return Strings.of(list(self._index))

    def texts(self) -> Sequence[bytes]:
        return list(self._index)


class StringTable:
    """StringIds: from the ids of the file to the indices of the pool."""

    def __init__(self, ids: Int64, indices: Int32) -> None:
        order = np.argsort(ids, kind="stable")
        self._ids = ids[order]
        self._indices = indices[order]

    @classmethod
    def read(cls, source: Source, pool: NamePool) -> StringTable:
        """Read StringIds; empty where the file has none."""
        ids: list[Int64] = [np.empty(0, np.int64)]
        indices: list[Int32] = [np.empty(0, np.int32)]
        if {"id", "value"} <= set(source.tables.get("StringIds", ())):
            for chunk in source.chunks("StringIds", ["id"], ["value"]):
                ids.append(chunk.ints["id"])
                indices.append(pool.intern_many(chunk.texts["value"]))
        return cls(np.concatenate(ids), np.concatenate(indices))

    def find(self, ids: Int64) -> Int32:
        """Pool index per id; -1 where the id is NULL or unknown."""
        if not len(self._ids):
            return np.full(len(ids), -1, np.int32)
        at = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        found = (self._ids[at] == ids) & (ids != NULL)
        return np.where(found, self._indices[at], -1).astype(np.int32)


def fill_missing(names: Int32, ids: Int64, pool: NamePool) -> Bool:
    """Give each -1 in ``names`` a placeholder, in place; returns which of them had a dangling id."""
    bad = names < 0
    dangling: Bool = bad & (ids != NULL)
    if dangling.any():
        distinct, inverse = np.unique(ids[dangling], return_inverse=True)
        placeholders = np.array([pool.intern(missing_name(i)) for i in distinct.tolist()], np.int32)
        names[dangling] = placeholders[inverse.reshape(-1)]
    if (bad & ~dangling).any():
        names[bad & ~dangling] = pool.intern(UNNAMED)
    return dangling
