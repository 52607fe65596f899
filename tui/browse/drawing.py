"""With what the lines of a screen are drawn: characters, and whether there are colours."""

from __future__ import annotations

from dataclasses import dataclass

from tui.timeline.glyphs import UNICODE, Glyphs


@dataclass(frozen=True)
class Drawing:
    """``fill``: categories are told apart by colour; without, by the glyph that fills a slice."""

    glyphs: Glyphs = UNICODE
    fill: bool = True

    @property
    def pointer(self) -> str:
        """The mark before the selected row."""
        return self.glyphs.closed if self.fill else ">"

    @property
    def thumb(self) -> str:
        """What fills the thumb of a scroll bar."""
        return " " if self.fill else self.glyphs.up[8]
