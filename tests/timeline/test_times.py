"""Times in words."""

from __future__ import annotations

import pytest

from tui.text.times import brief, exact, instant, offset, share


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"), (870, "870 ns"), (1_000, "1.00 us"), (42_310, "42.3 us"), (152_310_000, "152 ms"),
        (999_700, "1.00 ms"), (999_400, "999 us"), (1_513_400_000, "1.51 s"), (-42_310, "-42.3 us"),
        (3_600 * 10**9, "3600 s"),
    ],
)  # fmt: skip
def test_brief_has_three_digits(ns: int, text: str) -> None:
    assert brief(ns) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (870, "870 ns"), (152_310_000, "152.310 ms"), (152_310_004, "152.310 004 ms"),
        (1_513_400_000, "1.513 400 s"), (2_000_000_000, "2.000 s"), (-5, "-5 ns"), (1_500, "1.500 us"),
    ],
)  # fmt: skip
def test_exact_loses_no_digit(ns: int, text: str) -> None:
    assert exact(ns) == text


def test_instants_show_what_the_step_tells_apart() -> None:
    assert instant(871_204_113) == "0.871 204 113 s"
    assert instant(871_204_113, 1_000) == "0.871 204 s"
    assert instant(871_204_113, 50_000_000) == "0.871 s"
    assert instant(-1_500_000_000, 10**9) == "-1.500 s"


def test_offsets_are_exact() -> None:
    assert [offset(n) for n in (50_000_000, 1_200_000_000, 500, 0, -20_000)] == [
        "+50 ms", "+1.2 s", "+500 ns", "+0 ns", "-20 us",
    ]  # fmt: skip


def test_a_share_of_nothing_is_unknown() -> None:
    assert share(61, 100) == "61.0%"
    assert share(0, 0) == "?"


def test_a_share_that_is_there_never_reads_as_none() -> None:
    assert share(0, 1000) == "0.0%"
    assert share(1, 10_000) == "<0.1%"
    assert share(5, 1000) == "0.5%"
