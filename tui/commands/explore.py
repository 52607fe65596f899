"""``nsystui REPORT...``: the explorer; a text overview where stdout is no terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands import common

if TYPE_CHECKING:
    from tui.app.config import Config

NAME = "explore"
SUMMARY = "explore a report on the screen (the default command)"

EPILOG = """\
With several reports the explorer opens the first; R goes to the next one. ? lists the keys.
Where stdout is no terminal (a pipe, a file, TERM=dumb) an overview of each report is printed instead.

examples:
  nsystui train_0.sqlite
  nsystui rank0.sqlite rank1.sqlite
  nsystui train_0.sqlite | less
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the explorer."""
    parser.epilog = EPILOG
    common.add_report(parser, many=True)
    group = parser.add_argument_group("the screen")
    group.add_argument(
        "--no-mouse", action="store_true", help="leave the mouse to the terminal (select and copy text)"
    )
    group.add_argument("--ascii", action="store_true", help="plain ASCII glyphs")
    group.add_argument(
        "--colors",
        choices=("auto", "truecolor", "256", "16", "none"),
        help="how many colours (default: the terminal's)",
    )
    group.add_argument(
        "--config", metavar="FILE", type=Path, help="settings (default: $XDG_CONFIG_HOME/nsystui/config.toml)"
    )
    common.add_store(parser)


def run(args: argparse.Namespace) -> int:
    """Open the explorer, or print the overview."""
    if not is_terminal():
        return print_overview(args)
    from tui.app.config import load_config

    config = load_config(args.config)
    return explore(args, config)


def is_terminal() -> bool:
    """Whether there is a screen to explore on: a terminal both ways that can place its cursor."""
    streams = (sys.stdin, sys.stdout)
    return all(s is not None and s.isatty() for s in streams) and os.environ.get("TERM") not in (
        "dumb",
        "",
        None,
    )


def colour_depth(asked: str, environ: Mapping[str, str]) -> str:
    """``truecolor``, ``256``, ``16`` or ``none``: what was asked for, else what the environment says."""
    if asked != "auto":
        return asked
    if environ.get("NO_COLOR"):
        return "none"
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "truecolor"
    term = environ.get("TERM", "")
    if "256color" in term or term.startswith(("xterm-kitty", "alacritty", "foot", "wezterm", "ghostty")):
        return "256"
    return (
        "16" if "color" in term or term.startswith(("xterm", "screen", "tmux", "rxvt", "linux")) else "none"
    )


def explore(args: argparse.Namespace, config: Config) -> int:
    """Run the app. The report starts loading before Textual is imported."""
    from tui.app.loader import Load

    paths = [Path(report) for report in args.reports]

    def load_of(path: Path) -> Load:
        return Load(path, cache_dir=args.cache_dir, use_store=not args.no_cache)

    load = load_of(paths[0]).start()
    depth = colour_depth(args.colors or config.colors, os.environ)
    systems = {"truecolor": "truecolor", "256": "256", "16": "standard", "none": "standard"}
    os.environ["TEXTUAL_COLOR_SYSTEM"] = systems[depth]  # read once, when Textual is imported
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")

    from tui.app.app import Explorer
    from tui.app.looks import Looks
    from tui.timeline.theme import Depth

    ascii_only = args.ascii or config.ascii or not common.speaks_unicode(sys.stdout)
    app = Explorer(load, paths, config, Looks(Depth(depth), ascii_only), load_of)
    app.run(mouse=config.mouse and not args.no_mouse)
    load.cancel()
    if app.farewell:
        common.tell(app.farewell)
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0


def print_overview(args: argparse.Namespace) -> int:
    """The overview of each report on stdout."""
    raise NotImplementedError
