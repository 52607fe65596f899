"""``nsystui collectives``: what communication takes, what of it is waiting, and for whom."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.commands.shared import judging, many
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.table import Table

TOP = 40

EPILOG = """\
One row a kind of operation: its communicator, what it does, and the payload of one rank. transfer is what an
operation takes once the last rank is in, the median over the instances; wait is what a rank spends in it
before that, the median over ranks and instances. AlgBW is the payload by the transfer, BusBW the bus
bandwidth of nccl-tests, which compares with the hardware's. exposed is what no computing covers, and cost
what the operations would be shorter had the last rank come with the next to last: both are sums.

"time is" says what the time goes to: transfer (waits are less than a quarter of it), arrival (more than
three quarters), mixed. pinned names the ranks that are last more often than chance explains.

match says how operations of different ranks were found to be one: id (both recorded), sequence (communicator
recorded, counted in order), order (the same names in the same order in one stream of each rank), nearest (in
time). Those without counterparts have match none, and neither transfer nor wait.

Best is for operations without counterparts, as in one report alone: what the fastest instance moved, with
what its rank waited in its time. Sizes and communicators come from the NVTX payloads of NCCL: tables of their
own, JSON or bytes. Most exports leave them out; `nsys export -t sqlite --include-json=true` keeps them.
Tables and bytes are read as they are documented: no file that has them was there to check against.

examples:
  nsystui collectives run.sqlite                    one report: without waits
  nsystui collectives ranks/*.sqlite
  nsystui collectives ranks/ --instances            every operation: who was last, and by how much
  nsystui collectives ranks/ --long -f csv          and every rank that took part in it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui collectives``."""
    add = parser.add_argument_group("rows").add_argument
    add("--instances", action="store_true", help="one row an operation")
    add("--long", action="store_true", help="one row a rank that took part in an operation")
    many.add_top(add, f"the first N rows (default: {TOP} in a table; 0: all)")
    judging.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print the communication of a set."""
    if args.limits:
        return many.print_limits()
    if args.instances and args.long:
        raise UsageError("--instances and --long are two tables: ask for one")
    from tui.output.ranks_json import collectives_document
    from tui.ranks.collective_table import (
        INSTANCE_PEOPLE,
        PEOPLE,
        collectives_table,
        instances_table,
        participants_table,
    )
    from tui.ranks.size_notes import size_notes
    from tui.ranks.words import verdicts

    opened, judged = judging.open_judged(args)
    if not any(run.collectives for run in judged.runs):
        opened.tell()
        if any(len(rank.summary.collectives) for run in judged.runs for rank in run.run.ranks):
            raise NothingThere(f"no communication in {args.range}")
        raise NothingThere(
            "no communication recorded: neither kernels of collectives nor calls of MPI; "
            "nsys profile --trace=cuda,nvtx,mpi records them"
        )
    tables = {table for member in opened.ranks.members if member.summary for table in member.summary.tables}
    notes = [*judging.notes_of(opened, judged), *size_notes(judged, tables)]
    find = collectives_table
    heads: dict[str, str] | None = PEOPLE
    if args.instances:
        find, heads = instances_table, INSTANCE_PEOPLE
    elif args.long:
        find, heads = participants_table, None

    def table() -> Table:
        return find(judged).head(args.top or 0)

    def people() -> Table:
        return judging.headed(find(judged), heads).head(TOP if args.top is None else args.top, "--top 0")

    judging.write(
        args,
        opened,
        lines=verdicts(judged),
        notes=notes,
        document=lambda: collectives_document(
            judged, notes, table() if args.instances or args.long else None
        ),
        table=table,
        people=people,
        one_unit=False,
    )
    return opened.exit_code()
