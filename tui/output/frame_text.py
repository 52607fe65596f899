"""A frame as plain text or as text with ANSI colours."""

from __future__ import annotations

from collections.abc import Iterator

from tui.text import width
from tui.text.drift import steadied
from tui.timeline.runs import Frame, Line, text_of
from tui.timeline.style_colours import Depth, Paint, Theme

ESCAPE = "\x1b["


def frame_text(frame: Frame, *, steady: bool = False) -> str:
    """The characters alone, a line a row, without spaces at line ends.

    ``steady``: for a terminal, columns stay in place whatever width it gives a name's characters.
    """
    if not steady:
        return "".join(text_of(row).rstrip() + "\n" for row in frame.rows)
    return "".join("".join(_steadied(row, frame, alone=True)).rstrip() + "\n" for row in frame.rows)


def frame_ansi(frame: Frame, theme: Theme, *, steady: bool = False) -> str:
    """Text with the theme's colours as SGR sequences; each line ends with a reset. ``steady`` as above."""
    codes: dict[str, str] = {}
    lines = []
    for row in frame.rows:
        parts = []
        texts = _steadied(row, frame) if steady else (run.text for run in row)
        for text, (_, style) in zip(texts, row, strict=True):
            if style not in codes:
                codes[style] = sgr(theme.paint(style), theme.depth)
            parts.append(codes[style] + text)
        lines.append("".join(parts) + f"{ESCAPE}0m\n")
    return "".join(lines)


def _steadied(row: Line, frame: Frame, *, alone: bool = False) -> Iterator[str]:
    """Yield the text of each run of ``row`` for a terminal; ``alone`` as in :func:`steadied`."""
    column = 0
    for text, _ in row:
        yield steadied(text, column, frame.width, alone=alone)
        column += width(text)


def sgr(paint: Paint, depth: Depth) -> str:
    """The SGR sequence that turns ``paint`` on, and whatever was on before it off."""
    flags = {"1": paint.bold, "3": paint.italic, "4": paint.underline, "7": paint.reverse}
    codes = ["0", *(code for code, on in flags.items() if on)]
    for colour, index, base in ((paint.ink, paint.ink_index, 30), (paint.paper, paint.paper_index, 40)):
        if colour is None:
            continue
        if depth is Depth.P16 and index is not None:
            codes.append(str(base + index if index < 8 else base + 52 + index))
        elif index is not None:
            codes.append(f"{base + 8};5;{index}")
        else:
            codes.append(f"{base + 8};2;{colour[0]};{colour[1]};{colour[2]}")
    return f"{ESCAPE}{';'.join(codes)}m"
