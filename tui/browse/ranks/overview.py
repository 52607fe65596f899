"""Overview of a set: who is late and why, what a step of the median rank is made of."""

from __future__ import annotations

from tui.browse.page import Page, Section
from tui.browse.ranks.scene import Scene


def overview_page(scene: Scene) -> Page:
    """Show what matters at first sight."""
    return [Section("Straggler", lines=(scene.headline,))]
