"""Where a difference went: by hand, and that every table adds up whatever it is of."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tui.ranks.contents import Content, KernelContent, KernelSum
from tui.ranks.explain import changes, explain
from tui.ranks.kernel_changes import KernelChange, Status, kernel_changes
from tui.report.kernels.class_table import KernelClass
from tui.text.numbers import rounded_parts

GEMM, COPY = KernelClass.GEMM, KernelClass.LAYOUT
FRACTIONS = st.lists(st.fractions(-1000, 1000, max_denominator=60), max_size=12)


def test_rounded_parts_by_hand() -> None:
    third = Fraction(1, 3)
    assert rounded_parts([]) == []
    assert rounded_parts([third, third, third]) == [1, 0, 0]
    assert rounded_parts([Fraction(5, 2), Fraction(5, 2), Fraction(1, 4)]) == [3, 2, 0]  # 5.25 is 5
    assert rounded_parts([Fraction(1, 2)]) == [1]
    assert rounded_parts([Fraction(-1, 2), Fraction(-7, 2)]) == [0, -4]


@given(FRACTIONS)
def test_rounded_parts_add_up(parts: list[Fraction]) -> None:
    rounded = rounded_parts(parts)
    assert sum(rounded) == (sum(parts) + Fraction(1, 2)) // 1
    assert all(abs(whole - part) < 1 for whole, part in zip(rounded, parts, strict=True))


def test_changes_by_hand() -> None:
    found = changes({"compute": 100, "idle": 20}, {"compute": 96, "exposed": 61}, (3, 3))
    # 33.33 + 6.67 + 0 = 40; 32 + 0 + 20.33 = 52.33 is 52
    assert [(r.what, r.before, r.after, r.delta) for r in found.rows] == [
        ("compute", 33, 32, -1),
        ("idle", 7, 0, -7),
        ("exposed", 0, 20, 20),
    ]
    assert (found.total.before, found.total.after, found.total.delta) == (40, 52, 12)
    assert [row.what for row in found.by_size().rows] == ["exposed", "idle", "compute"]


def test_reasons_add_up_to_what_the_step_says() -> None:
    # Over 2 steps: compute 1.5 and idle 1.5 are 3, shown as 2 and 1; by themselves the reasons would be 2.
    side = Content(2, 6, {"compute": 3, "idle": 3}, {("a", None, None): 1, ("b", None, None): 2}, {}, False)
    found = explain(side, side)
    assert [(row.what, row.before) for row in found.step.rows] == [("compute", 2), ("idle", 1)]
    assert [(row.what[0], row.after) for row in found.idle.rows] == [("b", 1), ("a", 0)]
    assert (found.idle.total.before, found.idle.total.after) == (1, 1)
    host = Content(2, 6, {"host": 3, "exposed_wait": 3}, {}, {"load": 1, None: 2}, True)
    found = explain(host, host)
    (shown,) = (row for row in found.step.rows if row.what == "host")
    assert found.phases.total.before == shown.before


SUMS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 10**12), max_size=6)


@given(SUMS, SUMS, st.integers(1, 99), st.integers(1, 99))
def test_changes_add_up(before: dict[str, int], after: dict[str, int], old: int, new: int) -> None:
    found = changes(before, after, (old, new))
    assert found.total.before == (sum(before.values()) * 2 + old) // (2 * old)  # rounded half up
    assert found.total.after == (sum(after.values()) * 2 + new) // (2 * new)
    assert sum(row.delta for row in found.rows) == found.total.delta


def one(content: dict[str, tuple[int, int]], steps: int = 1, cls: KernelClass = GEMM) -> KernelContent:
    return KernelContent(steps, {(cls, name): KernelSum(*figures) for name, figures in content.items()})


def row(changed: KernelChange) -> tuple[str, int, int | None, int | None]:
    return changed.status.value, changed.delta, changed.calls_effect, changed.duration_effect


def test_the_worked_example() -> None:
    found = kernel_changes(one({"gemm": (100, 200)}), one({"gemm": (120, 180)}))
    assert [row(k) for k in found.kernels] == [("faster", -20, 40, -60)]
    assert [row(k) for k in found.classes] == [("faster", -20, 40, -60)]


def test_every_status() -> None:
    before = one(
        {"s": (10, 100), "m": (10, 100), "f": (10, 100), "sl": (10, 100), "fa": (10, 100), "r": (7, 70)}
    )
    after = one(
        {"s": (10, 101), "m": (20, 200), "f": (5, 50), "sl": (10, 150), "fa": (10, 50), "a": (30, 60)}
    )
    found = {k.before_name or k.after_name: row(k) for k in kernel_changes(before, after).kernels}
    assert found == {
        "s": ("same", 1, 0, 1),
        "m": ("more", 100, 100, 0),
        "f": ("fewer", -50, -50, 0),
        "sl": ("slower", 50, 0, 50),
        "fa": ("faster", -50, 0, -50),
        "r": ("removed", -70, -70, 0),
        "a": ("added", 60, 60, 0),
    }


def test_a_kernel_in_the_place_of_another() -> None:
    before = one({"sgemm_32": (100, 1000), "old": (50, 500)})
    after = one({"nvjet_64": (101, 808), "new": (60, 900)})
    found = kernel_changes(before, after)
    pairs = {(k.before_name, k.after_name, k.status) for k in found.kernels}
    assert pairs == {
        ("sgemm_32", "nvjet_64", Status.REPLACED),  # 1 % more calls are the same work
        ("old", None, Status.REMOVED),
        (None, "new", Status.ADDED),
    }
    replaced = next(k for k in found.kernels if k.status is Status.REPLACED)
    assert (replaced.delta, replaced.calls_effect, replaced.duration_effect) == (-192, 10, -202)
    other_class = kernel_changes(one({"sgemm": (10, 90)}), one({"copy": (10, 90)}, cls=COPY))
    assert {k.status for k in other_class.kernels} == {Status.REMOVED, Status.ADDED}


def test_only_a_kernel_of_the_same_range_takes_the_place_of_another() -> None:
    def labelled(name: str, label: str | None) -> KernelContent:
        return KernelContent(1, {(GEMM, name): KernelSum(10, 90, label)})

    def statuses(old: str | None, new: str | None) -> set[Status]:
        found = kernel_changes(labelled("sgemm", old), labelled("nvjet", new))
        return {kernel.status for kernel in found.kernels}

    assert statuses("forward", "forward") == statuses(None, None) == {Status.REPLACED}
    assert statuses("forward", "backward") == statuses("forward", None) == {Status.REMOVED, Status.ADDED}


def test_names_that_differ_in_template_arguments_are_one_kernel() -> None:
    before = one({"void cutlass::k<int, 4>(int*)": (3, 30), "void cutlass::k<int, 8>(int*)": (4, 80)})
    after = one({"void cutlass::k<long, 4>(long*)": (7, 140)})
    (found,) = kernel_changes(before, after).kernels
    assert (found.before_name, found.after_name) == ("cutlass::k", "void cutlass::k<long, 4>(long*)")
    assert (found.before, found.after, found.status) == (110, 140, Status.SLOWER)


def test_names_that_were_not_kept_are_matched_by_class() -> None:
    rest = KernelContent(1, {(GEMM, None): KernelSum(9, 90), (GEMM, "a"): KernelSum(1, 5)})
    later = KernelContent(1, {(GEMM, None): KernelSum(9, 99), (GEMM, "a"): KernelSum(1, 5)})
    assert [row(k) for k in kernel_changes(rest, later).kernels] == [("slower", 9, 0, 9), ("same", 0, 0, 0)]


def test_of_chosen_steps_calls_are_unknown() -> None:
    before, after = (KernelContent(1, {(GEMM, None): KernelSum(0, ns)}) for ns in (100, 130))
    found = kernel_changes(before, after)
    assert [row(k) for k in (*found.kernels, *found.classes)] == [("slower", 30, None, None)] * 2


NAMES = st.sampled_from(["a", "b", "k<1>", "k<2>", "k<3>", "c", None])
KERNELS = st.dictionaries(
    st.tuples(st.sampled_from([GEMM, COPY]), NAMES),
    st.builds(KernelSum, st.integers(1, 10**6), st.integers(0, 10**12)),
    max_size=10,
)


@settings(deadline=None)
@given(KERNELS, KERNELS, st.integers(1, 40), st.integers(1, 40))
def test_kernels_add_up_to_their_classes_and_these_to_all(before, after, old: int, new: int) -> None:
    found = kernel_changes(KernelContent(old, before), KernelContent(new, after))
    total = [sum(kernel.total for kernel in side.values()) for side in (before, after)]
    for rows in (found.classes, found.kernels):
        assert sum(r.before for r in rows) == (2 * total[0] + old) // (2 * old)
        assert sum(r.after for r in rows) == (2 * total[1] + new) // (2 * new)
    for cls in found.classes:
        mine = [k for k in found.kernels if k.kernel_class is cls.kernel_class]
        for name in ("before", "after", "delta", "calls_effect", "duration_effect", "calls_before"):
            assert sum(getattr(k, name) for k in mine) == getattr(cls, name)
    for k in found.kernels:
        assert k.calls_effect + k.duration_effect == k.delta
    calls = [sum(kernel.calls for kernel in side.values()) for side in (before, after)]
    assert sum(k.calls_before for k in found.kernels) == Fraction(calls[0], old)
    assert sum(k.calls_after for k in found.kernels) == Fraction(calls[1], new)
