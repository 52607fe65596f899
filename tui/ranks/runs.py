"""Members become a set: runs by what their launcher called them, the ranks of each run with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tui.ranks.given import RankFrom, parse_rank_from, places_on_nodes
from tui.ranks.identity import run_of
from tui.ranks.numbering import Numbering, Unnumbered, node_numbers, numbered, size_of
from tui.ranks.rank_set import Member, Rank, RankSet, RankSource, Run
from tui.ranks.summary import RankSummary
from tui.report.launch_names import PURPOSES
from tui.text.numbers import plural

GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
SHOWN = 12
"""Ranges of numbers that a note lists; a job of thousands may miss any number of ranks."""


def build_set(members: Sequence[Member], *, rank_from: str | None = None) -> RankSet:
    """Group the ranks of ``members`` into runs and number them; ``rank_from``: the value of --rank-from.

    Of members with equal content the first counts. Raises UsageError where ``rank_from`` is none, or gives
    two ranks of a run one number.
    """
    given = parse_rank_from(rank_from) if rank_from is not None else None
    kept, notes = _distinct(members)
    groups = _by_launcher(kept)
    if len(groups) > 1:
        labels = ", ".join(label or "without a launcher's id" for label in groups)
        notes.append(f"{len(groups)} runs, which are not matched with each other: {labels}")
    notes += _versions(kept)
    runs = []
    for label, positions in groups.items():
        run, more = _run(label, kept, positions, given)
        runs.append(run)
        notes += [f"run {label}: {note}" if len(groups) > 1 and label else note for note in more]
    empty = [m.path.name for m in kept if m.summary is not None and not m.summary.ranks]
    notes += [f"{name} holds no rank: neither device work nor steps" for name in empty]
    return RankSet(tuple(kept), tuple(run for run in runs if run.ranks), tuple(notes))


def numbering_words(run: Run) -> str:
    """Where a run's numbers come from, for people: ``ranks from: environment (SLURM_PROCID)``."""
    source = {
        RankSource.GIVEN: "--rank-from", RankSource.MPI: "MPI", RankSource.NCCL: "NCCL",
        RankSource.NAME: "file names", RankSource.ORDER: "the order of the file names",
        RankSource.UNKNOWN: "nothing: their numbers are unknown",
    }.get(run.source, run.source.value)  # fmt: skip
    return f"ranks from: {source}" + (f" ({run.variable})" if run.variable else "")


def listed_numbers(numbers: Iterable[int]) -> str:
    """``0-7, 9``: whole numbers as ranges."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = [f"{low}" if low == high else f"{low}-{high}" for low, high in ranges[:SHOWN]]
    return ", ".join([*shown, *(["..."] if len(ranges) > SHOWN else [])])


def _distinct(members: Sequence[Member]) -> tuple[list[Member], list[str]]:
    """The members but for copies of others, and a note that names these."""
    first: dict[str, Member] = {}
    kept, notes = [], []
    for member in members:
        other = first.setdefault(member.summary.key, member) if member.summary is not None else member
        if other is member:
            kept.append(member)
        else:
            notes.append(f"{member.path} is the same report as {other.path}: it counts once")
    return kept, notes


def _by_launcher(members: Sequence[Member]) -> dict[str, list[int]]:
    """Positions of the readable members by run, as runs began."""
    groups: dict[str, list[int]] = {}
    begun: dict[str, int] = {}
    for position, member in enumerate(members):
        if member.summary is None:
            continue
        identity = member.summary.identity
        variables = identity.get("variables", {})
        label = next((found for name in PURPOSES["run"] if (found := run_of(variables, name))), "")
        groups.setdefault(label, []).append(position)
        utc = identity.get("utc_ns")
        begun[label] = min(begun.get(label, 1 << 63), 1 << 63 if utc is None else utc)
    return {label: groups[label] for label in sorted(groups, key=lambda label: (begun[label], label))}


def _versions(members: Sequence[Member]) -> list[str]:
    """A note where reports were made by different versions of nsys."""
    made = (m.summary.versions.get("nsys") or "an unknown version" for m in members if m.summary is not None)
    counts = Counter(made)
    if len(counts) < 2:
        return []
    listed = ", ".join(f"{version} ({count})" for version, count in sorted(counts.items()))
    return [f"made by different versions of nsys: {listed}; what one lacks is unknown for its ranks"]


def _graphs(run: Run, members: Sequence[Member]) -> list[str]:
    """A note where some ranks recorded CUDA graphs whole and others did not."""
    whole = {
        rank.member: rank.name
        for rank in run.ranks
        if (summary := members[rank.member].summary) is not None and GRAPHS in summary.tables
    }
    if len(whole) in (0, len({rank.member for rank in run.ranks})):
        return []
    names = ", ".join([*list(whole.values())[:SHOWN], *(["..."] if len(whole) > SHOWN else [])])
    return [f"CUDA graphs were recorded whole on rank {names} only: the kernels in them can't be compared"]


def _run(
    label: str, members: Sequence[Member], positions: Sequence[int], given: RankFrom | None
) -> tuple[Run, list[str]]:
    found = [one for position in positions for one in _ranks_of(position, members[position])]
    bare = [rank for rank, _ in found]
    size, notes = size_of(bare)
    numbering = given.numbering(bare) if given is not None and bare else numbered(bare, size)
    ranks = _made(found, numbering, given)
    numbers = {rank.number for rank in ranks if rank.number is not None}
    missing: tuple[int, ...] = ()
    if size is not None and numbers and len(numbers) == len(ranks):
        missing = tuple(number for number in range(size) if number not in numbers)
    run = Run(label, tuple(ranks), numbering.source, numbering.variable, size, missing)
    return run, [*notes, *numbering.notes, *_absent(run, numbers), *_graphs(run, members)]


def _absent(run: Run, numbers: set[int]) -> list[str]:
    """What is known of ranks that have no report."""
    count = len(run.ranks)
    if run.missing:
        return [
            f"{count} of {plural(run.expected or 0, 'rank')}: no report of "
            f"rank{'s' if len(run.missing) > 1 else ''} {listed_numbers(run.missing)}"
        ]
    if run.expected is not None and count < run.expected:
        return [f"{count} of {plural(run.expected, 'rank')}: which are missing is not known"]
    if run.expected is None and numbers and run.source is not RankSource.ORDER:
        gaps = set(range(max(numbers))) - numbers
        if gaps:
            return [
                f"ranks {listed_numbers(numbers)}: none has the number {listed_numbers(gaps)}; how many "
                "there should be is not recorded"
            ]
    return []


def _ranks_of(position: int, member: Member) -> list[tuple[Unnumbered, RankSummary]]:
    """The ranks of one report."""
    summary = member.summary
    assert summary is not None
    alone = len(summary.ranks) == 1
    return [
        (Unnumbered(position, member.path, rank.pid, _devices(rank), summary.identity, alone), rank)
        for rank in summary.ranks
    ]


def _devices(rank: RankSummary) -> tuple[int, ...]:
    return tuple(sorted(device.number for device in rank.devices))


def _made(
    found: Sequence[tuple[Unnumbered, RankSummary]], numbering: Numbering, given: RankFrom | None
) -> list[Rank]:
    """The ranks with all that is known of them, by number, unknown ones last."""
    bare = [rank for rank, _ in found]
    nodes = node_numbers(bare)
    places = None if all(rank.alone for rank in bare) else places_on_nodes(bare, nodes)
    hosts = given.hosts(bare) if given is not None else [None] * len(bare)
    ranks = []
    for i, (rank, summary) in enumerate(found):
        number, node = numbering.numbers[i], nodes[i]
        host = hosts[i] or rank.identity.get("host")
        local = _local_rank(rank) if rank.alone else places[i][1] if places is not None else None
        source = numbering.source if number is not None else RankSource.UNKNOWN
        name = _name(rank, number, None if rank.alone else node, local, host)
        ranks.append(Rank(number, source, host, local, node, rank.member, summary, name))
    return _told_apart(sorted(ranks, key=_order), bare)


def _local_rank(rank: Unnumbered) -> int | None:
    """The rank's place on its host, as the launcher says."""
    return next(
        (n for v in PURPOSES["local_rank"] if (n := rank.variable(v, "local_rank")) is not None), None
    )


def _name(rank: Unnumbered, number: int | None, node: int | None, place: int | None, host: str | None) -> str:
    if number is not None:
        return str(number)
    if node is not None and place is not None:
        return f"{node}.{place}"
    return f"{host or rank.path.stem}:{rank.pid}"


def _order(rank: Rank) -> tuple[object, ...]:
    known = rank.number if rank.number is not None else 1 << 62
    local = rank.local_rank if rank.local_rank is not None else 1 << 62
    node = rank.node if rank.node is not None else 1 << 62
    return known, rank.host or "", node, local, _devices(rank.summary), rank.summary.pid, rank.member


def _told_apart(ranks: Sequence[Rank], found: Sequence[Unnumbered]) -> list[Rank]:
    """The ranks with names of their own: in containers every process may be number 1."""
    counts = Counter(rank.name for rank in ranks)
    files = _told_files({one.member: one.path for one in found})
    return [
        replace(rank, name=f"{rank.name} ({files[rank.member]})") if counts[rank.name] > 1 else rank
        for rank in ranks
    ]


def _told_files(paths: Mapping[int, Path]) -> dict[int, str]:
    """The names of files, with as many of their folders as tell them apart."""
    parts = {member: (*path.parent.parts, path.stem) for member, path in paths.items()}
    longest = max(map(len, parts.values()), default=0)
    for length in range(1, longest + 1):
        names = {member: "/".join(some[-length:]) for member, some in parts.items()}
        if len(set(names.values())) == len(names):
            return names
    return {member: str(path) for member, path in paths.items()}
