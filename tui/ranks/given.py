"""Rank numbers as the user gives them: `--rank-from name:REGEX`, `env:NAME`, `order`, `nodes`, `map:FILE`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.errors import UsageError
from tui.ranks.numbering import Numbering, Numbers, Unnumbered, both, doubled, node_numbers
from tui.ranks.rank_set import RankSource
from tui.ranks.sources import natural
from tui.report.launch_names import PURPOSES

WAYS = "name:REGEX, env:NAME, order, nodes or map:FILE"
COLUMNS = ("report", "pid", "rank", "host")


@dataclass(frozen=True)
class RankFrom:
    """Where the user says that ranks have their numbers from."""

    way: str
    """`name`, `env`, `order`, `nodes` or `map`."""
    text: str = ""
    pattern: re.Pattern[str] | None = None
    rows: tuple[Mapping[str, str], ...] = ()
    """The lines of a map: report, pid, rank, host; empty where it says nothing."""

    def hosts(self, ranks: Sequence[Unnumbered]) -> list[str | None]:
        """The host that the map gives to each rank."""
        return [(row.get("host") or None) if (row := self._row(rank)) else None for rank in ranks]

    def numbering(self, ranks: Sequence[Unnumbered]) -> Numbering:
        """Number the ranks of one run. Raises UsageError where two get one number."""
        numbers = self._numbers(ranks)
        if (pair := doubled(numbers)) is not None:
            raise UsageError(f"{self}: rank {numbers[pair[0]]} is both of {both(ranks, pair)}")
        known = sum(number is not None for number in numbers)
        notes = () if known == len(ranks) else (f"{self} numbers {known} of {len(ranks)} ranks",)
        if not known:
            return Numbering(numbers, RankSource.UNKNOWN, None, notes)
        source = RankSource.ORDER if self.way == "order" else RankSource.GIVEN
        return Numbering(numbers, source, self.text if self.way == "env" else None, notes)

    def __str__(self) -> str:
        return f"--rank-from {self.way}:{self.text}" if self.text else f"--rank-from {self.way}"

    def _numbers(self, ranks: Sequence[Unnumbered]) -> Numbers:
        if self.way == "order":
            order = sorted(range(len(ranks)), key=lambda i: _by_file(ranks[i]))
            place = {position: number for number, position in enumerate(order)}
            return [place[position] for position in range(len(ranks))]
        if self.way == "nodes":
            return self._by_node(ranks)
        if self.way == "env":
            purpose = next(p for p, names in PURPOSES.items() if self.text in names)
            return [rank.variable(self.text, purpose) for rank in ranks]
        if self.way == "map":
            rows = (self._row(rank) for rank in ranks)
            return [_whole(row["rank"], self) if row and row.get("rank") else None for row in rows]
        return [self._by_name(rank) for rank in ranks]

    def _by_name(self, rank: Unnumbered) -> int | None:
        assert self.pattern is not None
        match = self.pattern.search(rank.path.name)
        if match is None:
            return None
        return _whole(match[1] or "", f"{self}, in {rank.path.name}")

    def _by_node(self, ranks: Sequence[Unnumbered]) -> Numbers:
        """Rank i of node m is m·g + i where each node has g ranks: a block layout, as the user says."""
        nodes = node_numbers(ranks)
        places = places_on_nodes(ranks, nodes)
        if places is None:
            raise UsageError(f"{self}: not every report has its node, or not all have equally many ranks")
        per_node = 1 + max(place for _, place in places)
        return [node * per_node + place for node, place in places]

    def _row(self, rank: Unnumbered) -> Mapping[str, str] | None:
        """The map's line for a rank: the one with its pid, else the one for every process of the report."""
        mine = [row for row in self.rows if _means(row["report"], rank.path)]
        exact = [row for row in mine if row.get("pid") == str(rank.pid)]
        return next(iter(exact or [row for row in mine if not row.get("pid")]), None)


def parse_rank_from(text: str) -> RankFrom:
    """Read the value of ``--rank-from``, and the file that it names. Raises UsageError."""
    way, _, rest = text.partition(":")
    if way in ("order", "nodes") and not rest:
        return RankFrom(way)
    if way == "env" and rest:
        if not any(rest in PURPOSES[purpose] for purpose in ("rank", "local_rank", "node")):
            names = ", ".join((*PURPOSES["rank"], *PURPOSES["local_rank"], *PURPOSES["node"]))
            raise UsageError(f"--rank-from {text}: of an environment only these are read: {names}")
        return RankFrom(way, rest)
    if way == "name" and rest:
        try:
            pattern = re.compile(rest)
        except re.error as error:
            raise UsageError(f"--rank-from {text}: no regular expression: {error}") from error
        if pattern.groups != 1:
            raise UsageError(f"--rank-from {text}: it needs one group, as in name:rank([0-9]+)")
        return RankFrom(way, rest, pattern)
    if way == "map" and rest:
        return RankFrom(way, rest, rows=_read_map(Path(rest)))
    raise UsageError(f"--rank-from {text!r} is none of {WAYS}")


def places_on_nodes(ranks: Sequence[Unnumbered], nodes: Numbers) -> list[tuple[int, int]] | None:
    """Each rank's node and place there, by device; None unless all nodes are known and equally large."""
    members: dict[int, list[int]] = {}
    for position, node in enumerate(nodes):
        if node is None:
            return None
        members.setdefault(node, []).append(position)
    if len({len(positions) for positions in members.values()}) != 1:
        return None
    places = [(0, 0)] * len(ranks)
    for node, positions in members.items():
        positions.sort(key=lambda i: (*ranks[i].sort_key, natural(ranks[i].path.name)))
        for place, position in enumerate(positions):
            places[position] = node, place
    return places


def _by_file(rank: Unnumbered) -> tuple[object, ...]:
    return natural(rank.path.name), str(rank.path), *rank.sort_key


def _means(written: str, path: Path) -> bool:
    """Whether a map's report is the one at ``path``: by its name, or by a path."""
    if written in (path.name, str(path)):
        return True
    try:
        return "/" in written and Path(written).samefile(path)
    except OSError:
        return False


def _whole(text: str, where: object) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise UsageError(f"{where}: {text!r} is no rank number")
    return int(text)


def _read_map(path: Path) -> tuple[Mapping[str, str], ...]:
    """The lines of a CSV file: report, pid, rank, host, by its header, else in that order."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = [[cell.strip() for cell in line] for line in csv.reader(stream)]
    except (OSError, UnicodeError, csv.Error) as error:
        raise UsageError(f"{path}: can't be read as CSV: {error}") from error
    rows = [line for line in lines if any(line)]
    names: Iterable[str] = COLUMNS
    if rows and rows[0][0].lower() == "report":
        names = [name.lower() for name in rows.pop(0)]
        if unknown := [name for name in names if name not in COLUMNS]:
            raise UsageError(f"{path}: no column {unknown[0]!r}; there are {', '.join(COLUMNS)}")
    if not rows:
        raise UsageError(f"{path}: no ranks in it; a line is report,pid,rank,host")
    listed = list(names)
    for number, row in enumerate(rows, 1):
        if len(row) > len(listed) or not row[0]:
            raise UsageError(f"{path}: row {number} is no report,pid,rank,host")
    return tuple(dict(zip(listed, row, strict=False)) for row in rows)
