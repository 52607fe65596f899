"""Opening a report, and the part of it that counts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands.shared.talk import tell, tell_doubtful

if TYPE_CHECKING:
    from tui.analysis.scope import Scope
    from tui.report.model import Report


def open_report(args: argparse.Namespace, path: str | None = None) -> Report:
    """Open ``path`` (default: ``args.report``); a slow import shows its progress on a terminal."""
    from tui import report
    from tui.commands.shared.exporting import offer_export
    from tui.commands.shared.progress_bar import ProgressLine

    check_output(args)
    source = Path(path if path is not None else args.report)
    offer_export(source, args.cache_dir)
    said: list[str] = []
    with ProgressLine(sys.stderr) as line:
        opened = report.open_report(
            source,
            cache_dir=args.cache_dir,
            use_store=not args.no_cache,
            progress=line.update,
            tell=said.append,
        )
    for text in said:
        tell(f"nsystui: {text}")
    return opened


def check_output(args: argparse.Namespace) -> None:
    """Raise UsageError for a ``--timeunit`` that there is not, before any work is done."""
    unit = getattr(args, "timeunit", None)
    if unit is not None:
        from tui.output.text_layout import TimeUnit

        TimeUnit.parse(unit)


def scope(report: Report, args: argparse.Namespace, **gap: Any) -> Scope:
    """The devices, processes and window that ``args`` choose; says on stderr what was adjusted.

    What is in no figure at all is said here too: only now it is sure that there will be figures.
    ``gap``: the report's index, and what a gap is for ``gap:K``; see ``make_scope``.
    """
    from tui.analysis.window import make_scope

    chosen = make_scope(
        report, args.range, devices=args.device, processes=args.process, step=args.step, **gap
    )
    tell_doubtful(report)
    if chosen.window.note:
        tell(f"nsystui: {chosen.window.note}")
    return chosen
