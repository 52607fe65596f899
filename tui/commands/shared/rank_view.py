"""The ranks view of a set: its options, and how its reports become the scenes that it shows."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.shared import judging, many, talk
from tui.errors import ReportError, UsageError

if TYPE_CHECKING:
    from tui.browse.ranks.loading import SetLoad
    from tui.browse.ranks.scene import Scene
    from tui.ranks.rank_set import Member
    from tui.ranks.set_progress import SetProgress


def add_options(parser: argparse.ArgumentParser, *, short: bool = True) -> None:
    """Add what the ranks view takes besides the options of one report; ``short``: `-r` is free."""
    many.add_options(parser, short=short)
    many.add_alignment(parser)
    parser.add_argument(
        "--by-rank", action="store_true", help="the ranks view also of one report, which may hold several"
    )


def may_be_set(reports: Sequence[str]) -> bool:
    """Whether these are several reports, or what may stand for several: a folder, or ``@FILE``."""
    return len(reports) > 1 or reports[0].startswith("@") or Path(reports[0]).is_dir()


def paths_of(reports: Sequence[str], args: argparse.Namespace) -> list[Path]:
    """The reports that ``reports`` mean; what was left out is said on stderr."""
    if not may_be_set(reports):
        return [Path(reports[0])]
    from tui.ranks.sources import expand_inputs

    paths, notes = expand_inputs(reports, args.recursive)
    for note in notes:
        talk.tell(f"nsystui: {note}")
    return paths


def refuse_parts(args: argparse.Namespace) -> None:
    """Raise UsageError for options that choose within one report."""
    if args.device or args.process:
        raise UsageError("--device and --process choose within one report; of several --ranks and --host do")


def whole_scene(args: argparse.Namespace, paths: Sequence[Path]) -> Scene:
    """The scene of the reports at ``paths``, all of them read now; progress goes to a terminal's stderr."""
    refuse_parts(args)
    return build(args, paths, many.collected(args, paths))


def build(args: argparse.Namespace, paths: Sequence[Path], members: Sequence[Member]) -> Scene:
    """The judged scene of all members. Raises ReportError where none of them can be read."""
    from tui.browse.ranks.build import judged_scene, set_name
    from tui.ranks.reduce import judge
    from tui.ranks.runs import build_set

    if all(member.summary is None for member in members):
        first = str(members[0].error)
        raise ReportError(first if len(members) == 1 else f"none of {len(members):,} reports can be read")
    made = many.narrowed_set(build_set(members, rank_from=args.rank_from), args)
    judged = judge(made, judging.judge_options(args, args.range))
    return judged_scene(judged, set_name(paths), len(paths), len(members) + 1)


def set_load(args: argparse.Namespace, paths: Sequence[Path], use_nsys: bool) -> SetLoad:
    """What reads the reports at ``paths`` beside the screen, and makes scenes as they come."""
    from tui.browse.ranks.loading import SetLoad

    refuse_parts(args)

    def collect(take: Callable[[Member], None], show: Callable[[str], None]) -> Sequence[Member]:
        from tui.analysis.index import Comm
        from tui.ranks.collecting import collect

        def progress(now: SetProgress) -> None:
            show(now.words)

        return collect(
            paths,
            cache_dir=args.cache_dir,
            use_store=not args.no_cache,
            use_nsys=use_nsys,
            comm=Comm(args.comm),
            step=args.step,
            jobs=args.jobs,
            progress=progress,
            arrived=take,
            **many.cluster_choices(args),
        )

    def partial(members: Sequence[Member]) -> Scene:
        from tui.browse.ranks.build import partial_scene, set_name
        from tui.ranks.runs import build_set

        return partial_scene(build_set(members), set_name(paths), len(members), len(paths), len(members))

    return SetLoad(paths, collect, partial, lambda members: build(args, paths, members))
