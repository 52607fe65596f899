"""Open a set of reports: the options that all its commands share, what is said of it, and their exit code."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands.shared import options, talk
from tui.commands.shared.opening import INTERVAL, PATIENCE
from tui.errors import ReportError, UsageError

if TYPE_CHECKING:
    from tui.ranks.rank_set import Member, RankSet
    from tui.ranks.set_progress import SetProgress

INPUT_HELP = f"{options.REPORT_HELP}; a folder of them, or @FILE, which lists them"
RANGE_HELP = """\
what counts: step:3, step:3..5, step:3.. (to the last), START/END on the common axis (1.5s/1.62s), / (all
steps of all ranks); default: the steps that all ranks have
"""
BROKEN = 2
"""The exit code of an answer that lacks a report: whoever looks at it never takes a part for the whole."""


@dataclass
class OpenSet:
    """A set that has been opened, narrowed to what the options choose."""

    ranks: RankSet
    notes: list[str]
    """Lines about the set as a whole, the most important first: for stderr, and for JSON."""
    broken: list[dict[str, str]]
    """The reports that can't be read: `report` and `error`."""
    asked: int
    """How many reports the set has, each counted once."""
    allowed: int = 0
    strict: bool = False
    paths: list[Path] = field(default_factory=list)
    """All its reports; none of them is ever written to."""
    _part: str = field(default="", init=False)

    def lose(self, path: Path, error: str) -> None:
        """Note that a report, which was readable before, is so no longer."""
        self.broken.append({"report": str(path), "error": error})
        self.notes[:] = [note for note in self.notes if note != self._part]
        self._part = part_of(self.asked, len(self.broken))
        self.notes[:0] = [self._part]
        self.notes.append(f"broken: {error}")

    def tell(self) -> None:
        """Say the notes on stderr."""
        for note in self.notes:
            talk.tell(f"nsystui: {note}")

    def exit_code(self, otherwise: int = 0) -> int:
        """The exit code of a command that has answered; ``otherwise``: where the set is as whole as allowed.

        With --strict ranks that are missing count as reports that can't be read; those of reports that can't
        be read count once.
        """
        absent = len(self.broken)
        if self.strict:
            absent = max(absent, sum(len(run.missing) for run in self.ranks.runs))
        return BROKEN if absent > self.allowed else otherwise


def part_of(asked: int, broken: int) -> str:
    """``15 of 16 reports, 1 can't be read``."""
    return f"{asked - broken} of {asked} reports, {broken} can't be read"


def add_inputs(parser: argparse.ArgumentParser, nargs: str = "+", dest: str = "inputs") -> None:
    """Add the reports, ``args.inputs``."""
    parser.add_argument(dest, metavar="REPORT", nargs=nargs, help=INPUT_HELP)


def add_options(parser: argparse.ArgumentParser, *, short: bool = True) -> None:
    """Add what all commands take that answer about several reports; ``short``: `-r` is free."""
    add = parser.add_argument_group("several reports").add_argument
    add(
        *(["-r"] if short else []),
        "--recursive",
        action="store_true",
        help="of a folder also the exports in its folders",
    )
    add(
        "--rank-from",
        metavar="HOW",
        help="where ranks have their numbers from: name:REGEX (a group of the file's name), env:NAME, order "
        "(of the file names), nodes (blocks of equal nodes), map:FILE (CSV: report,pid,rank,host); default: "
        "MPI, the launcher's environment, NCCL, the file names, whichever has a number for each",
    )
    add("--ranks", metavar="N,...", type=rank_list, help="only these ranks: 0-7,12")
    add("--host", metavar="NAME,...", action="append", help="only ranks of these hosts")
    add("--run", metavar="N", help="only this run of the set: its number, from 1 on, or its launcher's id")
    add(
        "--jobs",
        metavar="N",
        type=at_least_one,
        help="processes that read reports (default: as many as help)",
    )
    add(
        "--dask",
        metavar="WHERE",
        help="read reports on a dask cluster: tcp://HOST:PORT, a scheduler file, or env; the one option that "
        "opens a network connection",
    )
    add("--dask-store", metavar="DIR", type=Path, help="with --dask: a folder that all its workers see")
    add("--dask-fallback", action="store_true", help="with --dask: where the cluster fails, go on here")
    add(
        "--allow-missing",
        metavar="N",
        type=whole_number,
        default=0,
        help="exit with 0 although up to N reports can't be read (default: 0, then the exit code is 2)",
    )
    add("--strict", action="store_true", help="ranks without a report count as reports that can't be read")


def add_set(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add what the commands take that judge a set as a whole: its reports, ranks, axis, window and store."""
    add_inputs(parser, nargs)
    add_limits(parser)
    add_part(parser, "which part of the set")
    add_options(parser)
    add_alignment(parser)
    options.add_store(parser)


def add_part(parser: argparse.ArgumentParser, title: str) -> None:
    """Add what counts of the reports: the range, the steps, and what communication is."""
    add = parser.add_argument_group(title).add_argument
    add("--range", metavar="R", help=RANGE_HELP)
    add("--step", metavar="NAME", help="NVTX range (name or regex) that is a step (default: by rule)")
    add(
        "--comm",
        choices=("class", "nccl"),
        default="class",
        help="which kernels are communication: collectives of all libraries, or names that begin nccl only",
    )


def add_alignment(parser: argparse.ArgumentParser) -> None:
    """Add how the clocks of several reports are brought together."""
    add = parser.add_argument_group("the common time axis").add_argument
    add(
        "--align",
        choices=("auto", "clock", "collectives", "steps", "start", "none"),
        default="auto",
        help="how times of different reports relate (default: the best that the reports allow)",
    )
    add(
        "--clock-uncertainty",
        metavar="TIME",
        help="how far the clocks of two hosts may be apart (default: 50ms)",
    )
    add("--anchor-step", metavar="K", type=at_least_one, help="with --align steps: the step that begins at 0")
    add("--group", metavar="SIZE", type=at_least_one, help="ranks of a communicator, where nothing else says")


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add ``--limits``: print every threshold by which sets are judged."""
    parser.add_argument("--limits", action="store_true", help="list the thresholds and their reasons")


def print_limits() -> int:
    """Print every threshold, its value and its reason."""
    from tui.ranks import limits

    for name, limit in vars(limits).items():
        if isinstance(limit, limits.Limit):
            print(f"{name.lower()} = {limit.value:g} {limit.unit}\n    {limit.why}")
    return 0


def is_one(args: argparse.Namespace) -> bool:
    """Whether ``args`` are about one report alone, as a whole; then ``args.report`` is its path.

    A folder that holds one export is that export. Nothing that sets need is imported for a single file.
    """
    narrowed = any(getattr(args, name, None) for name in ("rank_from", "ranks", "host", "run", "pool"))
    inputs = list(args.inputs)
    if narrowed or len(inputs) != 1:
        return False
    path = Path(inputs[0])
    if inputs[0].startswith("@") or path.is_dir():
        from tui.ranks.sources import expand_inputs

        paths, notes = expand_inputs(inputs, args.recursive)
        if len(paths) != 1:
            return False
        for note in notes:
            talk.tell(f"nsystui: {note}")
        args.report = str(paths[0])
    else:
        args.report = inputs[0]
    return True


def open_set(args: argparse.Namespace, inputs: Sequence[str] | None = None) -> OpenSet:
    """Open the set that ``inputs`` (default: ``args.inputs``) are; progress goes to a terminal's stderr.

    Raises ReportError where none of its reports can be read, each of them told, and UsageError for options
    that choose nothing or contradict the reports.
    """
    from tui.ranks.runs import build_set
    from tui.ranks.sources import expand_inputs

    paths, notes = expand_inputs(args.inputs if inputs is None else inputs, args.recursive)
    members = collected(args, paths)
    if len(members) > 1 and all(member.summary is None for member in members):
        for member in members:
            talk.tell(f"nsystui: broken: {member.error}")
        raise ReportError(f"none of {len(members)} reports can be read")
    if all(member.summary is None for member in members):
        raise ReportError(str(members[0].error))
    made = build_set(members, rank_from=args.rank_from)
    opened = OpenSet(
        ranks=narrowed_set(made, args),
        notes=[*notes, *made.notes],
        broken=[],
        asked=len(made.members),
        allowed=args.allow_missing,
        strict=args.strict,
        paths=paths,
    )
    for member in made.broken:
        opened.lose(member.path, str(member.error))
    return opened


def collected(args: argparse.Namespace, paths: Sequence[Path]) -> list[Member]:
    """The members that the reports at ``paths`` are."""
    from tui.analysis.index import Comm
    from tui.ranks.collecting import collect

    with set_progress() as show:
        return collect(
            paths,
            cache_dir=args.cache_dir,
            use_store=not args.no_cache,
            use_nsys=not args.no_nsys,
            comm=Comm(getattr(args, "comm", "class")),
            step=getattr(args, "step", None),
            jobs=args.jobs,
            progress=show,
            tell=lambda line: talk.tell(f"nsystui: {line}"),
            **cluster_choices(args),
        )


def cluster_choices(args: argparse.Namespace) -> dict[str, Any]:
    """What :func:`collect` gets where ``args`` ask for a cluster."""
    if args.dask is None:
        return {}
    from tui.ranks.tasks import DaskChoices

    return {"dask": DaskChoices(args.dask, args.dask_store, args.dask_fallback)}


def narrowed_set(made: RankSet, args: argparse.Namespace) -> RankSet:
    """The part of a set that ``--run``, ``--ranks`` and ``--host`` choose. Raises UsageError for nothing."""
    from tui.ranks.choosing import chosen

    hosts = [name for part in args.host or () for name in part.split(",") if name]
    return chosen(made, run=args.run, ranks=args.ranks, hosts=hosts)


@contextmanager
def spooled() -> Iterator[None]:
    """Say in one line where the temporary directory can't take what reports say."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"no room for what reports say: {error.strerror or error}; see TMPDIR") from error


@contextmanager
def set_progress() -> Iterator[Callable[[SetProgress], None]]:
    """Yield what shows how far the reading is: one line on a terminal's stderr, cleared at the end."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    due, shown = time.monotonic() + PATIENCE, False

    def show(progress: SetProgress) -> None:
        nonlocal due, shown
        now = time.monotonic()
        if terminal and now >= due:
            due, shown = now + INTERVAL, True
            print(f"\r\x1b[K{progress.words}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def rank_list(text: str) -> tuple[str, ...]:
    """Read ``0-7,12``: numbers, ranges of them, and names of ranks; argparse shows the error."""
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of ranks such as 0-7,12")
    return parts


def add_top(add: Callable[..., argparse.Action], about: str) -> None:
    """Add how many rows are shown, to a group of options."""
    add("--top", metavar="N", type=whole_number, help=about)


def whole_number(text: str) -> int:
    """Read a count; argparse shows the error."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 2")
    return int(text)


def at_least_one(text: str) -> int:
    """Read a number from 1 on; argparse shows the error."""
    if (number := whole_number(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: it begins with 1")
    return number
