"""The tabs of the ranks view's side pane in their order."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from tui.browse.pages import Tab

# The keys are read before anything is loaded, and the tabs name some of them: no NumPy here.
if TYPE_CHECKING:
    from tui.browse.page import Page
    from tui.browse.ranks.scene import Scene


@dataclass(frozen=True)
class RankTab(Tab):
    """A tab about a whole set: ``build_from`` is ``module:function`` below this package."""

    def build_of(self, scene: Scene) -> Page:
        """Build the page."""
        module, _, function = self.build_from.partition(":")
        page: Page = getattr(import_module(f"{__package__}.{module}"), function)(scene)
        return page


RANK_TABS: tuple[RankTab, ...] = (
    RankTab("Overview", "overview:overview_page"),
    RankTab("Ranks", "tables:ranks_page"),
    RankTab("Pace", "tables:pace_page"),
    RankTab("Collectives", "tables:collectives_page"),
    RankTab("Exposed", "tables:exposed_page"),
    RankTab("Classes", "tables:classes_page"),
    RankTab("Hosts", "tables:clocks_page"),
    RankTab("Notes", "notes:notes_page"),
    RankTab("Diagnosis", "notes:diagnosis_page"),
)
