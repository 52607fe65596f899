"""``nsystui view``: one frame of the timeline as text, ANSI or a picture."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, writing
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.analysis.scope import Scope, Window
    from tui.report.model import Report
    from tui.timeline.frame import Frame
    from tui.timeline.glyphs import Glyphs
    from tui.timeline.theme import Theme

NAME = "view"
SUMMARY = "one frame of the timeline as text, ANSI colours or SVG"
FORMATS = ("text", "ansi", "svg")
ENDINGS = {".svg": "svg", ".ans": "ansi", ".ansi": "ansi"}
COLORS = ("truecolor", "256", "16", "none")
DEFAULT_SIZE = (160, 48)
LEAST, MOST = (40, 8), (1000, 1000)

EPILOG = """\
examples:
  nsystui view run.sqlite                              the whole capture, as wide as the terminal
  nsystui view run.sqlite --range step:3 --size 120x34
  nsystui view run.sqlite --range gap:1 -o gap.svg     a picture, for a report of your own
  nsystui view run.sqlite --lanes gpu0,nvtx --ascii    only these lanes, in plain ASCII
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
    from tui.analysis.window import parse_duration

    min_gap = parse_duration(args.min_gap)
    fmt = chosen_format(args)
    report = opening.open_report(args)
    scope = scope_of(report, args)

    from tui.timeline.glyphs import ASCII, UNICODE
    from tui.timeline.theme import GROUND, Depth, Theme

    theme = Theme(Depth(colors(args, fmt)), GROUND if fmt == "svg" else None)
    with writing.destination(args.output, "svg" if fmt == "svg" else "table", report.path) as stream:
        plain = args.ascii or not writing.speaks_unicode(stream)
        glyphs = ASCII if plain else UNICODE
        frame = draw_frame(report, scope, args, glyphs, theme, min_gap)
        stream.write(written(frame, fmt, theme, f"{report.path.name}: {scope.window.label}"))
    return 0


def scope_of(report: Report, args: argparse.Namespace) -> Scope:
    """What ``args`` choose; a report without events still has a frame, which says so."""
    from tui.analysis import scope as scopes

    if report.span is not None or args.range is not None:
        return opening.scope(report, args)
    return scopes.Scope(scopes.Window(0, 1, "empty capture"))


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


def draw_frame(
    report: Report, scope: Scope, args: argparse.Namespace, glyphs: Glyphs, theme: Theme, min_gap: int
) -> Frame:
    """The frame that ``args`` ask for."""
    from tui.analysis.index import Index
    from tui.analysis.steps import find_steps
    from tui.timeline.causes import gap_marks, step_marks
    from tui.timeline.frame import DrawOptions, Scene, draw, header_line, screen_layout, title_width
    from tui.timeline.lanes import build_lanes
    from tui.timeline.naming import report_title
    from tui.timeline.overview import collect, overview
    from tui.timeline.viewport import Viewport

    index = Index(report)
    steps = find_steps(index, args.step, scope.processes)
    figures = collect(index, scope, min_gap, steps)
    tree = build_lanes(report).within(scope.devices, scope.processes)
    if args.lanes:
        tree = tree.select([name for name in args.lanes.split(",") if name])
        if not tree.roots:
            raise UsageError(f"no lane is called like {args.lanes!r}; without --lanes all are shown")
    lines = tree.lines(frozenset() if args.unfold else tree.folded_first)
    columns, rows = shape_of(args)
    shape = screen_layout(columns, rows, title_width(lines), pane=args.pane == "auto")
    window = scope.window
    marks = {g.device.index: gap_marks(g, b) for g, b in zip(figures.gaps, figures.blame, strict=True)}
    options = DrawOptions(glyphs=glyphs, fill=theme.fill, gaps=marks)
    scene = Scene(
        tree=tree,
        lines=lines,
        viewport=Viewport.fit(window.start, window.end, shape.time),
        span=map_span(report, window),
        header=header_line(
            report_title(report), window.label, window.length, figures.shares, columns, window.chosen
        ),
        options=options,
        devices=[index.coverage(b.device.index) for b in figures.busy],
        steps=step_marks(report, steps),
        pane=overview(figures, shape.pane, rows - 2, glyphs, fill=theme.fill) if shape.pane else (),
    )
    return draw(scene, shape)


def map_span(report: Report, window: Window) -> tuple[int, int]:
    """What the map shows: the device work, and the window where that reaches further."""
    first, last = report.op_span or report.span or (window.start, window.end)
    return min(first, window.start), max(last, window.end)


def written(frame: Frame, fmt: str, theme: Theme, title: str) -> str:
    """The frame in its format."""
    from tui.output.frame_svg import frame_svg
    from tui.output.frame_text import frame_ansi, frame_text

    if fmt == "svg":
        return frame_svg(frame, theme, title)
    return frame_ansi(frame, theme) if fmt == "ansi" else frame_text(frame)
