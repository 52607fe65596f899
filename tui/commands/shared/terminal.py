"""What the terminal at the other end can do, as far as its streams and the environment tell."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import TextIO

_256 = ("xterm-kitty", "alacritty", "foot", "wezterm", "ghostty")
_COLOURED = ("xterm", "screen", "tmux", "rxvt", "linux")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether ``stream`` is a terminal, of whatever kind."""
    return stream is not None and stream.isatty()


def places_cursor(stream: TextIO | None) -> bool:
    """Whether ``stream`` is a terminal that acts on control sequences."""
    return os.environ.get("TERM", "") not in ("dumb", "") and is_terminal(stream)


def columns(stream: TextIO | None) -> int | None:
    """Return how many columns the terminal at ``stream`` has; None where there is none with a cursor."""
    if not places_cursor(stream):
        return None
    assert stream is not None
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def line_width(stream: TextIO | None) -> int | None:
    """Return how many cells a line may take on ``stream``; None where it is no terminal.

    COLUMNS of the environment is about a terminal: what goes into a file or a pipe is never cut for it.
    """
    return max(20, shutil.get_terminal_size().columns) if is_terminal(stream) else None


def stdout_is_terminal() -> bool:
    """Whether stdout is a terminal."""
    return is_terminal(sys.stdout)


def colour_depth(asked: str | None, environ: Mapping[str, str]) -> str:
    """Return ``truecolor``, ``256``, ``16`` or ``none``: as ``asked`` for, else as the environment says.

    None and ``auto`` ask for nothing. NO_COLOR counts unless it is empty, then COLORTERM, then TERM. Without
    TERM there is no terminal to speak of, and what takes the text has every colour.
    """
    if asked not in (None, "auto"):
        return str(asked)
    if environ.get("NO_COLOR"):
        return "none"
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "truecolor"
    term = environ.get("TERM", "")
    if not term:
        return "truecolor"
    if "256color" in term or term.startswith(_256):
        return "256"
    return "16" if "color" in term or term.startswith(_COLOURED) else "none"
