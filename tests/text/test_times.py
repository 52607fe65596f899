"""Times as people write and read them."""

from __future__ import annotations

import pytest

from tui.errors import UsageError
from tui.text.times import (
    brief,
    exact,
    instant,
    nearest_instant,
    parse_duration,
    parse_time,
    rough,
    show_duration,
    show_limit,
    show_offset,
    show_time,
)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1500", 1500),
        ("1.5s", 1_500_000_000),
        ("200ms", 200_000_000),
        ("100us", 100_000),
        ("100µs", 100_000),
        ("-3us", -3_000),
        (" 0.000000001 s ", 1),
        ("9007199254740993", 9_007_199_254_740_993),
        ("9.223372036854775807s", 9_223_372_037),
        ("1_000", 1000),
        (".5ms", 500_000),
        ("2min", 120_000_000_000),
    ],
)
def test_parse(text: str, ns: int) -> None:
    assert parse_time(text) == ns


@pytest.mark.parametrize("text", ["", "s", "1x", "1 2", "1e9", "nan", "--1", "1h2m", "99999999999999999999"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError):
        parse_time(text)


def test_a_duration_is_not_negative() -> None:
    assert parse_duration("0") == 0
    with pytest.raises(UsageError, match="negative"):
        parse_duration("-1ms")


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1.000 us"),
        (152_310_499, "152.310 ms"),
        (152_310_500, "152.311 ms"),
        (999_999_999, "1.000 s"),
        (999_999, "999.999 us"),
        (-1_500, "-1.500 us"),
        (4_102_000_000_000, "4102.000 s"),
    ],
)
def test_show_duration(ns: int, text: str) -> None:
    assert show_duration(ns) == text


def test_show_time() -> None:
    assert show_time(1_234_567_890) == "1.234 567 890 s"
    assert show_time(-1) == "-0.000 000 001 s"


def test_show_limit() -> None:
    assert [show_limit(n) for n in (100_000, 1_500_000, 100, 0)] == ["100 us", "1.5 ms", "100 ns", "0 ns"]


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"), (870, "870 ns"), (1_000, "1.00 us"), (42_310, "42.3 us"), (152_310_000, "152 ms"),
        (999_700, "1.00 ms"), (999_400, "999 us"), (1_513_400_000, "1.51 s"), (-42_310, "-42.3 us"),
        (3_600 * 10**9, "3,600 s"), (1_234.5, "1.23 us"), (0.3, "<1 ns"), (869.7, "870 ns"),
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
    assert [show_offset(n) for n in (50_000_000, 1_200_000_000, 500, 0, -20_000)] == [
        "+50 ms", "+1.2 s", "+500 ns", "+0 ns", "-20 us",
    ]  # fmt: skip


def test_a_moment_is_rounded_to_the_digits_that_show() -> None:
    ns = 156_326_972_607
    assert [nearest_instant(ns, step) for step in (10**7, 10**4, 10)] == [
        "156.327 s", "156.326 973 s", "156.326 972 607 s",
    ]  # fmt: skip
    assert instant(ns, 10**7) == "156.326 s"


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (870, "870 ns"),
        (1_250, "1.3 us"),
        (999_949, "999.9 us"),
        (999_950, "1.0 ms"),
        (61_200_000, "61.2 ms"),
        (-7_949_999, "-7.9 ms"),
        (3_600_000_000_000, "3600.0 s"),
    ],
)
def test_rough_durations_have_one_decimal(ns: int, text: str) -> None:
    assert rough(ns) == text
