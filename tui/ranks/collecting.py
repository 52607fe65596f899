"""The members of a set: each report's summary, from the store or made now, in this process or in others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tui.analysis.index import Comm
from tui.errors import ReportError, UsageError
from tui.ranks.one_report import Choices, Outcome, content_key, kept_summary, summarise_report
from tui.ranks.rank_set import Member
from tui.ranks.set_progress import SetMeter, SetProgress
from tui.ranks.summary import ReportSummary
from tui.ranks.summary_file import unpack
from tui.ranks.tasks import DaskChoices, Task, read_here
from tui.report.shelves import prune_store
from tui.report.store.folder import pruning_rarely

SMALL_BYTES = 32 << 20
"""Reports of so many bytes together are read here: in the time that it takes to start processes for them."""


def collect(
    paths: Sequence[Path],
    *,
    cache_dir: Path | None = None,
    use_store: bool = True,
    use_nsys: bool = False,
    comm: Comm = Comm.CLASS,
    step: str | None = None,
    jobs: int | None = None,
    progress: Callable[[SetProgress], None] | None = None,
    tell: Callable[[str], None] | None = None,
    arrived: Callable[[Member], None] | None = None,
    dask: DaskChoices | None = None,
) -> list[Member]:
    """Return the members that the reports at ``paths`` are, in that order.

    A report that can't be read is a member with an error. ``jobs``: processes that read reports, 1: this one;
    None: as many as help. ``progress`` is called as it goes, ``tell`` gets lines about the store, each once,
    ``arrived`` each member as it comes, kept ones first; all three are called from this thread.

    Raises UsageError for a ``step`` that is no name and no pattern, and for a cluster that can't be used.
    """
    choices = Choices(cache_dir, use_store, use_nsys, comm, step)
    members: dict[int, Member] = {}

    def take(place: int, member: Member) -> None:
        members[place] = member
        if arrived is not None:
            arrived(member)

    tasks = list(_not_kept(paths, choices, take, elsewhere=dask is not None))
    told: set[str] = set()
    outcomes = _outcomes(tasks, choices, jobs, SetMeter(tasks, progress), dask)
    with pruning_rarely(), closing(outcomes):  # whatever happens, no worker outlives this
        for task, outcome in outcomes:
            if outcome.usage is not None:
                raise UsageError(outcome.usage)
            for line in outcome.told:
                if tell is not None and line not in told:
                    tell(line)
                told.add(line)
            take(task.place, _member(task, outcome, choices))
    if tasks and use_store:
        prune_store(cache_dir)
    return [members[place] for place in range(len(paths))]


def _not_kept(
    paths: Sequence[Path], choices: Choices, take: Callable[[int, Member], None], *, elsewhere: bool
) -> Iterator[Task]:
    """Hand over the members that need no reading, and yield the others.

    ``elsewhere``: other machines read, which may see what is not here.
    """
    for place, path in enumerate(paths):
        try:
            key, size = content_key(path)
        except ReportError as error:
            if elsewhere and not path.exists():
                yield Task(place, path, 0, "")
            else:
                take(place, Member(path, None, str(error)))
            continue
        kept = kept_summary(key, choices)
        if kept is not None:
            take(place, Member(path, kept))
        else:
            yield Task(place, path, size, key)


def _outcomes(
    tasks: list[Task], choices: Choices, jobs: int | None, meter: SetMeter, dask: DaskChoices | None
) -> Generator[tuple[Task, Outcome], None, None]:
    """Read the reports, the largest first; yield what comes of each as it comes."""
    tasks = sorted(tasks, key=lambda task: (-task.size, task.place))
    if dask is not None and tasks:
        from tui.ranks.cluster import read_on_cluster

        yield from read_on_cluster(
            tasks, choices, meter, dask, lambda rest: _read(rest, choices, jobs, meter)
        )
    else:
        yield from _read(tasks, choices, jobs, meter)


def _read(
    tasks: Sequence[Task], choices: Choices, jobs: int | None, meter: SetMeter
) -> Iterator[tuple[Task, Outcome]]:
    """Read reports on this machine, in other processes where that is quicker."""
    little = sum(task.size for task in tasks) < SMALL_BYTES
    if jobs == 1 or len(tasks) <= 1 or (jobs is None and little):
        return read_here(tasks, choices, meter)
    from tui.ranks.pool import read_in_pool, worker_count

    if worker_count(len(tasks), jobs) == 1:
        return read_here(tasks, choices, meter)
    return read_in_pool(tasks, choices, meter, jobs)


def _member(task: Task, outcome: Outcome, choices: Choices) -> Member:
    if outcome.error is not None:
        return Member(task.path, None, outcome.error)
    try:
        return Member(task.path, _summary(task, outcome, choices))
    except ReportError as error:
        return Member(task.path, None, str(error))


def _summary(task: Task, outcome: Outcome, choices: Choices) -> ReportSummary:
    """The summary that was made; once more where another process has removed it from the store."""
    if outcome.data is not None:
        return unpack(outcome.data)
    found = kept_summary(outcome.key, choices)
    if found is not None:
        return found
    again = summarise_report(task.path, replace(choices, cache_dir=None, use_store=False))
    if again.data is None:
        raise ReportError(again.error or f"{task.path}: its summary is gone from the store")
    return unpack(again.data)
