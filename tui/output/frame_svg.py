"""A frame as a picture: an SVG on a grid of cells, without scripts or outside resources.

Block characters are drawn as rectangles, so that they meet without seams in any font.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from tui.text import safe, width
from tui.timeline.runs import Frame, Run
from tui.timeline.style_colours import GROUND, TEXT, Paint, Theme
from tui.timeline.terminal_colours import RGB

CELL_WIDTH, CELL_HEIGHT = 8.43, 18.0
FONT_SIZE, BASELINE = 14, 13.6
MARGIN = 12.0
FONTS = "'DejaVu Sans Mono','JetBrains Mono',Menlo,Consolas,'Liberation Mono',monospace"
BLOCKS = {
    **{block: (0, 0, eighths / 8, 1) for eighths, block in enumerate("▏▎▍▌▋▊▉", 1)},
    **{block: (0, 1 - eighths / 8, 1, eighths / 8) for eighths, block in enumerate("▁▂▃▄▅▆▇█", 1)},
    **{block: (1 - eighths / 8, 0, eighths / 8, 1) for eighths, block in ((1, "▕"), (4, "▐"))},
}
"""The part of its cell that a block fills: left edge, top, width, height."""
# Words, with single spaces between them; spaces; a run of one lower (or full) block; any other block alone.
PIECES = re.compile(r"(?:(?!  )[^▏▎▍▌▋▊▉█▁▂▃▄▅▆▇▕▐])+| +|([▁▂▃▄▅▆▇█])\1*|[▏▎▍▌▋▊▉▕▐]")


def frame_svg(frame: Frame, theme: Theme, title: str) -> str:
    """The picture of ``frame``; ``title`` is what screen readers say it is."""
    across = frame.width * CELL_WIDTH + 2 * MARGIN
    down = len(frame.rows) * CELL_HEIGHT + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down:.0f}" '
        f'viewBox="0 0 {across:.2f} {down:.2f}" role="img" aria-label={quoteattr(_printable(title))}>',
        f"<title>{escape(_printable(title))}</title>",
        f"<style>text{{font-family:{FONTS};font-size:{FONT_SIZE}px;white-space:pre}}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{_hex(theme.ground or GROUND)}"/>',
    ]
    for number, row in enumerate(frame.rows):
        out.extend(_row(row, MARGIN + number * CELL_HEIGHT, theme))
    out.append("</svg>\n")
    return "\n".join(out)


def _row(row: list[Run], top: float, theme: Theme) -> Iterator[str]:
    column = 0
    for text, style in row:
        paint = theme.paint(style)
        ink, paper = paint.ink or TEXT, paint.paper
        if paint.reverse:
            ink, paper = paper or theme.ground or GROUND, ink
        cells = width(text)
        if paper is not None:
            yield _rect(column, top, 0, 0, cells, 1, paper)
        yield from _glyphs(text, column, top, ink, paint)
        column += cells


def _glyphs(text: str, column: int, top: float, ink: RGB, paint: Paint) -> Iterator[str]:
    """Blocks as rectangles (equal neighbours as one), stretches of other characters as text."""
    for piece in (match[0] for match in PIECES.finditer(text)):
        cells = width(piece)
        if piece[0] in BLOCKS:
            x, y, part, height = BLOCKS[piece[0]]
            yield _rect(column, top, x, y, part * cells, height, ink)
        elif piece.strip():
            yield _text(piece, column, top, cells, ink, paint)
        column += cells


def _text(text: str, column: int, top: float, cells: int, ink: RGB, paint: Paint) -> str:
    look = ' font-weight="bold"' if paint.bold else ""
    look += ' font-style="italic"' if paint.italic else ""
    look += ' text-decoration="underline"' if paint.underline else ""
    lead = len(text) - len(text.lstrip())
    shown = text.strip()
    return (
        f'<text x="{MARGIN + (column + lead) * CELL_WIDTH:.2f}" y="{top + BASELINE:.2f}" '
        f'textLength="{width(shown) * CELL_WIDTH:.2f}" lengthAdjust="spacingAndGlyphs" '
        f'fill="{_hex(ink)}"{look}>{escape(_printable(shown))}</text>'
    )


def _rect(column: int, top: float, x: float, y: float, cells: float, height: float, colour: RGB) -> str:
    """A rectangle in cell measures: ``x``, ``y`` from the cell's corner, ``cells`` wide."""
    return (
        f'<rect x="{MARGIN + (column + x) * CELL_WIDTH:.2f}" y="{top + y * CELL_HEIGHT:.2f}" '
        f'width="{cells * CELL_WIDTH:.2f}" height="{height * CELL_HEIGHT:.2f}" fill="{_hex(colour)}"/>'
    )


def _hex(colour: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _printable(text: str) -> str:
    """What XML 1.0 allows; names were made safe for a screen already, titles may not have been."""
    return "".join(c if c >= " " and c not in "\ufffe\uffff" else "\ufffd" for c in safe(text))
