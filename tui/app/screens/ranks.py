"""The ranks view: the main screen on a set of reports instead of one."""

from __future__ import annotations

from functools import partial

from tui.app.clipboard import Clipboard
from tui.app.figures import Figures
from tui.app.keys import RANKS, Keymap
from tui.app.looks import Looks
from tui.app.pane_layout import PaneLayout
from tui.app.rank_opener import Opener
from tui.app.screens.dialogs import Dialogs
from tui.app.screens.main import MainScreen
from tui.app.shell import RankShell
from tui.app.widgets.rank_lanes import RankLanes
from tui.app.widgets.timeline import Timeline
from tui.browse.instance_walk import Walk
from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.clicks import RankNavigator
from tui.browse.ranks.finding import Instants, RankSearch
from tui.browse.ranks.frame import ranks_shape
from tui.browse.ranks.looking import inspect_rank
from tui.browse.ranks.moves import RankJumps
from tui.browse.ranks.scene import Scene
from tui.browse.ranks.status import ranks_header, ranks_status
from tui.browse.screen_shape import Shape
from tui.timeline.runs import Line


class RanksScreen(MainScreen, inherit_bindings=False):
    """Wires keys, mouse and messages to the parts that work on a set."""

    def __init__(self, browse: RanksBrowse, looks: Looks, keymap: Keymap, shell: RankShell) -> None:
        super().__init__(browse, looks, keymap, shell)
        self.ranks = browse
        self.jumps = RankJumps(browse)
        self.navigator = RankNavigator(browse, self.jumps)
        self.rows = Walk(browse, self.jumps)
        self.pane = PaneLayout(self, browse, self.rows)
        self.figures = Figures(browse, self.pane, shell.background, shell.note_failure)
        self.dialogs = Dialogs(self, browse, looks, keymap, self.run_chosen, RANKS)
        self.opener = Opener(browse, shell)
        self.search = RankSearch(browse, self.jumps, self.rows, self.ask)
        self.instants = Instants(browse, self.ask)
        look = partial(inspect_rank, browse)
        self.clipboard = Clipboard(browse, shell.copy_to_clipboard, self.ask, look)

    def look_closer(self) -> None:
        self.opener.open()

    def make_timeline(self) -> Timeline:
        assert isinstance(self.browse, RanksBrowse)
        return RankLanes(self.looks, self.browse)

    def shape(self, width: int, height: int, *, overlay: bool = False, maximised: bool = False) -> Shape:
        return ranks_shape(width, height, overlay=overlay, maximised=maximised)

    def draw_header(self, cells: int) -> Line:
        return ranks_header(self.ranks, cells)

    def draw_status(self, cells: int, lines: int) -> list[Line]:
        return ranks_status(self.ranks, cells, lines, in_pane=self.pane.page.has_focus)

    def show_scene(self, scene: Scene) -> None:
        """Show a set from its beginning, or what more is known of it."""
        first = self.ranks.view is None
        self.ranks.show(scene)
        self.figures.start_over()
        assert self.ranks.view is not None
        self.pane.timeline.note = ()
        if first:
            self.pane.timeline.set_view(self.ranks.view)
            self.ranks.go_to_choice()
        self.refresh_view()

    def show_loading(self, lines: list[str]) -> None:
        """Show ``lines`` while there are no lanes yet."""
        self.pane.timeline.note = lines
        self.pane.timeline.update_view()
        self.refresh_bars()
