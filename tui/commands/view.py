"""``nsystui view``: one frame of the explorer as text, ANSI or a picture."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, talk, writing
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.browse.pages import Tab
    from tui.browse.state import Browse
    from tui.report.model import Report
    from tui.timeline.runs import Frame
    from tui.timeline.theme import Theme

NAME = "view"
SUMMARY = "one frame of the explorer as text, ANSI colours or SVG"
FORMATS = ("text", "ansi", "svg")
ENDINGS = {".svg": "svg", ".ans": "ansi", ".ansi": "ansi"}
COLORS = ("truecolor", "256", "16", "none")
DEFAULT_SIZE = (160, 48)
DEFAULT_TAB = "Overview"
LEAST, MOST = (40, 8), (1000, 1000)

EPILOG = """\
examples:
  nsystui view run.sqlite                              the whole capture, as wide as the terminal
  nsystui view run.sqlite --range step:3 --size 120x34
  nsystui view run.sqlite --range gap:1 -o gap.svg     a picture, for a report of your own
  nsystui view run.sqlite --tab Kernels                another tab in the pane
  nsystui view run.sqlite --lanes gpu0,nvtx --ascii    only these lanes, in plain ASCII

The frame is what the explorer shows of the same report in a terminal of that size.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui view``."""
    parser.epilog = EPILOG
    options.add_report(parser)
    group = parser.add_argument_group("the frame")
    group.add_argument(
        "--size", metavar="WxH", type=size, help="columns x lines (default: the terminal's, else 160x48)"
    )
    group.add_argument(
        "--lanes",
        metavar="NAME,...",
        help="only lanes whose title or key contains one of these (gpu0, s7, nvtx)",
    )
    group.add_argument("--unfold", action="store_true", help="unfold every lane, also the quiet threads'")
    group.add_argument(
        "--pane", choices=("auto", "none"), default="auto", help="auto: beside it from 100 columns up"
    )
    group.add_argument(
        "--tab",
        metavar="NAME",
        default=DEFAULT_TAB,
        help=f"the pane's tab (default: {DEFAULT_TAB}); under 100 columns it fills the frame",
    )
    group.add_argument("--legend", action="store_true", help="say in the last line what the colours mean")
    group.add_argument(
        "--min-gap", metavar="D", default="100us", help="shortest idle gap to point out (default: 100us)"
    )
    group.add_argument(
        "--colors", choices=COLORS, help="default: none for text, else the terminal's, else truecolor"
    )
    group.add_argument("--ascii", action="store_true", help="plain ASCII glyphs")
    group.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        help="default: by the ending of -o FILE, else ansi on a terminal, else text",
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="where to write; - is stdout, the default"
    )
    options.add_scope(parser)
    options.add_store(parser)


def size(text: str) -> tuple[int, int]:
    """``160x48`` as (columns, lines); the error text is argparse's."""
    match = re.fullmatch(r"(\d{1,4})[xX](\d{1,4})", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 160x48")
    columns, lines = int(match[1]), int(match[2])
    if not (LEAST[0] <= columns <= MOST[0] and LEAST[1] <= lines <= MOST[1]):
        raise argparse.ArgumentTypeError(f"{text}: from {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]}")
    return columns, lines


def run(args: argparse.Namespace) -> int:
    """Draw the frame and write it."""
    from tui.browse.drawing import Drawing
    from tui.timeline.glyphs import ASCII, UNICODE
    from tui.timeline.theme import GROUND, Depth, Theme

    fmt = chosen_format(args)
    browse = browse_of(args)
    theme = Theme(Depth(colors(args, fmt)), GROUND if fmt == "svg" else None)
    path = browse.place.path
    with writing.destination(args.output, "svg" if fmt == "svg" else "table", path) as stream:
        plain = args.ascii or not writing.speaks_unicode(stream)
        browse.drawing = Drawing(ASCII if plain else UNICODE, theme.fill)
        frame = draw(browse, args)
        stream.write(written(frame, fmt, theme, f"{path.name}: {browse.window.label}"))
    return 0


def browse_of(args: argparse.Namespace) -> Browse:
    """The explorer's state for what ``args`` choose, its figures worked out."""
    from tui.app.keys import Keymap
    from tui.browse.capture import capture_of
    from tui.browse.drawing import Drawing
    from tui.browse.state import Browse, ReportPlace
    from tui.text.times import parse_duration

    min_gap = parse_duration(args.min_gap)
    tab = chosen_tab(args.tab)
    report = opening.open_report(args)
    capture = capture_of(report, lambda report, index: scope_of(report, args, index), args.step)
    keymap, plain = Keymap(), args.ascii
    browse = Browse(
        ReportPlace(report.path), Drawing(), lambda action: keymap.hint(action, plain), min_gap_ns=min_gap
    )
    browse.tab = tab
    capture.books(browse.busy, min_gap)
    view = browse.open(capture)
    if args.lanes:
        tree = view.tree.select([name for name in args.lanes.split(",") if name])
        if not tree.roots:
            raise UsageError(f"no lane is called like {args.lanes!r}; without --lanes all are shown")
        view.show_lanes(tree)
    if args.unfold:
        view.unfold_all()
    return browse


def chosen_tab(name: str) -> Tab:
    """The tab of that name; UsageError lists those that there are."""
    from tui.browse.pages import TABS, tab_named

    tab = tab_named(name)
    if tab is None:
        raise UsageError(f"no tab {name!r}; there are {', '.join(tab.name for tab in TABS)}")
    return tab


def scope_of(report: Report, args: argparse.Namespace, index: Index) -> Scope:
    """What ``args`` choose; a report without events still has a frame, which says so."""
    from tui.analysis.scope import Scope, Window

    if report.span is not None or args.range is not None:
        return opening.scope(report, args, index=index)
    return Scope(Window(0, 1, "empty capture"))


def chosen_format(args: argparse.Namespace) -> str:
    """text, ansi or svg."""
    if args.format:
        return str(args.format)
    if args.output != "-":
        return ENDINGS.get(Path(args.output).suffix.lower(), "text")
    wants_colour = args.colors not in (None, "none")
    on_terminal = (
        args.colors is None
        and not os.environ.get("NO_COLOR")
        and sys.stdout is not None
        and sys.stdout.isatty()
    )
    return "ansi" if wants_colour or on_terminal else "text"


def colors(args: argparse.Namespace, fmt: str) -> str:
    """How many colours to use."""
    if fmt == "text":
        return "none"
    if args.colors:
        return str(args.colors)
    if fmt == "ansi" and os.environ.get("COLORTERM", "") not in ("truecolor", "24bit"):
        return "256"
    return "truecolor"


def shape_of(args: argparse.Namespace) -> tuple[int, int]:
    """Columns and lines of the frame."""
    if args.size:
        return args.size  # type: ignore[no-any-return]
    if args.output == "-" and sys.stdout is not None and sys.stdout.isatty():
        terminal = os.get_terminal_size(sys.stdout.fileno())
        return max(terminal.columns, LEAST[0]), max(terminal.lines - 1, LEAST[1])
    return DEFAULT_SIZE


def draw(browse: Browse, args: argparse.Namespace) -> Frame:
    """The frame in the size that ``args`` ask for; says what of the lanes is below its last line."""
    from tui.browse.frame import draw_frame
    from tui.browse.screen_shape import screen_shape
    from tui.text.numbers import plural

    width, height = shape_of(args)
    shape = screen_shape(width, height, pane=args.pane == "auto", overlay=args.tab != DEFAULT_TAB)
    frame = draw_frame(browse, shape, legend=args.legend)
    view = browse.view
    below = len(view.lines) - view.top - view.height if view is not None and shape.timeline else 0
    if below > 0:
        talk.tell(f"nsystui: {plural(below, 'more line')} of lanes below; a taller --size shows them")
    return frame


def written(frame: Frame, fmt: str, theme: Theme, title: str) -> str:
    """The frame in its format."""
    from tui.output.frame_svg import frame_svg
    from tui.output.frame_text import frame_ansi, frame_text

    if fmt == "svg":
        return frame_svg(frame, theme, title)
    return frame_ansi(frame, theme) if fmt == "ansi" else frame_text(frame)
