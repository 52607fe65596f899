"""``nsystui REPORT...``: the explorer; a text overview where stdout is no terminal."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, rank_view, talk, terminal, writing
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.app.settings import Config

SHORT_WAIT_S = 0.05
"""Seconds in which a report may open without a loading screen."""
LAST_WAIT_S = 2.0
"""Seconds that leaving waits for a cancelled import to remove what it has written."""

EPILOG = """\
Without a report the reports below the working directory are listed, the latest first, to choose from.
Several reports (or a folder, or @FILE) open as one thing: a row a rank on one time axis, with who is late and
why; R goes from there to each report and back. One report opens by itself; R shows its ranks where it holds
several. ? lists the keys.
Where stdout is no terminal (a pipe, a file, TERM=dumb) an overview of the report is printed instead, of
several what `nsystui ranks` says of them.
A .nsys-rep is exported with the nsys of the PATH, once, into the store; the explorer asks first.

examples:
  nsystui train_0.sqlite
  nsystui train_0.nsys-rep
  nsystui ranks/*.sqlite
  nsystui train_0.sqlite | less
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the explorer."""
    parser.add_argument("reports", metavar="REPORT", nargs="*", help=options.REPORT_HELP)
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
    rank_view.add_options(parser)
    options.add_scope(parser)
    options.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Open the explorer, or print the overview."""
    if not (terminal.places_cursor(sys.stdin) and terminal.places_cursor(sys.stdout)):
        if not args.reports:
            raise UsageError("which report? without a terminal to choose on, name one (see `nsystui --help`)")
        return print_overview(args)
    from tui.app.settings import load_config

    config = load_config(args.config)
    if not args.reports:
        args.reports = pick_reports(args, config)
    return explore(args, config) if args.reports else 0


def pick_reports(args: argparse.Namespace, config: Config) -> list[str]:
    """Let the user choose from the reports below the working directory; none where the user leaves."""
    from tui.browse.found_reports import find_reports

    folder = Path.cwd()
    found = find_reports(folder)
    if not found:
        raise UsageError(f"no reports below {folder}: name one, or see `nsystui demo`")
    depth = prepare_textual(args, config)
    from tui.app.looks import Looks
    from tui.app.picker import pick
    from tui.timeline.style_colours import Depth

    looks = Looks(Depth(depth), plain(args, config))
    mouse = config.mouse and not args.no_mouse
    return [str(path) for path in pick(folder, found, looks, args.cache_dir, mouse)]


def plain(args: argparse.Namespace, config: Config) -> bool:
    """Whether only ASCII may reach the screen."""
    return bool(args.ascii or config.ascii or not writing.speaks_unicode(sys.stdout))


def prepare_textual(args: argparse.Namespace, config: Config) -> str:
    """Say how many colours there are before Textual is imported, which reads it once; return that too."""
    depth = terminal.colour_depth(args.colors or config.colors, os.environ)
    systems = {"truecolor": "truecolor", "256": "256", "16": "standard", "none": "standard"}
    os.environ["TEXTUAL_COLOR_SYSTEM"] = systems[depth]
    os.environ.pop("NO_COLOR", None)  # decided above: Textual takes away all colours even where it is empty
    if depth == "none":
        os.environ["NO_COLOR"] = "1"
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    return str(depth)


def explore(args: argparse.Namespace, config: Config) -> int:
    """Run the app; the report starts loading before Textual is imported."""
    from tui.browse.loader import Load

    paths = rank_view.paths_of(args.reports, args)
    as_set = len(paths) > 1 or args.by_rank
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
    load = load_of(paths[0]) if as_set else load_of(paths[0]).hold().start()
    if as_set:
        rank_view.refuse_parts(args)
        prepare_workers()
    depth = prepare_textual(args, config)

    from tui.app.app import Explorer
    from tui.app.exporter import EXPORT
    from tui.app.looks import Looks
    from tui.timeline.style_colours import Depth

    ascii_only = plain(args, config)
    early = None if as_set else load.wait(SHORT_WAIT_S)
    if early is not None and early.error is not None:
        raise early.error  # before the screen is touched
    gc.freeze()
    gc.enable()
    looks, set_of = Looks(Depth(depth), ascii_only), partial(rank_view.set_load, args, paths, use_nsys)
    app = Explorer(load, paths, config, looks, load_of, ranks=set_of() if as_set else None, set_of=set_of)
    app.run(mouse=config.mouse and not args.no_mouse)
    app.reports.load.cancel()
    if app.sets is not None:
        app.sets.load.cancel()
        app.sets.load.wait(LAST_WAIT_S)
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


def prepare_workers() -> None:
    """Make ready for the processes that read a set's reports, while stderr is still a file."""
    from tui.ranks.pool import prepare

    prepare()


def print_ranks(args: argparse.Namespace) -> int:
    """Print what `nsystui ranks` says of the reports, with those of its options that are given."""
    from tui.commands import ranks

    rank_view.refuse_parts(args)
    parser = argparse.ArgumentParser()
    ranks.add_arguments(parser)
    asked = parser.parse_args(["--", *args.reports])
    for name, value in vars(args).items():
        if name in vars(asked):  # the options that both have
            setattr(asked, name, value)
    return ranks.run(asked)


def print_overview(args: argparse.Namespace) -> int:
    """Print an overview: busy time, longest gaps with reasons, top kernels, steps; of a set its ranks."""
    if rank_view.may_be_set(args.reports) or args.by_rank:
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
