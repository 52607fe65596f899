"""Text squeezed and wrapped by terminal cells."""

from __future__ import annotations

from tui.text import width
from tui.text.cells import squeeze, wrapped


def test_names_are_squeezed_in_the_middle() -> None:
    assert squeeze("abcdefghij", 10, "…") == "abcdefghij"
    assert squeeze("sm80_xmma_gemm_f32_tn_n_cublas", 11, "…") == "sm80_x…blas"
    assert squeeze("核核核核核核", 7, "…") == "核…核核"
    assert all(width(squeeze("k核ernel<float>" * 3, cells, "~")) <= cells for cells in range(1, 30))


def test_lines_are_broken_at_spaces() -> None:
    assert wrapped("one two three four", 9) == ["one two", "three", "four"]
    assert wrapped("one two three", 7) == ["one two", "three"]  # a word that just fits
    assert wrapped("one  two", 5) == ["one", "two"]
    assert wrapped("one two ", 20) == ["one two "]
    assert wrapped("", 20) == [""]


def test_options_stay_in_one_piece() -> None:
    assert wrapped("only with the same --min-gap", 24) == ["only with the same", "--min-gap"]


def test_lines_begin_as_asked() -> None:
    assert wrapped("note: one two three", 12, " ", "   ") == [" note: one", "   two three"]


def test_a_word_longer_than_a_line_is_broken_where_a_name_has_parts() -> None:
    assert wrapped("void kernel<float>::operator", 14) == ["void kernel<", "float>::", "operator"]
    assert wrapped("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrapped("  first: abcdefghijklmnop", 12) == ["  first:", "abcdefghijkl", "mnop"]
    assert wrapped("  abcdefghijkl", 8) == ["  abcdef", "ghijkl"]


def test_commands_can_stay_whole() -> None:
    assert wrapped("run /a/very/long/path now", 10, whole=True) == ["run", "/a/very/long/path", "now"]
    assert wrapped("/a/very/long/path", 10, "- ", whole=True) == ["- /a/very/long/path"]


def test_wide_characters_are_never_split() -> None:
    assert wrapped("核" * 10, 5) == ["核核"] * 5
    assert wrapped("核核 核核", 5) == ["核核", "核核"]
    assert wrapped("核", 1) == ["核"]
