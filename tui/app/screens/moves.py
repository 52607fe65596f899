"""Actions that move the view, the cursor and the folds."""

from __future__ import annotations

from tui.app.screens.stage import Stage


class Moves(Stage):
    """Zoom, pan, page, lanes, folds, history."""

    def action_zoom_in(self) -> None:
        if self.view is not None:
            self.view.zoom(closer=True)
            self.refresh_view()

    def action_zoom_out(self) -> None:
        if self.view is not None:
            self.view.zoom(closer=False)
            self.refresh_view()

    def _pan(self, quarters: int) -> None:
        if self.view is not None:
            self.view.pan(quarters * max(1, self.view.cells // 4))
            self.refresh_view()

    def action_pan_left(self) -> None:
        self._pan(-1)

    def action_pan_right(self) -> None:
        self._pan(1)

    def _page(self, screens: int) -> None:
        if self.view is not None:
            self.view.page(screens)
            self.refresh_view()

    def action_page_left(self) -> None:
        self._page(-1)

    def action_page_right(self) -> None:
        self._page(1)

    def _cursor(self, cells: int) -> None:
        if self.view is not None:
            self.view.move_cursor(cells)
            self.refresh_view()

    def action_cursor_left(self) -> None:
        self._cursor(-1)

    def action_cursor_right(self) -> None:
        self._cursor(1)

    def _lanes(self, lines: int) -> None:
        if self.view is not None:
            self.view.move_line(lines)
            self.refresh_view()

    def action_lane_up(self) -> None:
        self._lanes(-1)

    def action_lane_down(self) -> None:
        self._lanes(1)

    def action_lanes_up(self) -> None:
        if self.view is not None:
            self._lanes(-max(1, self.view.height - 1))

    def action_lanes_down(self) -> None:
        if self.view is not None:
            self._lanes(max(1, self.view.height - 1))

    def _to(self, time: int) -> None:
        if self.view is not None:
            self.view.go(time)
            self.refresh_view()

    def action_to_start(self) -> None:
        if self.view is not None:
            self._to(self.view.span[0])

    def action_to_end(self) -> None:
        if self.view is not None:
            self._to(self.view.span[1])

    def action_fit(self) -> None:
        if self.view is None:
            return
        target = self.target
        if self.view.chosen is not None:
            self.view.fit(*self.view.chosen)
        elif self.view.aim is not None:
            cursor = self.view.cursor
            self.view.fit(*self.view.aim)
            self.view.cursor = cursor
        elif target is not None:
            cursor = self.view.cursor
            self.view.fit(target.start, target.end)
            self.view.cursor = min(max(cursor, target.start), max(target.start, target.end - 1))
            self.view.picked = target.slice_id
        else:
            self.say("nothing under the cursor to fit: move onto something, or select a range with v")
        self.refresh_view()

    def action_fit_all(self) -> None:
        if self.view is not None:
            self.view.fit_all()
            self.refresh_view()

    def action_view_back(self) -> None:
        if self.view is not None:
            if not self.view.back():
                self.say("no view before this one")
            self.refresh_view()

    def action_view_forward(self) -> None:
        if self.view is not None:
            if not self.view.forward():
                self.say("no view after this one")
            self.refresh_view()

    def action_fold(self) -> None:
        if self.view is not None:
            if not self.view.toggle_fold():
                self.say("nothing to fold here")
            self.refresh_view()

    def action_fold_all(self) -> None:
        if self.view is not None:
            self.view.toggle_fold_all()
            self.refresh_view()
