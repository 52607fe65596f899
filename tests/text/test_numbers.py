"""Numbers in words, and sizes as people write them."""

from __future__ import annotations

import pytest

from tui.errors import UsageError
from tui.text.numbers import (
    BYTE_UNITS,
    column_unit,
    hundredths,
    ordinal,
    parse_size,
    percent,
    plural,
    rounded,
    share,
    show_size,
)
from tui.text.times import UNITS


def test_what_is_there_never_reads_as_nothing() -> None:
    assert [rounded(v, 1) for v in (0, 0.04, 0.06, -0.2, 61)] == ["0.0", "<0.1", "0.1", "-0.2", "61.0"]
    assert rounded(0.0004, 3) == "<0.001"


def test_a_share_of_nothing_is_unknown() -> None:
    assert [share(61, 100), share(0, 1000), share(1, 10_000), share(5, 1000)] == [
        "61.0%", "0.0%", "<0.1%", "0.5%",
    ]  # fmt: skip
    assert share(0, 0) == "?"
    assert percent(1, 4) == 25
    assert percent(1, 0) is None
    assert hundredths(33.3333) == 33.33
    assert hundredths(None) is None


def test_counted_words() -> None:
    assert [plural(n, "gap") for n in (0, 1, 2594)] == ["0 gaps", "1 gap", "2,594 gaps"]
    assert [plural(3, word) for word in ("copy", "day", "batch", "process", "smaller reason")] == [
        "3 copies", "3 days", "3 batches", "3 processes", "3 smaller reasons",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("units", "biggest", "unit", "value", "text"),
    [
        (UNITS, 1_500_000, "ms", 1_500_000, "1.500"),
        (UNITS, 1_500_000, "ms", 20, "<0.001"),
        (UNITS, 2_000 * 10**9, "s", 1_234_567_890, "1.2"),
        (UNITS, 999, "ns", 999, "999"),
        (UNITS, 0, "ns", 0, "0"),
        (BYTE_UNITS, 2_500_000_000, "GB", 500_000_000, "0.500"),
        (BYTE_UNITS, 1_000, "kB", 1_000, "1.000"),
    ],
)
def test_a_column_has_one_unit(
    units: tuple[tuple[int, str], ...], biggest: int, unit: str, value: int, text: str
) -> None:
    found, write = column_unit(units, biggest)
    assert (found, write(value)) == (unit, text)


def test_sizes() -> None:
    assert [parse_size(s) for s in ("5", "5k", "2 MB", "1GiB", "1.5t")] == [
        5, 5000, 2_000_000, 1_000_000_000, 1_500_000_000_000,
    ]  # fmt: skip
    with pytest.raises(UsageError, match="'much' is no size"):
        parse_size("much")
    assert [show_size(n) for n in (512, 99_999, 100_000, 4_194_304)] == [
        "512 B", "99,999 B", "100,000 B  (0.100 MB)", "4,194,304 B  (4.194 MB)",
    ]  # fmt: skip


def test_places_in_an_order() -> None:
    numbers = (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 123)
    words = "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 123rd"
    assert " ".join(map(ordinal, numbers)) == words
