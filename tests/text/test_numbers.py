"""Numbers in words, and sizes as people write them."""

from __future__ import annotations

import pytest

from tui.errors import UsageError
from tui.text.numbers import (
    brief_size,
    hundredths,
    ordinal,
    parse_size,
    percent,
    plural,
    rounded,
    share,
    show_size,
)


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
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.00 kB"),
        (9_994, "9.99 kB"),
        (9_995, "10.0 kB"),
        (99_949, "99.9 kB"),
        (99_950, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (4_194_304, "4.19 MB"),
        (-2_500_000_000, "-2.50 GB"),
        (1_234_567_890_123, "1,235 GB"),
    ],
)
def test_a_size_has_three_digits(size: int, text: str) -> None:
    assert brief_size(size) == text


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
