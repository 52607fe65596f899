"""A command that answers about one report answers about each of a set: one report is open at a time.

Tables get leading columns that name the rank; JSON is a list of what the command says of one report. What a
report lacks is a note, and no error as long as another one has it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tui.commands.shared import many, talk, writing
from tui.errors import CheckFailed, NothingThere, NsystuiError, ReportError, UsageError

if TYPE_CHECKING:
    from tui.analysis.table import Column, Table
    from tui.commands.shared.over_ranks import OverRanks
    from tui.output.text_layout import TextLayout
    from tui.ranks.rank_set import Rank, RankSet


ALIKE = 4
"""So many reports that lack the same are told in one line."""


@dataclass(frozen=True)
class Part:
    """One report of a set, or one rank of it."""

    path: Path
    run: str | None
    """The run's id; None where the set has one run."""
    ranks: tuple[Rank, ...]
    pids: tuple[int, ...] | None
    """The processes that count; None: all of the report."""
    range: str | None = None
    """The range of the common axis in times of the report, instead of the one that was asked for."""

    @property
    def name(self) -> str:
        """What it is called: the numbers or names of its ranks."""
        return ",".join(rank.name for rank in self.ranks)

    @property
    def words(self) -> str:
        """What notes call it."""
        ranks = f"rank {self.name}" if len(self.ranks) == 1 else f"ranks {self.name}"
        return f"run {self.run}, {ranks}" if self.run is not None else ranks

    @property
    def host(self) -> str | None:
        """The host of its ranks; None where it is not recorded."""
        return next((rank.host for rank in self.ranks), None)

    def arguments(self, args: argparse.Namespace, say: Callable[[str], None]) -> argparse.Namespace:
        """``args`` as if the command were about this part alone; what it says goes to ``say``."""
        own: dict[str, Any] = {"report": str(self.path), "say": say}
        if self.range is not None:
            own["range"] = self.range
        asked = getattr(args, "process", None)
        if self.pids is not None:
            own["process"] = [pid for pid in self.pids if not asked or pid in asked]
            if not own["process"]:
                raise NothingThere(f"{self.path.name}: its processes are not among those of --process")
        return argparse.Namespace(**{**vars(args), **own})

    def head(self) -> dict[str, Any]:
        """What JSON says of it before the command's own."""
        ids: list[int | str] = [rank.name if rank.number is None else rank.number for rank in self.ranks]
        run = {} if self.run is None else {"run": self.run}
        return {**run, **({"rank": ids[0]} if len(ids) == 1 else {"ranks": ids}), "host": self.host}


@dataclass(frozen=True)
class Answer:
    """What a command says of one report."""

    tables: Iterable[Table]
    document: Callable[[], Mapping[str, Any]] | None = None
    """Its JSON, unless ``write`` writes it."""
    write: Callable[[Mapping[str, Any], TextIO], None] | None = None
    """Writes its JSON after these members, without holding it as a whole."""
    failed: str | None = None
    """The check that it did not pass."""


Answering = Callable[[argparse.Namespace], Answer]
"""Answers about ``args.report``; NothingThere where it holds none of what was asked."""


def parts_of(made: RankSet, *, split: bool) -> list[Part]:
    """The parts of a set by run and rank; ``split``: each rank of a report is a part of its own.

    A report that some ranks were chosen of is narrowed to their processes.
    """
    parts = []
    for number, run in enumerate(made.runs, 1):
        label = (run.label or str(number)) if len(made.runs) > 1 else None
        members: dict[int, list[Rank]] = {}
        for rank in run.ranks:
            members.setdefault(rank.member, []).append(rank)
        done = set()
        for rank in run.ranks:
            mine = [rank] if split else members[rank.member]
            if rank.member in done and not split:
                continue
            done.add(rank.member)
            all_ranks = len(mine) == len(made.report_of(rank).ranks)
            pids = None if all_ranks else tuple(one.summary.pid for one in mine)
            parts.append(Part(made.members[rank.member].path, label, tuple(mine), pids))
    return parts


def in_own_times(args: argparse.Namespace, opened: many.OpenSet, parts: Sequence[Part]) -> list[Part]:
    """The parts with the stretch of time that `--range` means on the common axis in times of each."""
    start, slash, end = (getattr(args, "range", None) or "").strip().partition("/")
    if not slash or start.startswith(("step:", "nvtx:", "gap:")) or not (start.strip() or end.strip()):
        return [*parts]
    from tui.ranks.own_ranges import own_ranges
    from tui.text.times import parse_time

    low, high = (parse_time(text) if text.strip() else None for text in (start, end))
    found, notes = own_ranges(opened.ranks, (low, high))
    opened.notes += notes
    bounds = (found[part.ranks[0].member, part.ranks[0].summary.pid] for part in parts)
    texts = ("/".join("" if at is None else str(at) for at in one) for one in bounds)
    return [replace(part, range=text) for part, text in zip(parts, texts, strict=True)]


def answer_each(
    args: argparse.Namespace,
    answering: Answering,
    *,
    split: bool,
    host: bool = False,
    order: Sequence[str] = (),
    glance: bool = False,
    to_files: bool = False,
    over: Callable[[argparse.Namespace, many.OpenSet], OverRanks | None] | None = None,
) -> int:
    """Answer about every report of ``args.inputs``, and return the exit code.

    ``split``: about each rank; ``host``: with a column of hosts; ``order``: of the tables, by name;
    ``glance``: times in a text in the unit that suits each, unless one is asked for; ``to_files``: `-o` may
    be a basename; ``over``: what all ranks come to together, an answer of its own.
    """
    opened = many.open_set(args)
    parts = in_own_times(args, opened, parts_of(opened.ranks, split=split))
    fmt = writing.output_format(args)
    labels = _Labels(parts, host=host)
    together = over(args, opened) if over is not None else None
    with many.spooled(), _JsonSpool() if fmt == "json" else _TablesSpool() as spool:
        failed = _collect(args, opened, parts, answering, spool, labels, alone=together is None)
        if together is not None and together.failed is not None:
            failed.append(together.failed)
        opened.tell()
        if isinstance(spool, _JsonSpool):
            rest = {"over_ranks": together.document} if together is not None else {}
            with writing.destination(args.output, fmt, *opened.paths) as stream:
                spool.write(stream, {**rest, "notes": opened.notes, "broken": opened.broken})
        else:
            lines = together.lines if together is not None else ()
            _write_tables(args, spool.named(order), opened.paths, glance, to_files, lines)
    if failed and not opened.exit_code():
        raise CheckFailed("; ".join(failed))
    return opened.exit_code()


def _collect(
    args: argparse.Namespace,
    opened: many.OpenSet,
    parts: Sequence[Part],
    answering: Answering,
    spool: _JsonSpool | _TablesSpool,
    labels: _Labels,
    *,
    alone: bool,
) -> list[str]:
    """Answer about each part; return the checks that failed."""
    failed: list[str] = []

    def take(own: argparse.Namespace, part: Part) -> None:
        answer = answering(own)
        spool.add(part, answer, labels)
        if answer.failed is not None:
            failed.append(f"{part.words}: {answer.failed}")

    visit(args, opened, parts, take, alone=alone)
    return failed


def visit(
    args: argparse.Namespace,
    opened: many.OpenSet,
    parts: Sequence[Part],
    take: Callable[[argparse.Namespace, Part], None],
    *,
    alone: bool = True,
) -> None:
    """Call ``take`` about each part, its arguments first. What one lacks becomes a note of the set.

    ``alone``: nothing else is answered; raises the first error where no part answers, the notes told.
    """
    first: NsystuiError | None = None
    answered = False
    lacking: dict[str, list[str]] = {}
    for part in parts:
        said: list[str] = []
        try:
            take(part.arguments(args, said.append), part)
        except (NothingThere, UsageError) as error:
            lack = str(error).removeprefix(f"{part.path.name}: ")
            lacking.setdefault(lack, []).append(f"{part.words}: {error}")
            first = first or error
        except ReportError as error:  # it has changed, or is gone, since its summary was made
            opened.lose(part.path, str(error))
            first = first or error
        else:
            answered = True
        opened.notes += [f"{part.words}: {line}" for line in said]
    for lack, lines in lacking.items():
        opened.notes += lines if len(lines) < ALIKE else [f"{len(lines):,} of the reports: {lack}"]
    if not answered and alone:
        for note in opened.notes:
            if not note.endswith(str(first)):
                talk.tell(f"nsystui: {note}")
        raise first or NothingThere("no report of the set holds a rank: neither device work nor steps")


class _Labels:
    """The columns that name the part of a row."""

    def __init__(self, parts: Sequence[Part], *, host: bool) -> None:
        self._runs = any(part.run is not None for part in parts)
        self._numbers = all(part.name.isdecimal() for part in parts)
        self._host = host

    def on(self, table: Table, part: Part) -> Table:
        """``table`` with the columns of its part before its own."""
        from tui.analysis.table import Column, Unit

        rows = len(table)
        unit = Unit.ID if self._numbers else Unit.TEXT
        name: int | str = int(part.name) if self._numbers else part.name
        columns: list[Column] = []
        if self._runs:
            columns.append(Column("Run", "run", Unit.TEXT, [part.run] * rows))
        columns.append(Column("Rank", "rank", unit, [name] * rows))
        if self._host:
            columns.append(Column("Host", "host", Unit.TEXT, [part.host] * rows))
        return replace(table, columns=(*columns, *table.columns))


class _JsonSpool:
    """The documents of the parts, as text in a temporary file: none of it is written unless all is well."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(8 << 20, mode="w+", encoding="ascii")  # noqa: SIM115
        self._count = 0

    def __enter__(self) -> _JsonSpool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, part: Part, answer: Answer, labels: _Labels) -> None:
        """Append what is said of a part."""
        from tui.output.json_text import json_value

        document = None if answer.document is None else {**part.head(), **answer.document()}
        self._file.write(",\n    " if self._count else "\n    ")
        self._count += 1
        if answer.write is not None:
            answer.write(part.head(), self._file)  # type: ignore[arg-type]
        else:
            json.dump(document, self._file, indent=2, default=json_value, allow_nan=False)

    def write(self, stream: TextIO, rest: Mapping[str, Any]) -> None:
        """Write ``{"reports": [...], **rest}``."""
        from tui.output.json_text import json_value

        stream.write('{\n  "reports": [')
        self._file.seek(0)
        shutil.copyfileobj(self._file, stream)
        after = json.dumps(rest, indent=2, default=json_value)
        stream.write(f"\n  ],\n{after.removeprefix('{').lstrip(chr(10))}\n")


class _TablesSpool:
    """The tables of the parts, by name."""

    def __init__(self) -> None:
        from tui.analysis.table_spool import TableSpool

        self._make = TableSpool
        self._spools: dict[str, TableSpool] = {}

    def __enter__(self) -> _TablesSpool:
        return self

    def __exit__(self, *_: object) -> None:
        self._spools.clear()

    def add(self, part: Part, answer: Answer, labels: _Labels) -> None:
        """Append the tables that are said of a part."""
        for table in answer.tables:
            if table.name not in self._spools:
                self._spools[table.name] = self._make()
            self._spools[table.name].add(labels.on(table, part), part.words)

    def named(self, order: Sequence[str]) -> list[Any]:
        """The tables that have rows: those of ``order`` first, in its order."""
        names = [name for name in order if name in self._spools]
        names += [name for name in self._spools if name not in names]
        return [self._spools[name] for name in names if self._spools[name].rows]


def _write_tables(
    args: argparse.Namespace,
    spools: Sequence[Any],
    paths: Sequence[Path],
    glance: bool,
    to_files: bool,
    lines: Sequence[str],
) -> None:
    """Write the tables as text, CSV or TSV where ``-o`` says, over none of the reports at ``paths``."""
    fmt, output = writing.output_format(args), Path(args.output)
    to_files = to_files and args.output != "-" and not (output.exists() and not output.is_dir())
    if not to_files or (output.suffix in writing.ENDINGS.values() and not output.is_dir()):
        with writing.destination(args.output, fmt, *paths) as stream:
            _write_into(args, spools, fmt, glance, stream, lines)
        return
    base = output / "ranks" if output.is_dir() else output
    for spool in spools:
        name = next(spool.parts()).name.replace(":", "_")
        path = base.with_name(f"{base.name}_{name}{writing.ENDINGS[fmt]}")
        with writing.destination(str(path), fmt, *paths) as stream:
            _write_into(args, [spool], fmt, glance, stream)
        talk.tell(f"nsystui: wrote {path}")


def _write_into(
    args: argparse.Namespace,
    spools: Sequence[Any],
    fmt: str,
    glance: bool,
    stream: TextIO,
    lines: Sequence[str] = (),
) -> None:
    from tui.output.delimited import write_parts
    from tui.output.ranks_text import write_together
    from tui.output.text_table import readable, write_tables

    layout: TextLayout = writing.layout(args, stream)
    if fmt == "table":
        write_together(lines, stream, layout)
        shown = (_without_empty(spool.whole()) for spool in spools)
        if glance and args.timeunit is None:
            shown = (readable(table) for table in shown)
        write_tables(shown, stream, layout)
        return
    for line in lines:
        talk.tell(f"nsystui: {line.strip()}")
    for table in write_parts((spool.parts() for spool in spools), fmt, stream, layout):
        talk.tell(f"nsystui: {table.name}: {table.note}")


HIDDEN = ("other_ns", "unknown_ns")
"""Columns that a text leaves out where all ranks have nothing in them."""


def _without_empty(table: Table) -> Table:
    columns: Iterator[Column] = (
        column for column in table.columns if column.key not in HIDDEN or any(column.values)
    )
    return replace(table, columns=tuple(columns))
