"""The summaries of all ranks of a set as one, for `nsystui stats --pool`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui.commands.shared import each_rank, many, writing
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.pooling import Pool
    from tui.analysis.table import Table

Tables = Callable[[argparse.Namespace], list["Table"]]
"""Makes the tables of ``args.report``; NothingThere where none has rows."""


def answer_pooled(args: argparse.Namespace, tables: Tables, order: Sequence[str]) -> int:
    """Pool the tables of every rank of ``args.inputs`` and write them; returns the exit code."""
    from tui.analysis.pooling import Pool, poolable

    opened = many.open_set(args)
    parts = each_rank.in_own_times(args, opened, each_rank.parts_of(opened.ranks, split=True))
    pools: dict[str, Pool] = {}
    names: list[str] = []
    unfit: set[str] = set()

    def collect(own: argparse.Namespace, part: each_rank.Part) -> None:
        for table in tables(own):
            if poolable(table):
                pools.setdefault(table.name, Pool()).add(table)
            else:
                unfit.add(table.name)
        names.append(part.name)

    with many.spooled():
        each_rank.visit(args, opened, parts, collect)
    if unfit and (args.reports or not pools):
        listed = ", ".join(name for name in order if name in unfit)
        raise UsageError(f"{listed}: there are no sums of values to pool; without --pool each rank is listed")
    opened.tell()
    found = [pools[name] for name in order if name in pools]
    if not found:
        raise NothingThere("no rank holds any of the data that these reports need")
    made = [pool.histogram() if args.hist else pool.table() for pool in found]
    head = {"ranks": names, "notes": opened.notes, "broken": opened.broken}
    writing.write_pooled(made, head, args, opened.paths)
    return opened.exit_code()
