"""The tabs that are tables of a set: the figures of `nsystui ranks`, `pace` and `collectives`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Instances, Page, Section, table_of
from tui.browse.ranks.overview import clock_lines, waiting
from tui.browse.ranks.rows import MUCH, ends, first_of, rank_finder, ranks_of, spans
from tui.browse.ranks.scene import Scene
from tui.ranks import collective_table, pace_table
from tui.ranks.clock_table import clock_table
from tui.ranks.group_table import group_table
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.rank_table import by_lateness, for_people, rank_table
from tui.report.columns import NULL, Int64
from tui.report.kernels.class_table import KernelClass

_EXPOSED = {
    "rank": "rank", "host": "host", "exposed_transfer_ns": "transfer", "exposed_wait_ns": "wait",
    "exposed_unsplit_ns": "not split", "step_ns": "step", "own_ns": "own",
}  # fmt: skip
_CLOCKS = {
    "report": "report", "host": "host", "offset_ns": "offset", "uncertainty_ns": "sure to",
    "anchors": "anchors", "drift_ppm": "drift ppm", "method": "by",
}  # fmt: skip
_GROUPS = {
    "host": "host", "position": "position", "ranks": "ranks", "own_ns": "own", "own_max_ns": "most own",
    "exposed_wait_ns": "wait", "times_last": "last", "idle_ns": "idle",
}  # fmt: skip
Show = Callable[[Scene, Judged], Page]


def _page(show: Show) -> Callable[[Scene], Page]:
    """A page that needs the whole set."""

    def page(scene: Scene) -> Page:
        judged = scene.judged
        return show(scene, judged) if isinstance(judged, Judged) else waiting(scene)

    return page


def people(table: Table, heads: dict[str, str]) -> Table:
    """The columns that ``heads`` names, but for those in which nothing is known."""
    known = {column.key for column in table.columns if any(value is not None for value in column.values)}
    runs = next((column for column in table.columns if column.key == "run"), None)
    several = runs is not None and len(set(runs.values)) > 1
    shown = {key: _lower(head) for key, head in heads.items() if key in known}
    shown.pop("run", None)
    return table.pick({**({"run": "run"} if several else {}), **shown})


def _lower(head: str) -> str:
    """A heading of the pane: its unit is the column's own."""
    return head.replace(" (ns)", "").lower()


def _ranks(scene: Scene, judged: Judged) -> Page:
    rows = by_lateness(judged)
    shown = ends(rows)
    table = for_people(rank_table(judged, shown))
    lines = () if len(shown) == len(rows) else (f"the first and the last {MUCH} of {len(rows):,} ranks",)
    table = table.pick({column.key: _lower(column.header) for column in table.columns})
    return [Section("Ranks, latest first", table, lines, rank_finder(scene, ranks_of(scene, judged, shown)))]


def _pace(scene: Scene, judged: Judged) -> Page:
    steps = [(run, step) for run in judged.runs for step in np.flatnonzero(run.chosen).tolist()]

    def find(row: int) -> Instances | None:
        run, step = steps[row]
        slowest = int(run.pace.own_slowest[step])
        slowest = int(run.pace.slowest[step]) if slowest < 0 else slowest
        if slowest < 0 or run.grid.place[slowest, step] < 0:
            return None
        at = first_of(judged, run) + slowest
        facts, place = scene.ranks[at], int(run.grid.place[slowest, step])
        columns = facts.rank.summary.steps
        start, end = facts.on_axis(int(columns.start[place])), facts.on_axis(int(columns.end[place]))
        return spans([start], [end], [at], [f"step {step + 1}: slowest is {facts.title}"])

    table = people(pace_table.pace_table(judged), pace_table.PEOPLE)
    return [Section("Pace of the steps", table, (), find, "no steps")]


def _collectives(scene: Scene, judged: Judged) -> Page:
    rows = [(run, row) for run in judged.runs for row in run.collectives]

    def find(number: int) -> Instances | None:
        run, row = rows[number]
        if row.communicator is None:
            return None
        table = run.waits.instances[row.communicator]
        mine = run.instances[row.communicator] & (table.last >= 0)
        mine &= np.array([run.matched.names[n] == row.name for n in table.name.tolist()], bool)
        chosen = np.flatnonzero(mine)
        if not len(chosen):
            return None
        chosen = chosen[np.argsort(-table.margin_ns[chosen], kind="stable")]
        first = first_of(judged, run)
        last = [int(at) + first for at in table.last[chosen].tolist()]
        words = [f"last: {scene.ranks[at].title}" for at in last]
        return spans(table.start_ns[chosen].tolist(), table.end_ns[chosen].tolist(), last, words)

    table = people(collective_table.collectives_table(judged), collective_table.PEOPLE)
    lines = ("enter: the one whose last rank was latest; n: the next",)
    return [Section("Collectives", table, lines, find, "no communication is recorded", walks=True)]


def _exposed(scene: Scene, judged: Judged) -> Page:
    rows = ends(by_lateness(judged))
    table = people(rank_table(judged, rows), _EXPOSED)
    lines = (
        "of the usual step: transfer is what a collective takes once all ranks are in, wait before that",
    )
    find = rank_finder(scene, ranks_of(scene, judged, rows))
    return [Section("Exposed communication", table, lines, find)]


def _classes(scene: Scene, judged: Judged) -> Page:
    sections = []
    for run in judged.runs:
        rows = class_rows(run)
        first = first_of(judged, run)
        names = [run.rows[at].rank.name for _, _, _, at in rows]
        table = table_of(
            "classes",
            Column("class", "class", Unit.TEXT, [name for name, _, _, _ in rows]),
            Column("median", "median_ns", Unit.NS, [middle for _, middle, _, _ in rows]),
            Column("most", "max_ns", Unit.NS, [most for _, _, most, _ in rows]),
            Column("rank", "rank", Unit.TEXT, names),
        )
        lines = ("kernel time a step by class; kernels side by side count each",)
        find = rank_finder(scene, [first + at for _, _, _, at in rows])
        sections.append(Section("Kernel classes over the ranks", table, lines, find, "no kernels in steps"))
    return sections


def class_rows(run: JudgedRun) -> list[tuple[str, int, int, int]]:
    """(class, median, most, rank with most) of the kernel time a step, ns; the largest first."""
    classes = list(KernelClass)
    table = np.full((len(run.rows), len(classes)), NULL, np.int64)
    for at, row in enumerate(run.rows):
        summary = row.rank.summary
        spent: Int64 | None = summary.steps.class_ns
        steady = summary.steady
        if spent is not None and steady.any():
            table[at] = np.median(spent[steady], axis=0).astype(np.int64)
    known = np.flatnonzero((table != NULL).any(axis=1))
    if not len(known):
        return []
    middle, most = np.median(table[known], axis=0).astype(np.int64), table[known].max(axis=0)
    who = known[table[known].argmax(axis=0)]
    rows = [
        (classes[k].value, int(middle[k]), int(most[k]), int(who[k]))
        for k in np.argsort(-middle, kind="stable")
    ]
    return [row for row in rows if row[2] > 0]


def _clocks(scene: Scene, judged: Judged) -> Page:
    hosts = people(group_table(judged, "host"), _GROUPS)
    positions = people(group_table(judged, "position"), _GROUPS)
    clocks = people(clock_table(judged), _CLOCKS)
    sections = [Section("Hosts", hosts, ("medians over the ranks of each",))]
    if len(positions) > 1:
        sections.append(Section("Places on the host", positions))
    return [*sections, Section("Clocks", clocks, tuple(clock_lines(judged)))]


ranks_page, pace_page, collectives_page = _page(_ranks), _page(_pace), _page(_collectives)
exposed_page, classes_page, clocks_page = _page(_exposed), _page(_classes), _page(_clocks)
