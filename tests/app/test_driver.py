"""What the terminal sends, and what it can be sent."""

from __future__ import annotations

import io

import pytest

from tui.app.driver import InputFilter, TerminalFile, plain


def legacy(button: int, column: int, row: int) -> bytes:
    return b"\x1b[M" + bytes([button + 32, column + 32, row + 32])


def test_legacy_mouse_reports_become_modern_ones() -> None:
    feed = InputFilter().feed
    assert feed(legacy(0, 1, 1)) == "\x1b[<0;1;1M"
    assert feed(legacy(3, 200, 120)) == "\x1b[<0;200;120m"
    assert feed(legacy(64, 150, 10)) == "\x1b[<64;150;10M"
    assert feed(legacy(32, 223, 223) + b"q") == "\x1b[<32;223;223Mq"


def test_a_report_that_comes_in_pieces_is_held_until_it_is_whole() -> None:
    filter_ = InputFilter()
    whole = legacy(0, 190, 60)
    assert filter_.feed(b"a" + whole[:4]) == "a"
    assert filter_.feed(whole[4:5]) == ""
    assert filter_.feed(whole[5:] + b"b") == "\x1b[<0;190;60Mb"


def test_bytes_that_are_no_text_do_no_harm() -> None:
    filter_ = InputFilter()
    assert filter_.feed(b"\xff\xfe w") == "\ufffd\ufffd w"
    assert filter_.feed("é".encode()[:1]) == ""
    assert filter_.feed("é".encode()[1:]) == "é"
    assert filter_.feed(b"\x1b[M\x00\x00\x00x") == "x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("▁▃█▏│…·↑", "_.#||~.^"),
        ("核x", "??x"),
        ("\x1b[38;2;1;2;3mé\x1b[0m", "\x1b[38;2;1;2;3m?\x1b[0m"),
    ],
)
def test_what_a_plain_terminal_gets_has_the_same_width(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_a_terminal_that_is_gone_swallows_everything() -> None:
    tries = []

    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            tries.append(text)
            raise OSError(5, "gone")

    file = TerminalFile(Gone())
    file.write("x")
    file.flush()
    assert file.lost
    file.write("y")
    assert tries == ["x"]


def test_ascii_is_enforced_at_the_last_step() -> None:
    out = io.StringIO()
    file = TerminalFile(out, ascii_only=True)
    file.write("a▏核")
    assert out.getvalue() == "a|??"
