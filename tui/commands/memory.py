"""``nsystui memory``: how much memory programs allocated, when, and who did."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table

EPILOG = """\
Alive is what was allocated and not yet released, by address: a release without an allocation and an
allocation at an address that is alive are doubtful, and said; what is never released is alive to the end.
In use on a GPU is device memory and arrays; managed memory moves, static memory comes with the code, pinned
and pageable memory is the host's and has no device. Growth is the median slope (Theil-Sen) of the bytes
alive when steps begin, of ten steps or more. Exports with memory pools are read as NVIDIA documents them;
none was at hand: unverified.

examples:
  nsystui memory run.sqlite                  by device, process and kind
  nsystui memory run.sqlite --at peak        what was in use at each GPU's peak, and who allocated it
  nsystui memory run.sqlite --at 1.5s        what was alive at that time, the host's too
  nsystui memory run.sqlite --series --every 10ms -f csv
"""
TOP = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui memory``."""
    options.add_report(parser)
    what = parser.add_argument_group("instead of a row a kind").add_mutually_exclusive_group()
    what.add_argument("--at", metavar="peak|TIME", help="the allocations alive at the peak, or at a time")
    what.add_argument("--series", action="store_true", help="the bytes alive over time, at each change")
    what.add_argument("--pools", action="store_true", help="one row a memory pool")
    parser.add_argument(
        "--every", metavar="TIME", help="with --series: the most in each stretch of this length"
    )
    parser.add_argument(
        "--top",
        type=int,
        metavar="N",
        help=f"with --at: the N largest, 0: all (default: {TOP} as a table, else all)",
    )
    options.add_all(parser, default=options.EVERYTHING)


def run(args: argparse.Namespace) -> int:
    """Print one row a (device, process, kind), or what --at, --series or --pools ask for."""
    from tui.analysis.captured import lacking
    from tui.analysis.kinds.memory import ALLOCATIONS, POOLS
    from tui.analysis.memory.lifetimes import lifetimes
    from tui.analysis.memory.tables import pool_table, usage_table

    every = _every(args)
    time = _time(args)
    index, scope = opening.open_everything(args)
    name = index.report.path.name
    if args.pools:
        table = pool_table(index, scope)
        if not len(table) and len(lifetimes(index)):
            raise NothingThere(f"{name}: no memory pool was used: nothing was allocated by cudaMallocAsync")
        if not len(table):
            raise NothingThere(lacking(index.report, POOLS))
    elif not len(lifetimes(index)):
        raise NothingThere(lacking(index.report, ALLOCATIONS))
    else:
        table = _table(index, scope, args, time, every)
        if not len(table) and not len(usage_table(index, scope)):
            raise NothingThere(f"{name}: no memory was allocated by what was chosen")
        if not len(table):
            raise NothingThere(f"{name}: no memory was alive then")
    return _write(index, scope, table, args)


def _every(args: argparse.Namespace) -> int | None:
    from tui.text.times import parse_duration

    if args.top is not None and (args.top < 0 or args.at is None):
        raise UsageError(f"--top {args.top} is negative" if args.top < 0 else "--top goes with --at")
    if args.every is None:
        return None
    if not args.series:
        raise UsageError("--every goes with --series")
    every = parse_duration(args.every)
    if every <= 0:
        raise UsageError(f"--every {args.every} is no length of time")
    return every


def _time(args: argparse.Namespace) -> int | None:
    from tui.text.times import parse_time

    return None if args.at in (None, "peak") else parse_time(args.at)


def _table(
    index: Index, scope: Scope, args: argparse.Namespace, time: int | None, every: int | None
) -> Table:
    from tui.analysis.memory.tables import alive_table, series_table, usage_table
    from tui.analysis.scope import bounds_text

    if time is not None and not scope.window.start <= time <= scope.window.end:
        raise UsageError(f"--at {args.at} is outside {scope.window.label}; {bounds_text(index.report)}")
    if args.at is not None:
        return alive_table(index, scope, time)
    if every is not None and scope.window.length // every > MOST_ROWS:
        raise UsageError(f"--every {args.every} makes more than {MOST_ROWS:,} rows; take a longer time")
    return series_table(index, scope, every) if args.series else usage_table(index, scope)


MOST_ROWS = 10_000_000


def _write(index: Index, scope: Scope, table: Table, args: argparse.Namespace) -> int:
    from tui.output.text_table import readable

    fmt = writing.output_format(args)
    if fmt == "json":
        writing.write_document(_document(index, scope, table, args), index.report, args)
        return 0
    top = args.top if args.top is not None else TOP if fmt == "table" else 0
    if args.at is not None and top:
        table = table.head(top, "--top 0")
    if fmt == "table" and args.timeunit is None:
        table = readable(table)
    writing.write_tables([table], index.report, scope, args)
    return 0


def _document(index: Index, scope: Scope, table: Table, args: argparse.Namespace) -> dict[str, Any]:
    from tui.analysis.memory.lifetimes import lifetimes
    from tui.analysis.memory.tables import device_documents, pool_table, usage_notes
    from tui.output.json_text import head, records

    found = lifetimes(index)
    shown = table if args.top is None else table.head(args.top)
    plain = replace(shown, note=None)
    notes = usage_notes(index, scope) if args.at is None and not args.series else [table.note or ""]
    return {
        **head(index.report, scope),
        "coverage": {
            "events": found.events,
            "allocations": len(found),
            "doubtful": sum(doubt.count for doubt in found.doubtful),
        },
        "rows": records(plain),
        "devices": device_documents(index, scope),
        "pools": records(pool_table(index, scope)),
        "notes": [note for note in notes if note],
    }
