"""How the explorer looks: the timeline's styles and lines in Rich's styles and Textual's strips."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.browse.drawing import Drawing
from tui.timeline.glyphs import ASCII, UNICODE, Glyphs
from tui.timeline.runs import Line, fit_line
from tui.timeline.style_colours import GROUND, Depth, Theme
from tui.timeline.terminal_colours import RGB

GROUNDS: dict[Depth, tuple[RGB, int | None]] = {
    Depth.TRUE: (GROUND, None),
    Depth.P256: ((18, 18, 18), 233),
    Depth.P16: ((0, 0, 0), 0),
}
"""The background of the screen and its number in the palette, where it is not the terminal's own."""


@dataclass(eq=False)
class Looks:
    """Colours by ``depth`` and glyphs by ``ascii``; builds each style once."""

    depth: Depth = Depth.TRUE
    ascii: bool = False
    _styles: dict[str, Style] = field(default_factory=dict)
    theme: Theme = field(init=False)

    def __post_init__(self) -> None:
        ground = GROUNDS.get(self.depth)
        self.theme = Theme(self.depth, ground[0] if ground else None)

    @property
    def glyphs(self) -> Glyphs:
        return ASCII if self.ascii else UNICODE

    @property
    def drawing(self) -> Drawing:
        """Glyphs and fills for the lines of the screen."""
        return Drawing(self.glyphs, self.theme.fill)

    @property
    def background(self) -> str:
        """The background as a Textual colour."""
        ground = GROUNDS.get(self.depth)
        return "#{:02x}{:02x}{:02x}".format(*ground[0]) if ground else "ansi_default"

    def strip(self, line: Line, cells: int, ground: str = "") -> Strip:
        """Return ``line`` cut or filled up (in the style ``ground``) to exactly ``cells``."""
        return Strip([Segment(text, self.style(name)) for text, name in fit_line(line, cells, ground)], cells)

    def style(self, name: str) -> Style:
        """Return the Rich style of a style name."""
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = self._new_style(name)
        return style

    def _new_style(self, name: str) -> Style:
        paint = self.theme.paint(name)
        ground = GROUNDS.get(self.depth, (None, None))
        return Style(
            color=_colour(paint.ink, paint.ink_index),
            bgcolor=_colour(paint.paper, paint.paper_index) or _colour(*ground),
            bold=paint.bold or None,
            italic=paint.italic or None,
            underline=paint.underline or None,
            reverse=paint.reverse or None,
        )


def _colour(rgb: RGB | None, index: int | None) -> Color | None:
    if rgb is None:
        return None
    if index is None:
        return Color.from_rgb(*rgb)
    return Color(f"color({index})", ColorType.STANDARD if index < 16 else ColorType.EIGHT_BIT, index)
