"""What the commands about ranks share: the options, judging a set, and writing what comes of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tui.commands.shared import many, options, talk, writing
from tui.errors import NothingThere, UsageError

if TYPE_CHECKING:
    from tui.analysis.table import Table
    from tui.ranks.judged import Judged
    from tui.ranks.rank_set import RankSet
    from tui.ranks.reduce import JudgeOptions


def add_all(parser: argparse.ArgumentParser) -> None:
    """Add the reports and the options that all commands about ranks take."""
    many.add_set(parser, nargs="*")
    options.add_output(parser)


def open_judged(args: argparse.Namespace) -> tuple[many.OpenSet, Judged]:
    """Open the set and judge it. NothingThere where it has no ranks, or nothing in the range."""
    from tui.ranks.reduce import judge

    if not args.inputs:
        raise UsageError("name the REPORTs (or --limits)")
    asked = judge_options(args, args.range)
    opened = many.open_set(args)
    if not opened.ranks.runs:
        if len(opened.paths) == 1:  # one line says it all
            name = opened.paths[0].name
            raise NothingThere(
                f"{name}: no process has GPU work, steps or MPI calls; "
                "nsys profile --trace=cuda,nvtx,mpi adds them"
            )
        opened.tell()
        raise NothingThere("no rank in these reports: no process has GPU work, steps or MPI calls")
    check_step(args, opened.ranks)
    return opened, judge(opened.ranks, asked)


def check_step(args: argparse.Namespace, *sets: RankSet) -> None:
    """Raise NothingThere where ``--step`` names what none of the ``sets`` has."""
    if args.step is None:
        return
    ranks = (rank for made in sets for run in made.runs for rank in run.ranks)
    if not any(len(rank.summary.steps) for rank in ranks):
        raise NothingThere(f"no steps found; no range is called {args.step!r}")


def judge_options(args: argparse.Namespace, text: str | None) -> JudgeOptions:
    """How ``args`` say that a set is judged; ``text``: the range that counts. UsageError for none."""
    from tui.ranks.alignment import Mode
    from tui.ranks.chosen import parse_range
    from tui.ranks.reduce import JudgeOptions
    from tui.text.times import parse_duration

    uncertain = None if args.clock_uncertainty is None else parse_duration(args.clock_uncertainty)
    return JudgeOptions(
        align=Mode(args.align),
        group=args.group,
        anchor_step=args.anchor_step,
        clock_uncertainty_ns=uncertain,
        range=None if text is None else parse_range(text),
    )


def notes_of(opened: many.OpenSet, judged: Judged) -> list[str]:
    """What is to be known of the set and its figures."""
    from tui.ranks.words import run_notes

    return [*opened.notes, *run_notes(judged)]


def write(
    args: argparse.Namespace,
    opened: many.OpenSet,
    *,
    lines: Sequence[str],
    notes: Sequence[str],
    document: Callable[[], Mapping[str, Any]],
    table: Callable[[], Table],
    people: Callable[[], Table],
    one_unit: bool = True,
) -> None:
    """Write a table in the form that ``args`` ask for, then the notes on stderr.

    ``lines``: what was found in words, above the table for people and among the notes of the data formats.
    """
    from tui.output.delimited import write_delimited
    from tui.output.json_text import write_document
    from tui.output.ranks_text import write_set

    fmt = writing.output_format(args)
    with writing.destination(args.output, fmt, *opened.paths) as stream:
        layout = writing.layout(args, stream)
        if fmt == "json":
            write_document(document(), stream)
        elif fmt == "table":
            glance = args.timeunit is None
            shown = table() if args.wide else people()
            write_set(lines, shown, stream, layout, glance=glance, one_unit=one_unit and not args.wide)
        else:
            write_delimited([table()], fmt, stream, layout)
    tell(notes if fmt == "table" else [*lines, *notes], args)


def tell(notes: Sequence[str], args: argparse.Namespace) -> None:
    """Say notes on stderr."""
    from tui.output.text_table import ascii_only
    from tui.text import safe

    for note in notes:
        talk.tell(f"nsystui: {ascii_only(safe(note)) if args.ascii else note}")


def headed(table: Table, heads: Mapping[str, str] | None = None) -> Table:
    """What people see of a table: ``heads``, or its own headings, without columns that say nothing."""
    from tui.ranks.rank_table import for_people

    return for_people(table, heads or {column.key: column.header for column in table.columns})
