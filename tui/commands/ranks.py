"""``nsystui ranks``: which rank is late, why, and what the others lose by it; one row a rank."""

from __future__ import annotations

import argparse

from tui.commands.shared import judging, many
from tui.errors import NothingThere, UsageError

TOP = 32

EPILOG = """\
The first line is the verdict. pinned: one rank, host or place on every host is the last one in far more
collectives than chance explains, and costs a percent of the time or more; what its steps hold more of than
those of the others is on the next line. rotating: waiting costs as much, but whoever is last changes. even:
less than a percent. unresolved: too few collectives to compare, or margins that may be chance.

All participants of an all-reduce (all-gather, reduce-scatter, all-to-all, barrier) end together, so the one
that is in it for the shortest time came last. Its time is the transfer, the rest of the others' is waiting:
no clock is needed for that.

A row is the usual step of a rank, the mean of the middle half of its steps by duration; warm-up and
unfinished steps are left out. step = compute + transfer + wait + copies + other + unknown + idle, where
transfer and wait are what no computing covers, and communication that has no counterpart is neither
(exposed_unsplit). own is the step without the waiting: by it the ranks of one job differ, for all
their steps last as long as that of the slowest. last says in how many collectives the rank was the last
one in. Of ranks without GPU work the communication is MPI calls, and the rest of the step is the host's.

A table lists the rank first that the others waited for most; csv, tsv and json are by rank, with all columns.

examples:
  nsystui ranks ranks/*.sqlite
  nsystui ranks ranks/ --range step:5..20
  nsystui ranks ranks/ --by host
  nsystui ranks ranks/ --clocks
  nsystui ranks ranks/ -f json | jq .straggler
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui ranks``."""
    add = parser.add_argument_group("ranks").add_argument
    add("--by", choices=("host", "position"), help="one row a host, or a place on the host (local rank)")
    add(
        "--clocks", action="store_true", help="one row a report: how its clock was brought to the common axis"
    )
    many.add_top(add, f"the first N rows (default: {TOP} in a table; 0: all)")
    judging.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print the ranks of a set."""
    if args.limits:
        return many.print_limits()
    if args.by and args.clocks:
        raise UsageError("--by and --clocks can't be asked for together")
    return print_ranks(args, by=args.by, clocks=args.clocks, top=args.top)


def print_ranks(
    args: argparse.Namespace, *, by: str | None = None, clocks: bool = False, top: int | None = None
) -> int:
    """Print the verdict and the table of ranks (hosts, positions, clocks)."""
    from tui.analysis.table import Table
    from tui.output.json_text import records
    from tui.output.ranks_json import ranks_document
    from tui.ranks.clock_table import clock_table
    from tui.ranks.group_table import group_heads, group_of, group_table
    from tui.ranks.rank_table import PEOPLE, by_lateness, rank_table
    from tui.ranks.words import verdicts

    opened, judged = judging.open_judged(args)
    if by and all(group_of(row, by) is None for run in judged.runs for row in run.rows):
        opened.tell()
        what = "host" if by == "host" else "place on its host (LOCAL_RANK, SLURM_LOCALID, ...)"
        raise NothingThere(f"no report says the {what}")
    notes = judging.notes_of(opened, judged)
    lines = [] if clocks else verdicts(judged, efficiency=True)
    heads = None if clocks else group_heads(by) if by else PEOPLE

    def table() -> Table:
        found = clock_table(judged) if clocks else group_table(judged, by) if by else rank_table(judged)
        return found.head(top or 0)

    def people() -> Table:
        found = table() if clocks or by else rank_table(judged, by_lateness(judged))
        return judging.headed(found, heads).head(TOP if top is None else top, "--top 0")

    def document() -> dict[str, object]:
        made = ranks_document(judged, [*lines, *notes], table() if by else None)
        return {**made, "clocks": records(table())} if clocks else made

    judging.write(
        args,
        opened,
        lines=lines,
        notes=notes,
        document=document,
        table=table,
        people=people,
        one_unit=not clocks,
    )
    return opened.exit_code()
