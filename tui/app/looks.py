"""Style names of the timeline -> Rich styles: each is built once, for one theme."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.color import Color, ColorType
from rich.style import Style

from tui.browse.drawing import Drawing
from tui.timeline.glyphs import ASCII, UNICODE, Glyphs
from tui.timeline.palette import RGB
from tui.timeline.theme import GROUND, Depth, Theme

GROUNDS: dict[Depth, tuple[RGB, int | None] | None] = {
    Depth.TRUE: (GROUND, None),
    Depth.P256: ((18, 18, 18), 233),
    Depth.P16: ((0, 0, 0), 0),
    Depth.NONE: None,
}
"""What the screen is painted on; None: the terminal's own background."""


@dataclass(eq=False)
class Looks:
    """How the explorer looks on this terminal: colours by ``depth``, glyphs by ``ascii``."""

    depth: Depth = Depth.TRUE
    ascii: bool = False
    _styles: dict[str, Style] = field(default_factory=dict)
    theme: Theme = field(init=False)

    def __post_init__(self) -> None:
        ground = GROUNDS[self.depth]
        self.theme = Theme(self.depth, ground[0] if ground else None)

    @property
    def glyphs(self) -> Glyphs:
        return ASCII if self.ascii else UNICODE

    @property
    def drawing(self) -> Drawing:
        """With what the lines of the screen are drawn."""
        return Drawing(self.glyphs, self.theme.fill)

    @property
    def arrows(self) -> str:
        """The up and down keys, as hints name them."""
        return "up/down" if self.ascii else "↑↓"

    @property
    def background(self) -> str:
        """The ground as a Textual colour."""
        ground = GROUNDS[self.depth]
        if ground is None:
            return "ansi_default"
        return "#{:02x}{:02x}{:02x}".format(*ground[0])

    def style(self, name: str) -> Style:
        """The Rich style of a style name."""
        known = self._styles.get(name)
        if known is None:
            known = self._styles[name] = self._make(name)
        return known

    def _make(self, name: str) -> Style:
        paint = self.theme.paint(name)
        paper = _colour(paint.paper, paint.paper_index)
        if paper is None and (ground := GROUNDS[self.depth]) is not None:
            paper = _colour(*ground)
        return Style(
            color=_colour(paint.ink, paint.ink_index),
            bgcolor=paper,
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
