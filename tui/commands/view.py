"""``nsystui view``: one frame of the explorer as text, ANSI or a picture."""

from __future__ import annotations

import argparse
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tui.commands.shared import many, opening, options, rank_view, talk, terminal, writing
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.browse.state import Browse
    from tui.report.model import Report
    from tui.timeline.runs import Frame
    from tui.timeline.style_colours import Theme

ENDINGS = {".svg": "svg", ".ans": "ansi", ".ansi": "ansi"}
DEFAULT_SIZE = (160, 48)
DEFAULT_TAB = "Overview"
SMALLEST, LARGEST = (40, 8), (1000, 1000)

EPILOG = """\
examples:
  nsystui view run.sqlite                              the work window, as wide as the terminal
  nsystui view run.sqlite --range step:3 --size 120x34
  nsystui view run.sqlite --range gap:1 -o gap.svg     a picture, for a report of your own
  nsystui view run.sqlite --tab Kernels                another tab in the pane
  nsystui view run.sqlite --lanes gpu0,nvtx --ascii    only these lanes, in plain ASCII
  nsystui view ranks/ --size 160x48 -o ranks.svg       the ranks view of a set of reports

The frame is what the explorer shows of the same reports in a terminal of that size.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui view``."""
    many.add_inputs(parser)
    add = parser.add_argument_group("the frame").add_argument
    add("--size", metavar="WxH", type=size, help="columns x lines (default: the terminal's, else 160x48)")
    add(
        "--lanes",
        metavar="NAME,...",
        help="only lanes whose title or key contains one of these (gpu0, s7, nvtx)",
    )
    add("--unfold", action="store_true", help="unfold every lane, also the quiet threads'")
    add("--pane", choices=("auto", "none"), default="auto", help="auto: beside it from 100 columns up")
    add(
        "--tab",
        metavar="NAME",
        default=DEFAULT_TAB,
        help=f"the pane's tab (default: {DEFAULT_TAB}); under 100 columns it fills the frame",
    )
    add("--legend", action="store_true", help="say in the last line what the colours mean")
    add("--min-gap", metavar="D", default="100us", help="shortest idle gap to point out (default: 100us)")
    add(
        "--colors",
        choices=("truecolor", "256", "16", "none"),
        help="default: none for text, else the terminal's, else truecolor",
    )
    add("--ascii", action="store_true", help="plain ASCII glyphs")
    add(
        "-f",
        "--format",
        choices=("text", "ansi", "svg"),
        help="default: by the ending of -o FILE, else ansi on a terminal, else text",
    )
    add("-o", "--output", metavar="FILE", default="-", help="where to write; - is stdout, the default")
    rank_view.add_options(parser)
    options.add_scope(parser)
    options.add_store(parser)


def size(text: str) -> tuple[int, int]:
    """Read ``160x48`` as (columns, lines); argparse shows the error."""
    match = re.fullmatch(r"(\d{1,4})[xX](\d{1,4})", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 160x48")
    columns, lines = int(match[1]), int(match[2])
    if not (SMALLEST[0] <= columns <= LARGEST[0] and SMALLEST[1] <= lines <= LARGEST[1]):
        raise argparse.ArgumentTypeError(
            f"{text}: from {SMALLEST[0]}x{SMALLEST[1]} to {LARGEST[0]}x{LARGEST[1]}"
        )
    return columns, lines


def run(args: argparse.Namespace) -> int:
    """Draw the frame and write it."""
    from tui.browse.drawing import Drawing
    from tui.timeline.glyphs import ASCII, UNICODE
    from tui.timeline.style_colours import GROUND, Depth, Theme

    fmt = chosen_format(args)
    if args.by_rank or not many.is_one(args):
        return draw_set(args, fmt)
    browse = browse_of(args)
    theme = Theme(Depth(colour_depth(args, fmt)), GROUND if fmt == "svg" else None)
    path = browse.place.path
    with writing.destination(args.output, "svg" if fmt == "svg" else "table", path) as stream:
        plain = args.ascii or not writing.speaks_unicode(stream)
        browse.drawing = Drawing(ASCII if plain else UNICODE, theme.fill)
        frame = draw(browse, args)
        write_frame(frame, theme, fmt, f"{path.name}: {browse.window.label}", stream)
    return 0


def draw_set(args: argparse.Namespace, fmt: str) -> int:
    """Draw the ranks view of several reports and write it."""
    from tui.app.keys import Keymap
    from tui.browse.drawing import Drawing
    from tui.browse.pages import tab_named
    from tui.browse.ranks.browse import RanksBrowse
    from tui.browse.ranks.frame import draw_ranks, ranks_shape
    from tui.browse.ranks.tabs import RANK_TABS
    from tui.timeline.glyphs import ASCII, UNICODE
    from tui.timeline.style_colours import GROUND, Depth, Theme

    if args.lanes or args.unfold or args.legend:
        raise UsageError("--lanes, --unfold and --legend are of one report; of several --ranks chooses")
    tab = tab_named(args.tab, RANK_TABS)
    if tab is None:
        raise UsageError(f"no tab {args.tab!r}; there are {', '.join(tab.name for tab in RANK_TABS)}")
    paths = rank_view.paths_of(args.inputs, args)
    scene = rank_view.whole_scene(args, paths)
    theme = Theme(Depth(colour_depth(args, fmt)), GROUND if fmt == "svg" else None)
    keymap = Keymap()
    with writing.destination(args.output, "svg" if fmt == "svg" else "table", *paths) as stream:
        plain = args.ascii or not writing.speaks_unicode(stream)
        drawing = Drawing(ASCII if plain else UNICODE, theme.fill)
        browse = RanksBrowse(paths[0], drawing, lambda action: keymap.hint(action, plain))
        browse.tab = tab
        browse.show(scene)
        shape = ranks_shape(*frame_size(args), pane=args.pane == "auto", overlay=args.tab != DEFAULT_TAB)
        write_frame(draw_ranks(browse, shape), theme, fmt, scene.name, stream)
    return 0


def write_frame(frame: Frame, theme: Theme, fmt: str, title: str, stream: TextIO) -> None:
    """Write a frame as ``fmt``; ``title``: what a picture is called."""
    from tui.output.frame_svg import frame_svg
    from tui.output.frame_text import frame_ansi, frame_text

    steady = frame.width <= (terminal.columns(stream) or 0)
    if fmt == "svg":
        stream.write(frame_svg(frame, theme, title))
    elif fmt == "ansi":
        stream.write(frame_ansi(frame, theme, steady=steady))
    else:
        stream.write(frame_text(frame, steady=steady))


def browse_of(args: argparse.Namespace) -> Browse:
    """The explorer's state for what ``args`` choose, its figures worked out."""
    from tui.app.keys import Keymap
    from tui.browse.capture import capture_of
    from tui.browse.drawing import Drawing
    from tui.browse.pages import TABS, tab_named
    from tui.browse.state import Browse, ReportPlace
    from tui.text.times import parse_duration

    min_gap = parse_duration(args.min_gap)
    tab = tab_named(args.tab)
    if tab is None:
        raise UsageError(f"no tab {args.tab!r}; there are {', '.join(tab.name for tab in TABS)}")
    report = opening.open_report(args, getattr(args, "report", args.inputs[0]))
    capture = capture_of(report, partial(scope_of, args=args), args.step, comm=args.comm)
    keymap, plain = Keymap(), args.ascii
    browse = Browse(
        ReportPlace(report.path), Drawing(), lambda action: keymap.hint(action, plain), min_gap_ns=min_gap
    )
    browse.tab = tab
    capture.books(browse.busy, min_gap)
    if capture.untold(browse.busy, min_gap):
        capture.tell(browse.busy, min_gap)
    view = browse.open(capture)
    if args.lanes:
        tree = view.tree.select([name for name in args.lanes.split(",") if name])
        if not tree.roots:
            raise UsageError(f"no lane is called like {args.lanes!r}; without --lanes all are shown")
        view.show_lanes(tree)
    if args.unfold:
        view.unfold_all()
    return browse


def scope_of(report: Report, index: Index, args: argparse.Namespace) -> Scope:
    """The scope that ``args`` choose; a report without events still has a frame, which says so."""
    from tui.analysis.scope import Scope, Window

    if report.span is not None or args.range is not None:
        return opening.scope(report, args, index=index)
    return Scope(Window(0, 1, "empty capture"))


def chosen_format(args: argparse.Namespace) -> str:
    """Return the frame's format: text, ansi or svg."""
    if args.format:
        return str(args.format)
    if args.output != "-":
        return ENDINGS.get(Path(args.output).suffix.lower(), "text")
    if args.colors is None and not terminal.places_cursor(sys.stdout):
        return "text"
    return "text" if terminal.colour_depth(args.colors, os.environ) == "none" else "ansi"


def colour_depth(args: argparse.Namespace, fmt: str) -> str:
    """Return how many colours to use."""
    if fmt == "text":
        return "none"
    return terminal.colour_depth(args.colors, os.environ if fmt == "ansi" else {})


def frame_size(args: argparse.Namespace) -> tuple[int, int]:
    """Return columns and lines of the frame."""
    if args.size:
        return args.size  # type: ignore[no-any-return]
    if args.output == "-" and terminal.stdout_is_terminal():
        here = os.get_terminal_size(sys.stdout.fileno())
        return max(here.columns, SMALLEST[0]), max(here.lines - 1, SMALLEST[1])
    return DEFAULT_SIZE


def draw(browse: Browse, args: argparse.Namespace) -> Frame:
    """Draw the frame in the size that ``args`` ask for; say how many lines of lanes are below it."""
    from tui.browse.frame import draw_frame
    from tui.browse.screen_shape import screen_shape
    from tui.text.numbers import plural

    width, height = frame_size(args)
    shape = screen_shape(width, height, pane=args.pane == "auto", overlay=args.tab != DEFAULT_TAB)
    frame = draw_frame(browse, shape, legend=args.legend)
    view = browse.view
    below = view.below if view is not None and shape.timeline else 0
    if below > 0:
        talk.tell(f"nsystui: {plural(below, 'more line')} of lanes below; a taller --size shows them")
    return frame
