"""``nsystui REPORT...``: the explorer; a text overview where stdout is no terminal."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, talk, terminal, writing
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.app.settings import Config

SHORT_WAIT_S = 0.05
"""Seconds in which a report may open without a loading screen."""
LAST_WAIT_S = 2.0
"""Seconds that leaving waits for a cancelled import to remove what it has written."""

EPILOG = """\
With several reports the explorer opens the first; R goes to the next one. ? lists the keys.
Where stdout is no terminal (a pipe, a file, TERM=dumb) an overview of the report is printed instead, of
several what `nsystui ranks` says of them.
A .nsys-rep is exported with the nsys of the PATH, once, into the store; the explorer asks first.

examples:
  nsystui train_0.sqlite
  nsystui train_0.nsys-rep
  nsystui rank0.sqlite rank1.sqlite
  nsystui train_0.sqlite | less
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the explorer."""
    parser.add_argument("reports", metavar="REPORT", nargs="+", help=options.REPORT_HELP)
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add all but the report's path, which `nsystui demo` brings itself."""
    add = parser.add_argument_group("the screen").add_argument
    add("--no-mouse", action="store_true", help="leave the mouse to the terminal (select and copy text)")
    add("--ascii", action="store_true", help="plain ASCII glyphs")
    add(
        "--colors",
        choices=("auto", "truecolor", "256", "16", "none"),
        help="how many colours (default: the terminal's)",
    )
    add(
        "--config", metavar="FILE", type=Path, help="settings (default: $XDG_CONFIG_HOME/nsystui/config.toml)"
    )
    options.add_scope(parser)
    options.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Open the explorer, or print the overview."""
    if not (terminal.places_cursor(sys.stdin) and terminal.places_cursor(sys.stdout)):
        return print_overview(args)
    from tui.app.settings import load_config

    return explore(args, load_config(args.config))


def explore(args: argparse.Namespace, config: Config) -> int:
    """Run the app; the report starts loading before Textual is imported."""
    from tui.browse.loader import Load

    paths = [Path(report) for report in args.reports]
    use_nsys = opening.may_run_nsys(args, paths)
    narrowed = args.range or args.device or args.process

    def load_of(path: Path) -> Load:
        return Load(
            path,
            cache_dir=args.cache_dir,
            use_store=not args.no_cache,
            use_nsys=use_nsys,
            choose=(lambda report, index: opening.choose(report, args, index=index)) if narrowed else None,
            step_name=args.step,
            comm=args.comm,
        )

    gc.disable()  # what is imported now stays: the collector need not scan it again and again
    load = load_of(paths[0]).hold().start()
    depth = terminal.colour_depth(args.colors or config.colors, os.environ)
    systems = {"truecolor": "truecolor", "256": "256", "16": "standard", "none": "standard"}
    os.environ["TEXTUAL_COLOR_SYSTEM"] = systems[depth]  # read once, when Textual is imported
    os.environ.pop("NO_COLOR", None)  # decided above: Textual takes away all colours even where it is empty
    if depth == "none":
        os.environ["NO_COLOR"] = "1"
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")

    from tui.app.app import Explorer
    from tui.app.exporter import EXPORT
    from tui.app.looks import Looks
    from tui.timeline.style_colours import Depth

    ascii_only = args.ascii or config.ascii or not writing.speaks_unicode(sys.stdout)
    early = load.wait(SHORT_WAIT_S)
    if early is not None and early.error is not None and len(paths) == 1:
        raise early.error  # before the screen is touched
    gc.freeze()
    gc.enable()
    app = Explorer(load, paths, config, Looks(Depth(depth), ascii_only), load_of)
    app.run(mouse=config.mouse and not args.no_mouse)
    app.reports.load.cancel()
    app.reports.load.wait(LAST_WAIT_S)
    for news in app.background.finish():
        if news.kind == EXPORT:
            app.crash = app.crash or news.error
            if news.error is None:
                talk.tell(f"nsystui: {news.answer}")
    if app.farewell:
        talk.tell(app.farewell)
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0


def is_set(reports: Sequence[str]) -> bool:
    """Whether these are several reports, or what may stand for several: a folder, or ``@FILE``."""
    return len(reports) > 1 or reports[0].startswith("@") or Path(reports[0]).is_dir()


def print_ranks(args: argparse.Namespace) -> int:
    """Print what `nsystui ranks` says of the reports, with those of its options that are given."""
    from tui.commands import ranks
    from tui.commands.lookup import parser_of

    if args.device or args.process:
        raise UsageError("--device and --process choose within one report; of several --ranks and --host do")
    asked = parser_of("ranks").parse_args(["--", *args.reports])
    for name in ("range", "step", "comm", "ascii", "cache_dir", "no_cache", "no_nsys"):
        setattr(asked, name, getattr(args, name))
    return ranks.run(asked)


def print_overview(args: argparse.Namespace) -> int:
    """Print an overview: busy time, longest gaps with reasons, top kernels, steps; of a set its ranks."""
    if is_set(args.reports):
        return print_ranks(args)
    from tui.analysis.index import Comm, Index
    from tui.analysis.steps import find_steps
    from tui.output.overview_text import write_overview
    from tui.output.sink import stdout_sink
    from tui.output.text_layout import TextLayout

    with stdout_sink("table") as stream:
        plain = args.ascii or not writing.speaks_unicode(stream)
        layout = TextLayout(
            width=terminal.line_width(stream),
            screen=terminal.is_terminal(stream),
            ascii=plain,
            columns=terminal.columns(stream),
        )
        report = opening.open_report(args, args.reports[0])
        index = Index(report, Comm(args.comm), args.step)
        scope = opening.scope(report, args, index=index)
        write_overview(index, scope, find_steps(index, args.step, scope.processes), stream, layout)
    return 0
