"""Which kernels make the difference, by class and by name: what more or fewer calls cost, and longer ones.

Kernels are matched by whole name, then by base name within their class, then, where names were not kept, by
class. Of a pair: n calls per step of mean duration m. Calls effect (n_after - n_before) m_before, duration
effect n_after (m_after - m_before); together exactly the difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from tui.ranks.contents import KernelContent, KernelSum
from tui.ranks.limits import SAME_CALLS, SAME_MEAN
from tui.report.kernels.class_table import KernelClass
from tui.report.kernels.names import name_parts
from tui.text.numbers import rounded_parts

_NONE = KernelSum(0, 0)
Named = dict[str | None, KernelSum]
"""Kernels of one class by name."""


class Status(Enum):
    """What became of a kernel."""

    ADDED = "added"
    REMOVED = "removed"
    REPLACED = "replaced by"
    MORE = "more"
    FEWER = "fewer"
    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"


@dataclass(frozen=True)
class KernelChange:
    """Kernels of one name, or all of a class, on both sides. Whole ns are means per step."""

    kernel_class: KernelClass
    before_name: str | None
    """None: added, or names that were not kept."""
    after_name: str | None
    status: Status
    calls_before: Fraction | None
    """Calls per step; None unknown."""
    calls_after: Fraction | None
    before: int
    after: int
    calls_effect: int | None
    duration_effect: int | None
    """Together with ``calls_effect`` exactly ``delta``; both None where calls are unknown."""

    @property
    def delta(self) -> int:
        return self.after - self.before


@dataclass(frozen=True)
class KernelChanges:
    """All classes and all kernels; the rows of each add up to the same totals."""

    classes: tuple[KernelChange, ...]
    kernels: tuple[KernelChange, ...]


@dataclass(frozen=True)
class _Pair:
    """One row before it is rounded; sums over all steps."""

    kernel_class: KernelClass
    names: tuple[str | None, str | None]
    before: KernelSum
    after: KernelSum
    replaced: bool = False


def kernel_changes(before: KernelContent, after: KernelContent) -> KernelChanges:
    """Return what became of each kernel, the largest change first."""
    steps = max(1, before.steps), max(1, after.steps)
    sides = _by_class(before), _by_class(after)
    pairs: list[_Pair] = []
    for cls in KernelClass:
        pairs += _matched(cls, dict(sides[0][cls]), dict(sides[1][cls]), steps)
    before_ns = rounded_parts([Fraction(pair.before.total, steps[0]) for pair in pairs])
    after_ns = rounded_parts([Fraction(pair.after.total, steps[1]) for pair in pairs])
    rows = [_change(*row, steps) for row in zip(pairs, before_ns, after_ns, strict=True)]
    rows.sort(key=lambda row: (-abs(row.delta), -row.after))
    classes = [_summed(cls, [r for r in rows if r.kernel_class is cls]) for cls in KernelClass]
    return KernelChanges(
        tuple(sorted((c for c in classes if c), key=lambda row: (-abs(row.delta), -row.after))), tuple(rows)
    )


def _by_class(content: KernelContent) -> dict[KernelClass, Named]:
    found: dict[KernelClass, Named] = defaultdict(dict)
    for (cls, name), kernel in content.kernels.items():
        found[cls][name] = kernel
    return found


def _matched(cls: KernelClass, before: Named, after: Named, steps: tuple[int, int]) -> list[_Pair]:
    """Return the pairs of one class. Empties both sides."""
    pairs = []
    for name in [name for name in before if name in after]:  # names that were not kept, None, too
        pairs.append(_Pair(cls, (name, name), before.pop(name), after.pop(name)))
    by_base = _based(before), _based(after)
    for base in [base for base in by_base[0] if base in by_base[1]]:
        names = by_base[0][base], by_base[1][base]
        sums = _total(before.pop(n) for n in names[0]), _total(after.pop(n) for n in names[1])
        shown = (names[0][0] if len(names[0]) == 1 else base, names[1][0] if len(names[1]) == 1 else base)
        pairs.append(_Pair(cls, shown, *sums))
    for old, new in _replacements(before, after, steps):
        pairs.append(_Pair(cls, (old, new), before.pop(old), after.pop(new), replaced=True))
    pairs += [_Pair(cls, (name, None), kernel, _NONE) for name, kernel in before.items()]
    pairs += [_Pair(cls, (None, name), _NONE, kernel) for name, kernel in after.items()]
    return pairs


def _based(named: Named) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in named:
        if name is not None:
            found[name_parts(name).qualified].append(name)
    return found


def _total(kernels: Iterable[KernelSum]) -> KernelSum:
    found = _NONE
    for kernel in kernels:
        found = found.with_more(kernel)
    return found


def _replacements(before: Named, after: Named, steps: tuple[int, int]) -> list[tuple[str, str]]:
    """Return (removed, added) that are called equally often in ranges of one label, the most time first.

    Each stands in one pair.
    """
    free = {name: kernel for name, kernel in after.items() if name is not None}
    found = []
    for old, was in sorted(before.items(), key=lambda item: -item[1].total):
        if old is None:
            continue
        fitting = [
            name
            for name, kernel in free.items()
            if kernel.label == was.label and same_calls(was.calls, kernel.calls, steps)
        ]
        if fitting:
            mean = Fraction(was.total, steps[0])
            new = min(fitting, key=lambda name: abs(Fraction(free[name].total, steps[1]) - mean))
            found.append((old, new))
            del free[new]
    return found


def same_calls(before: int, after: int, steps: tuple[int, int]) -> bool:
    """Return whether calls per step agree within the limit."""
    old, new = before * steps[1], after * steps[0]  # both times steps[0] * steps[1]
    return abs(new - old) <= SAME_CALLS.value * max(old, new)


def _change(pair: _Pair, before: int, after: int, steps: tuple[int, int]) -> KernelChange:
    calls = pair.before.calls, pair.after.calls
    per_step: tuple[Fraction | None, Fraction | None] = (None, None)
    effects: tuple[int | None, int | None] = (None, None)
    if not any(side.total and not side.calls for side in (pair.before, pair.after)):
        old, new = per_step = Fraction(calls[0], steps[0]), Fraction(calls[1], steps[1])
        # (n_after - n_before) m_before; of an added kernel all, m_before being whatever m_after is.
        mean = Fraction(pair.before.total, calls[0]) if calls[0] else Fraction(0)
        by_calls = rounded_parts([(new - old) * mean])[0] if calls[0] else after
        effects = by_calls, after - before - by_calls
    status = Status.REPLACED if pair.replaced else _status(before, after, *per_step, *effects)
    if not any(pair.before):
        status = Status.ADDED
    elif not any(pair.after):
        status = Status.REMOVED
    return KernelChange(pair.kernel_class, *pair.names, status, *per_step, before, after, *effects)


def _status(
    before: int,
    after: int,
    calls_before: Fraction | None,
    calls_after: Fraction | None,
    calls_effect: int | None,
    duration_effect: int | None,
) -> Status:
    """Return what became of kernels that are on both sides: by the larger of the two effects."""
    if calls_effect is None or duration_effect is None or calls_before is None or calls_after is None:
        calls_before = calls_after = Fraction(1)
        calls_effect, duration_effect = 0, after - before
    other_calls = abs(calls_after - calls_before) > SAME_CALLS.value * max(calls_before, calls_after)
    if other_calls and abs(calls_effect) >= abs(duration_effect):
        return Status.MORE if calls_after > calls_before else Status.FEWER
    if abs(duration_effect) > SAME_MEAN.value * (after - duration_effect):
        return Status.SLOWER if duration_effect > 0 else Status.FASTER
    if other_calls:
        return Status.MORE if calls_after > calls_before else Status.FEWER
    return Status.SAME


def _summed(cls: KernelClass, rows: list[KernelChange]) -> KernelChange | None:
    """Return the row of a class, each figure the sum of its kernels'; None where it has none."""
    if not rows:
        return None
    before, after = sum(row.before for row in rows), sum(row.after for row in rows)
    columns = [
        [getattr(row, name) for row in rows]
        for name in ("calls_before", "calls_after", "calls_effect", "duration_effect")
    ]
    sums = [None if None in column else sum(column) for column in columns]
    status = _status(before, after, *sums)
    if all(row.status is Status.ADDED for row in rows):
        status = Status.ADDED
    elif all(row.status is Status.REMOVED for row in rows):
        status = Status.REMOVED
    return KernelChange(cls, None, None, status, sums[0], sums[1], before, after, sums[2], sums[3])
