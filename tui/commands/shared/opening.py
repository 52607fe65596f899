"""Open a report and choose the part of it that counts."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands.shared.talk import said, tell, tell_doubtful
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.report.model import Report
    from tui.report.progress import Progress

ONE = "{name} is a report, not its SQLite export. Export it now with nsys, into nsystui's cache? [Y/n] "
SOME = (
    "{name} and {more} more are reports, not SQLite exports. Export each with nsys when it is opened? [Y/n] "
)

PATIENCE = 0.5
"""Seconds before any progress is shown: a quick import shows none."""
INTERVAL = 0.1
"""Seconds between two updates."""


def open_report(args: argparse.Namespace, path: str | None = None) -> Report:
    """Open ``path`` (default: ``args.report``); a slow import shows its progress on a terminal."""
    from tui import report

    if not gc.isenabled():  # all that takes long to import is there
        gc.freeze()
        gc.enable()
    source = Path(path if path is not None else args.report)
    messages: list[str] = []
    with progress_line() as show:
        opened = report.open_report(
            source,
            cache_dir=args.cache_dir,
            use_store=not args.no_cache,
            use_nsys=not args.no_nsys,
            progress=show,
            tell=messages.append,
        )
    for text in messages:
        tell(f"nsystui: {text}")
    return opened


def may_run_nsys(args: argparse.Namespace, paths: Sequence[Path]) -> bool:
    """Ask whether nsys may export those of ``paths`` that can't be opened otherwise; no where none can't.

    Without a terminal or nsys nothing is asked, and the answer is no: opening says which command to run.
    """
    if args.no_nsys or sys.stderr is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from tui.report.exported import may_need_nsys
    from tui.text import safe

    use_store = not args.no_cache
    reports = [path for path in paths if may_need_nsys(path, args.cache_dir, use_store=use_store)]
    if not reports:
        return False
    question = ONE if len(reports) == 1 else SOME
    text = question.format(name=safe(reports[0].name), more=len(reports) - 1)
    print(f"nsystui: {text}", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().lower() in ("\n", "y\n", "yes\n")  # at the end of input: no


@contextmanager
def progress_line() -> Iterator[Callable[[Progress], None]]:
    """Yield what shows an import's progress: one line on a terminal's stderr, cleared at the end."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    due, shown = time.monotonic() + PATIENCE, False

    def show(progress: Progress) -> None:
        nonlocal due, shown
        now = time.monotonic()
        if not terminal or now < due:
            return
        due, shown = now + INTERVAL, True
        text = f"reading {progress.stage}{progress.share and f': {progress.share}'}"
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def choose(report: Report, args: argparse.Namespace, **gap: Any) -> Scope:
    """Return the devices, processes and window that ``args`` choose.

    ``gap``: the report's index, and what a gap is for ``gap:K``; see ``make_scope``.
    """
    from tui.analysis.window import make_scope

    return make_scope(report, args.range, devices=args.device, processes=args.process, step=args.step, **gap)


def scope(report: Report, args: argparse.Namespace, **gap: Any) -> Scope:
    """Like :func:`choose`, and say on stderr what was adjusted and how many rows are in no figure.

    Those rows are said only here, where it is sure that there will be figures.
    """
    chosen = choose(report, args, **gap)
    tell_doubtful(report, getattr(args, "say", None))
    if chosen.window.note:
        said(args, chosen.window.note)
    return chosen


def open_scope(args: argparse.Namespace, **default: Any) -> tuple[Index, Scope]:
    """Open ``args.report``; return its index and what ``args`` choose, by default the work window.

    ``default``: another default; see ``make_scope``.
    """
    from tui.analysis.index import Comm, Index

    report = open_report(args)
    index = Index(report, Comm(args.comm), args.step)
    return index, scope(report, args, index=index, **default)


def open_everything(args: argparse.Namespace) -> tuple[Index, Scope]:
    """Open ``args.report``; return its index and what ``args`` choose, by default everything recorded."""
    from tui.analysis.work_window import recorded_window

    return open_scope(args, default=recorded_window)


def open_filtered(args: argparse.Namespace) -> tuple[Index, Scope]:
    """Like :func:`open_everything`, for commands that take the filters of nsys, too."""
    from dataclasses import replace

    from tui.analysis.filters import nvtx_filter, time_filter

    if args.range is not None and (args.filter_time or args.filter_nvtx):
        raise UsageError("--range and the filters of nsys can't be asked for together")
    index, chosen = open_everything(args)
    if args.filter_nvtx is not None:
        chosen = nvtx_filter(index, chosen, args.filter_nvtx)
    elif args.filter_time is not None:
        chosen = replace(chosen, window=time_filter(index.report, args.filter_time))
    return index, chosen
