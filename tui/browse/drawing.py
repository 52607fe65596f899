"""What the lines of a screen are drawn with: characters, and whether there are colours."""

from __future__ import annotations

from dataclasses import dataclass

from tui.timeline.glyphs import UNICODE, Glyphs


@dataclass(frozen=True)
class Drawing:
    """``fill``: slices are coloured by category; without, a glyph fills them."""

    glyphs: Glyphs = UNICODE
    fill: bool = True

    @property
    def thumb(self) -> str:
        """What fills the thumb of a scroll bar."""
        return " " if self.fill else self.glyphs.up[8]
