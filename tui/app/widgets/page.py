"""A page of sections as a scrolling list of lines: only the lines on the screen are ever built."""

from __future__ import annotations

from bisect import bisect_right

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from tui.app.looks import Looks
from tui.app.widgets.block import Block
from tui.app.widgets.scrolling import Scrolling
from tui.browse.page import ColumnFormat, Page, Section, SortedRows
from tui.timeline.runs import Line, Run, fit_line


class PageView(Scrolling, can_focus=True):
    """The page of one tab. ``block`` and ``at`` say which row is selected."""

    class Follow(Message):
        """A row's place on the timeline is wanted: ``move`` 0 longest instance, 1 next, -1 previous."""

        def __init__(self, section: Section, row: int, move: int) -> None:
            super().__init__()
            self.section = section
            self.row = row
            self.move = move

    class Whole(Message):
        """A row is wanted in full: (header, value) pairs."""

        def __init__(self, title: str, pairs: list[tuple[str, str]]) -> None:
            super().__init__()
            self.title = title
            self.pairs = pairs

    class AskFilter(Message):
        """The user wants to filter the section under the cursor."""

    class Leave(Message):
        """The user goes back to the timeline."""

    def __init__(self, looks: Looks, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(looks, id=id)
        self.page: Page | None = None
        self.blocks: list[Block] = []
        self.message = ""
        self.block = 0
        self.at = 0
        self._strips: dict[tuple[object, ...], Strip] = {}
        self._memory: dict[str, tuple[int, bool, str]] = {}

    # What is shown -------------------------------------------------------------------------

    def show(self, page: Page | None, message: str = "") -> None:
        """Show ``page`` (sorting and filters of sections of the same title stay) or a ``message``."""
        chosen = self.blocks[self.block].section.title if self.block < len(self.blocks) else ""
        self.message = message
        self.page = page
        self.blocks = []
        for section in page.sections if page is not None else ():
            rows = None
            cells: tuple[ColumnFormat, ...] = ()
            if section.table is not None:
                column, descending, needle = self._memory.get(section.title, (-1, True, ""))
                column = column if column < len(section.table.columns) else -1
                rows = SortedRows(section.table, column, descending, needle)
                cells = tuple(ColumnFormat.of(c) for c in section.table.columns)
            self.blocks.append(Block(section, self.looks, rows, cells))
        titles = [block.section.title for block in self.blocks]
        if chosen in titles and self.blocks[titles.index(chosen)].shown:
            self.block = titles.index(chosen)
        else:
            self.block = next((i for i, b in enumerate(self.blocks) if b.shown), 0)
            self.at = 0
        self._lay_out()

    def start_over(self) -> None:
        """Forget the selected row (another tab)."""
        self.block = self.at = 0
        self.blocks = []
        self.scroll_to(0, 0, animate=False, immediate=True)

    def _lay_out(self) -> None:
        top = 0
        for block in self.blocks:
            top = block.lay_out(top, self.size.width)
        self.at = max(0, min(self.at, self.selected_count - 1))
        self._strips.clear()
        self.virtual_size = Size(self.size.width, max(1, top - 1))
        self.refresh()

    @property
    def selected_count(self) -> int:
        """Rows in the section under the cursor."""
        return self.blocks[self.block].shown if self.block < len(self.blocks) else 0

    @property
    def selected(self) -> tuple[Block, int] | None:
        """The block and table row under the cursor."""
        if not self.selected_count:
            return None
        block = self.blocks[self.block]
        assert block.rows is not None
        return block, int(block.rows.order[self.at])

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    # Drawing -------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        room = self.size.width
        key = (line, room, self.has_focus, self.message, self._is_selected(line))
        strip = self._strips.get(key)
        if strip is None:
            runs = fit_line(self._draw(line, room), room, "pane")
            strip = Strip([Segment(run.text, self.looks.style(run.style)) for run in runs], room)
            self._strips[key] = strip
        return strip

    def _is_selected(self, line: int) -> bool:
        return bool(self.selected_count) and line == self._line_of(self.block, self.at)

    def _line_of(self, block: int, at: int) -> int:
        return self.blocks[block].top + self.blocks[block].head + at

    def _place(self, line: int) -> tuple[Block, int] | None:
        """The block at ``line`` and the line within it."""
        index = bisect_right([b.top for b in self.blocks], line) - 1
        if index < 0:
            return None
        block = self.blocks[index]
        offset = line - block.top
        return (block, offset) if offset < block.height else None

    def _draw(self, line: int, room: int) -> Line:
        if not self.blocks:
            return fit_line([Run(" " + self.message if line == 0 else "", "pane.dim")], room, "pane")
        place = self._place(line)
        if place is None:
            return [Run(" " * room, "pane")]
        selected = "pane.row" if self.has_focus else "pane.chosen"
        return place[0].line(place[1], self.message, selected if self._is_selected(line) else None)

    # Moving about --------------------------------------------------------------------------

    def move(self, rows: int) -> None:
        """Move the cursor by rows, through all sections."""
        total = sum(b.shown for b in self.blocks)
        if not total:
            self.scroll_relative(y=rows, animate=False)
            return
        before = sum(b.shown for b in self.blocks[: self.block]) + self.at
        wanted = max(0, min(total - 1, before + rows))
        old = self._line_of(self.block, self.at)
        for index, block in enumerate(self.blocks):
            if wanted < block.shown:
                self.block, self.at = index, wanted
                break
            wanted -= block.shown
        self._reveal()
        for line in (old, self._line_of(self.block, self.at)):
            self.refresh_line(line)

    def _reveal(self) -> None:
        line = self._line_of(self.block, self.at)
        top = (
            0
            if self.at == 0 and self.block == 0
            else line - (self.blocks[self.block].head if self.at == 0 else 0)
        )
        self.scroll_to_region(Region(0, top, 1, line - top + 1), animate=False, immediate=True, force=True)

    def select(self, block: int, row: int) -> None:
        """Put the cursor on table row ``row`` of section ``block``, where it is shown."""
        rows = self.blocks[block].rows if block < len(self.blocks) else None
        if rows is None:
            return
        found = (rows.order == row).nonzero()[0]
        if len(found):
            self.block, self.at = block, int(found[0])
            self._reveal()
            self.refresh()

    def action_row_up(self) -> None:
        self.move(-1)

    def action_row_down(self) -> None:
        self.move(1)

    def action_rows_up(self) -> None:
        self.move(-max(1, self.size.height - 2))

    def action_rows_down(self) -> None:
        self.move(max(1, self.size.height - 2))

    def action_row_first(self) -> None:
        self.move(-(10**12))
        self.scroll_to(0, 0, animate=False, immediate=True)

    def action_row_last(self) -> None:
        self.move(10**12)

    # Sorting and filtering -----------------------------------------------------------------

    def action_sort_next(self) -> None:
        if (chosen := self.selected) is None:
            return
        rows = chosen[0].rows
        assert rows is not None
        rows.column = rows.column + 1 if rows.column + 1 < len(rows.table.columns) else -1
        rows.descending = True
        self._rearranged(chosen[0], chosen[1])

    def action_sort_reverse(self) -> None:
        if (chosen := self.selected) is None:
            return
        rows = chosen[0].rows
        assert rows is not None
        rows.column = max(0, rows.column)
        rows.descending = not rows.descending
        self._rearranged(chosen[0], chosen[1])

    def action_filter(self) -> None:
        if any(b.rows is not None for b in self.blocks):
            self.post_message(self.AskFilter())

    @property
    def needle(self) -> str:
        """The filter of the section under the cursor."""
        rows = self.blocks[self.block].rows if self.block < len(self.blocks) else None
        return rows.needle if rows is not None else ""

    def filter_by(self, needle: str) -> None:
        """Show only rows of the section under the cursor that contain ``needle``."""
        if self.block < len(self.blocks) and (rows := self.blocks[self.block].rows) is not None:
            rows.needle = needle
            self.at = 0
            self._rearranged(self.blocks[self.block], None)

    def _rearranged(self, block: Block, row: int | None) -> None:
        rows = block.rows
        assert rows is not None
        rows.arrange()
        self._memory[block.section.title] = (rows.column, rows.descending, rows.needle)
        if row is not None and len(found := (rows.order == row).nonzero()[0]):
            self.at = int(found[0])
        self._lay_out()
        if self.selected_count:
            self._reveal()

    # Following -----------------------------------------------------------------------------

    def _follow(self, move: int) -> None:
        if (chosen := self.selected) is not None:
            self.post_message(self.Follow(chosen[0].section, chosen[1], move))

    def action_row_jump(self) -> None:
        self._follow(0)

    def action_row_next(self) -> None:
        self._follow(1)

    def action_row_previous(self) -> None:
        self._follow(-1)

    def action_row_details(self) -> None:
        if (chosen := self.selected) is None:
            return
        block, row = chosen
        assert block.rows is not None
        if block.section.details is not None:
            pairs = block.section.details(row)
        else:
            pairs = [
                (cells.header, cells.write(column.values[row]))
                for cells, column in zip(block.cells, block.rows.table.columns, strict=True)
            ]
        self.post_message(self.Whole(block.section.title, pairs))

    def action_pane_leave(self) -> None:
        if self.needle:
            self.filter_by("")
        else:
            self.post_message(self.Leave())

    def on_click(self, event: events.Click) -> None:
        """A click selects a row, a second one follows it."""
        place = self._place(event.y + self.scroll_offset.y)
        if place is None or not place[0].shown:
            return
        at = place[1] - place[0].head
        if not 0 <= at < place[0].shown:
            return
        again = self.blocks[self.block] is place[0] and self.at == at
        self.block, self.at = self.blocks.index(place[0]), at
        self.refresh()
        if again or event.chain > 1:
            self._follow(0)

    def on_resize(self) -> None:
        self._lay_out()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
