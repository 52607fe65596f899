"""A frame as plain text or as text with ANSI colours."""

from __future__ import annotations

from tui.timeline.runs import Frame, text_of
from tui.timeline.style_colours import Depth, Paint, Theme

ESCAPE = "\x1b["


def frame_text(frame: Frame) -> str:
    """The characters alone, a line a row, without spaces at line ends."""
    return "".join(text_of(row).rstrip() + "\n" for row in frame.rows)


def frame_ansi(frame: Frame, theme: Theme) -> str:
    """Text with the theme's colours as SGR sequences; each line ends with a reset."""
    codes: dict[str, str] = {}
    lines = []
    for row in frame.rows:
        parts = []
        for text, style in row:
            if style not in codes:
                codes[style] = sgr(theme.paint(style), theme.depth)
            parts.append(codes[style] + text)
        lines.append("".join(parts) + f"{ESCAPE}0m\n")
    return "".join(lines)


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
