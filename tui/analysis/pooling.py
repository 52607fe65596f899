"""The summaries of several ranks as one: sums and counts add, median and deviation are those of all values.

Values go to a temporary file and come back in portions, so that memory does not grow with the ranks.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, Any

import numpy as np

from tui.analysis.sample import Sample, Statistic
from tui.analysis.stats.groups import GroupFigures, figures
from tui.analysis.stats.rounding import printed, quotient
from tui.analysis.stats.std9 import share
from tui.analysis.table import Column, Table, Unit, Values, plain
from tui.report.columns import Int64
from tui.text.numbers import percent

PORTION = 1 << 23
"""Values that are sorted at a time; a row of more is taken alone."""
_IN_MEMORY = 8 << 20
SHARE = "time_pct"
"""The key of the column that says which share of all totals a row is."""
ADDED = (Unit.COUNT, Unit.NS)
BUCKETS = 64
Key = tuple[Any, ...]


def poolable(table: Table) -> bool:
    """Whether the rows of ``table`` sum up values, which those of several ranks can be pooled by."""
    return any(column.sample is not None for column in table.columns)


class Pool:
    """The tables of one report of statistics, of several ranks, becoming one.

    Rows of equal texts are one row; ids (of processes, devices) are left out.
    """

    def __init__(self) -> None:
        self._first: Table | None = None
        self._samples: dict[str, Sample] = {}
        """What a column is of its values, by its key; without the values."""
        self._slots: dict[str, int] = {}
        """By a column's key, which of the values it is a figure of."""
        self._values: list[_Values] = []
        self._keys: dict[Key, int] = {}
        self._ranks: list[int] = []
        self._sums: dict[str, dict[int, int]] = {}
        self._weighted: dict[str, dict[int, tuple[float, int]]] = {}

    def add(self, table: Table) -> None:
        """Add the table of one more rank; it has rows."""
        self._first = self._first or _bare(table)
        keys = self._keys_of(table)
        for key in set(keys.tolist()):
            self._ranks[key] += 1
        done: set[int] = set()
        for column in table.columns:
            if column.sample is not None:
                slot = self._slot(column, table)
                if slot not in done:
                    self._values[slot].add(column.sample, keys)
                done.add(slot)
            elif column.unit in ADDED:
                _add_up(self._sums.setdefault(column.key, {}), keys, column)
            elif column.unit is Unit.DECIMAL:
                _add_weighted(self._weighted.setdefault(column.key, {}), keys, column, _counts(table))

    def table(self) -> Table:
        """The pooled table: `Ranks`, in how many a row occurs, then the report's columns; largest first."""
        assert self._first is not None
        count = len(self._keys)
        texts = iter(zip(*self._keys, strict=True))
        figures_of = self._figures(count)
        columns = [Column("Ranks", "ranks", Unit.COUNT, [*self._ranks])]
        for column in self._first.columns:
            if column.unit is Unit.TEXT:
                columns.append(replace(column, values=list(next(texts))))
            elif column.key in figures_of:
                columns.append(replace(column, values=figures_of[column.key], sample=None))
            elif column.key in self._sums:
                sums = self._sums[column.key]
                columns.append(replace(column, values=[sums.get(key) for key in range(count)]))
            elif column.key in self._weighted:
                means = self._weighted[column.key]
                columns.append(replace(column, values=[_mean(means.get(key)) for key in range(count)]))
            elif column.key == SHARE:
                totals = np.array([value or 0 for value in figures_of["total_time_ns"]], object)
                columns.append(replace(column, values=share(totals)))
        order = self._order(figures_of)
        title = f"{self._first.title}, all ranks"
        return replace(self._first, title=title, columns=tuple(columns)).ordered(order)

    def histogram(self) -> Table:
        """How many values of each row lie between which powers of two, of the report's first figures."""
        assert self._first is not None
        key_of, sample = next(iter(self._samples.items()))
        word, what = ("ns", "length") if sample.per == 1 else ("bytes", "size")
        rows: list[tuple[int, int, int, int]] = []
        for there, found in self._values[self._slots[key_of]].portions(len(self._keys)):
            for position, key in enumerate(there.tolist()):
                start, size = int(found.first[position]), int(found.count[position])
                counts = buckets(found.ordered[start : start + size])
                rows += [(key, b, int(counts[b]), size) for b in np.flatnonzero(counts).tolist()]
        place = {key: i for i, key in enumerate(self._order(self._figures(len(self._keys))).tolist())}
        rows.sort(key=lambda row: (place[row[0]], row[1]))
        names = list(self._keys)
        texts = [c for c in self._first.columns if c.unit is Unit.TEXT]
        columns = (
            Column("Ranks", "ranks", Unit.COUNT, [self._ranks[key] for key, *_ in rows]),
            Column(f"From ({word})", f"from_{word}", Unit.COUNT, [_low(b) for _, b, *_ in rows]),
            Column(f"Below ({word})", f"below_{word}", Unit.COUNT, [2 << b for _, b, *_ in rows]),
            Column("Count", "count", Unit.COUNT, [n for _, _, n, _ in rows]),
            Column("Share (%)", "share_pct", Unit.PCT, [_pct(n, size) for _, _, n, size in rows]),
            *(replace(c, values=[names[key][i] for key, *_ in rows]) for i, c in enumerate(texts)),
        )
        title = f"{self._first.title}, all ranks: how many are of which {what}"
        return Table(f"{self._first.name}:hist", title, columns)

    def _keys_of(self, table: Table) -> Int64:
        """The number of each row's key: of its texts."""
        texts = [plain(c.values, 0, len(table)) for c in table.columns if c.unit is Unit.TEXT]
        rows = zip(*texts, strict=True) if texts else iter([()] * len(table))
        keys = np.array([self._keys.setdefault(key, len(self._keys)) for key in rows], np.int64)
        self._ranks += [0] * (len(self._keys) - len(self._ranks))
        return keys

    def _slot(self, column: Column, table: Table) -> int:
        """Where the values of a column are; columns of one kind of values share them."""
        if column.key not in self._slots:
            assert column.sample is not None
            none = np.zeros(0, np.int64)
            self._samples[column.key] = replace(
                column.sample, ordered=none, first=none, count=none, rows=None
            )
            for other in table.columns:
                same = other.sample is not None and other.sample.ordered is column.sample.ordered
                if same and other.key in self._slots:
                    self._slots[column.key] = self._slots[other.key]
                    break
            else:
                self._slots[column.key] = len(self._values)
                self._values.append(_Values())
        return self._slots[column.key]

    def _figures(self, count: int) -> dict[str, list[Any]]:
        """The columns that are figures of values, by key; unknown where a row has none."""
        made: dict[str, list[Any]] = {key: [None] * count for key in self._slots}
        for slot, values in enumerate(self._values):
            mine = [key for key, other in self._slots.items() if other == slot]
            for there, found in values.portions(count):
                for column in mine:
                    cells = plain(_figure(found, self._samples[column]), 0, len(there))
                    for key, cell in zip(there.tolist(), cells, strict=True):
                        made[column][key] = cell
        return made

    def _order(self, made: dict[str, list[Any]]) -> Int64:
        """The rows by their total, where there is none by their average, the largest first; then by text."""
        totals = (key for key, sample in self._samples.items() if sample.statistic is Statistic.TOTAL)
        key = next(totals, next(iter(self._samples)))
        rows = [(-(made[key][i] or 0), tuple(map(str, text)), i) for text, i in self._keys.items()]
        return np.array([i for *_, i in sorted(rows)], np.int64)


class _Values:
    """Values of all ranks, by the key of their row."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - lives as long as this
        self._parts = 0

    def add(self, sample: Sample, keys: Int64) -> None:
        """Keep the values of one rank; ``keys``: of each row of its table."""
        pickle.dump(sample.grouped(keys), self._file, pickle.HIGHEST_PROTOCOL)
        self._parts += 1

    def portions(self, count: int) -> Iterator[tuple[Int64, GroupFigures]]:
        """Some keys that have values, ascending, and the figures of each; all ``count`` keys in the end."""
        sizes = np.zeros(count, np.int64)
        for keys, lengths, _ in self._read():
            np.add.at(sizes, keys, lengths)
        ends, low = np.cumsum(sizes), 0
        while low < count:
            before = int(ends[low - 1]) if low else 0
            high = max(low + 1, int(np.searchsorted(ends, before + PORTION, "right")))
            there = low + np.flatnonzero(sizes[low:high])
            if len(there):
                yield there, self._portion(low, high, there)
            low = high

    def _portion(self, low: int, high: int, there: Int64) -> GroupFigures:
        groups, values = [], []
        for keys, lengths, ordered in self._read():
            of_value = np.repeat(keys, lengths)
            mine = (of_value >= low) & (of_value < high)
            groups.append(np.searchsorted(there, of_value[mine]))
            values.append(ordered[mine])
        return figures(np.concatenate(groups), np.concatenate(values), len(there))

    def _read(self) -> Iterator[tuple[Int64, Int64, Int64]]:
        self._file.seek(0)
        for _ in range(self._parts):
            yield pickle.load(self._file)


def _bare(table: Table) -> Table:
    """The shape of a table, without what its report holds open."""
    return replace(table, columns=tuple(replace(c, values=(), sample=None) for c in table.columns), note=None)


def buckets(values: Int64) -> Int64:
    """How many of ``values`` lie in [2^k, 2^(k+1)), k from 0 to 63; 0 is counted in the first."""
    # Great numbers are rounded when they become floats, some of them up to the next power of two.
    _, exponent = np.frexp(np.maximum(values, 1).astype(np.float64))
    power = exponent.astype(np.int64) - 1
    power -= (power > 62) | (np.left_shift(np.int64(1), np.minimum(power, 62)) > np.maximum(values, 1))
    return np.bincount(power, minlength=BUCKETS)


def _figure(found: GroupFigures, sample: Sample) -> Values:
    """A column of figures as the report prints it."""
    made: Values
    if sample.statistic is Statistic.AVERAGE:
        made = found.average(sample.digits, sample.per)
    elif sample.statistic is Statistic.MEDIAN:
        made = found.median(sample.digits, sample.per)
    elif sample.statistic is Statistic.DEVIATION:
        made = found.deviation(sample.digits, sample.per)
    else:
        whole = getattr(found, sample.statistic.value)
        if sample.per == 1:
            return [int(value) for value in whole.tolist()]
        made = printed(quotient(whole, sample.per, sample.digits, ties_to_even=True), sample.digits)
    return made


def _add_up(sums: dict[int, int], keys: Int64, column: Column) -> None:
    for key, value in zip(keys.tolist(), plain(column.values, 0, len(keys)), strict=True):
        if value is not None:
            sums[key] = sums.get(key, 0) + value


def _counts(table: Table) -> Sequence[Any]:
    """How many instances each row of ``table`` stands for."""
    counted = next((c.values for c in table.columns if c.unit is Unit.COUNT), [1] * len(table))
    return plain(counted, 0, len(table))


def _add_weighted(
    means: dict[int, tuple[float, int]], keys: Int64, column: Column, counts: Sequence[Any]
) -> None:
    values = plain(column.values, 0, len(keys))
    for key, value, weight in zip(keys.tolist(), values, counts, strict=True):
        if value is not None:
            total, before = means.get(key, (0.0, 0))
            means[key] = total + float(value) * weight, before + weight


def _mean(weighted: tuple[float, int] | None) -> float | None:
    return None if weighted is None or not weighted[1] else round(weighted[0] / weighted[1], 1)


def _low(bucket: int) -> int:
    return 1 << bucket if bucket else 0


def _pct(part: int, whole: int) -> float | None:
    found = percent(part, whole)
    return None if found is None else round(found, 1)
