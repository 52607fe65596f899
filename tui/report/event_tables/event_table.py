"""The descriptor of a table of events: all that the rest of the product knows of one kind of event."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

from tui.report.columns import Array, Bool, Columns, Int64, Positions
from tui.report.data import ReportData
from tui.text import safe

C = TypeVar("C", bound=Columns)
Pairs = list[tuple[str, str]]
"""Labels and values for a screen."""

TINTS = 6
"""How many shades of one hue there are, so that neighbouring names look different."""


class Owner(Enum):
    """What the rows of a table belong to. Their lanes lie below it."""

    DEVICE = "device"
    """The GPU in the column ``device``; ``process`` says whose work it was."""
    THREAD = "thread"
    """The thread in the column ``thread``."""


class Split(Enum):
    """The columns by which the rows of a device or thread are spread over lines."""

    WHOLE = ()
    """One lane holds all of them."""
    LEVELS = ("level",)
    """The outermost are on the thread's heading, the others in one lane, a line a level."""
    STREAMS = ("process", "context", "stream")
    """Each has a lane of its own."""


class Phase(Enum):
    """How the rows of a table relate to the ranges of their thread."""

    IS_ONE = "is one"
    """They are the ranges."""
    INSIDE = "inside"
    """They happen in the ranges that contain them; ops: in those that contain their launch."""
    APART = "apart"


@dataclass(frozen=True)
class LaneShape(Generic[C]):
    """A kind of lane that is cut out of a table: ``title`` names it below its device or thread."""

    title: str
    rows: Callable[[C], Bool] | None = None
    """Which rows it shows; None: all."""
    split: Split = Split.WHOLE
    key: str = ""
    """What the lanes' keys have instead of ``title``; empty: the title."""


class Doubt(NamedTuple):
    """Rows of a source that contradict others: see :class:`~tui.report.data.Doubtful`."""

    kind: str
    rows: int
    example: str
    excluded: bool = False


class Made(NamedTuple):
    """The columns that a source's rows become, by start, and the doubtful rows; ``thread``: globalTids."""

    columns: dict[str, Array]
    doubts: list[Doubt]


Bounds = tuple[int, int] | None
"""First start and last end (ns) of what other tables recorded; None for nothing."""


@dataclass(frozen=True)
class Reading:
    """How the rows of a table's one source become its columns.

    ``start``, ``end``, ``rowid`` and the owner are read for all, and :attr:`ColumnTable.from_columns`. Rows
    of impossible times are left out.
    """

    names: tuple[str, ...] = ()
    """Columns of the source that may have the id of ``name``: the first that is there counts."""
    only: tuple[str, tuple[int, ...]] | None = None
    """A column of the source, and the values of the rows that are events."""
    make: Callable[[dict[str, Int64], Bounds], Made] | None = None
    """Makes the columns of all rows of the source (``rowid`` and ``from_columns``, by start), where a row is
    no interval of its own."""


@dataclass(frozen=True)
class ColumnTable(Generic[C]):
    """A table of columns of a report: its name among :attr:`ReportData.events`, and its class."""

    name: str
    columns: type[C]
    from_columns: Mapping[str, str] = field(default_factory=dict)
    """The columns that are read as they are, and what the export calls them: of several names (with spaces
    between them) the first that is there counts. An index (Int32) is that of the string whose id is read."""
    facts: tuple[tuple[str, str, Callable[..., str]], ...] = ()
    """What the details of a row say: a label, the names of columns (with spaces between them), and what makes
    words of the report and the values of these columns. Empty words are left out."""

    def of(self, report: ReportData) -> C:
        """The columns of one report."""
        found = report.events[self.name]
        assert isinstance(found, self.columns)
        return found

    def details(self, report: ReportData, row: int) -> Pairs:
        """Labels and values of a row, safe for a screen."""
        columns = self.of(report)
        pairs = [
            (label, words(report, *(int(getattr(columns, name)[row]) for name in names.split())))
            for label, names, words in self.facts
        ]
        return [pair for pair in pairs if pair[1]]


def recorded_name(report: ReportData, code: int) -> str:
    """What :attr:`ReportData.strings` has under an index."""
    return str(report.strings[code])


@dataclass(frozen=True, kw_only=True)
class EventTable(ColumnTable[C]):
    """One kind of event. The functions are given a report and a row (or rows, or a value) of the table."""

    sources: tuple[str, ...]
    """Tables of the export whose rows they are."""
    title: str
    """The title of its lanes, and of the table while it is being read."""
    noun: str
    """What one row is called."""
    owner: Owner
    lanes: tuple[LaneShape[C], ...]
    style: Callable[[ReportData, int], str]
    """The style of rows of one look; ``#rrggbb`` is a colour that the application gave."""
    looks: Callable[[ReportData, Positions], Array] | None = None
    """An integer a row: equal for rows that look alike. None: all do."""
    legend: tuple[tuple[str, str], ...] = ()
    """Styles and what they mean."""
    parts: tuple[ColumnTable[Any], ...] = ()
    """Columns that only some of the rows have, each a table of its own."""
    instant: bool = False
    """Its rows end when they start."""
    aside: bool = False
    """Its rows accompany a program's work: they don't say how long a capture is nor who did device work, and
    threads that have nothing else come last."""
    comes_with: str = ""
    """The table that it is read together with, which announces both."""
    name_column: str = "name"
    word: Callable[[ReportData, int], str] = recorded_name
    """The name that a value of :attr:`name_column` means."""
    names: Callable[[ReportData, int, str], tuple[str, str]] = lambda report, row, name: (name, name)
    """The (full, short) names on the timeline of a row whose recorded name is given."""
    more: Callable[[ReportData, int], Pairs] = lambda report, row: []
    """The details of a row that are no facts of this table's columns alone."""
    place: Callable[[ReportData, int], str] | None = None
    """Where a row happened, if its lane does not say it."""
    phase: Phase = Phase.INSIDE
    cause: str = ""
    """The table of whose rows ``launch`` says which one issued a row; empty where there is no such column."""
    exports: tuple[str, ...] = ()
    """What ``export`` calls the rows, by ``kind`` where there are several words; empty: it has none."""
    bytes: Callable[[ReportData, Positions], Int64] | None = None
    absent: str = ""
    """What a report has to say where the export has none of the sources."""
    reading: Reading | None = None
    """None: an import has a stage of its own for it."""

    def times(self, report: ReportData) -> tuple[Int64, Int64]:
        """The columns of starts and ends."""
        columns: Any = self.of(report)
        return columns.start, columns.start if self.instant else columns.end

    def owners(self, report: ReportData) -> Array:
        """The device or thread of each row; -1 where it is not known."""
        found: Array = getattr(self.of(report), self.owner.value)
        return found

    def codes(self, report: ReportData) -> Array:
        """The values of :attr:`name_column`."""
        found: Array = getattr(self.of(report), self.name_column)
        return found

    @property
    def named_by_string(self) -> bool:
        """Whether the codes are positions in :attr:`ReportData.strings`."""
        return self.word is recorded_name

    def name_of(self, report: ReportData, row: int) -> str:
        """The full name as recorded, not yet safe for a terminal."""
        return self.word(report, int(self.codes(report)[row]))

    def labels(self, report: ReportData, row: int) -> tuple[str, str]:
        """The (full, short) names, safe for a screen."""
        return self.names(report, row, safe(self.name_of(report, row)))

    def details(self, report: ReportData, row: int) -> Pairs:
        """Labels and values of a row, safe for a screen."""
        return [*super().details(report, row), *self.more(report, row)]

    def has_column(self, name: str) -> bool:
        """Whether its rows have a column of that name."""
        return name in self.columns.__dataclass_fields__


def always(style: str) -> Callable[[ReportData, int], str]:
    """The style of a table whose rows all look alike."""
    return lambda report, look: style


def tint(name: str, shades: int = TINTS) -> int:
    """A shade for a name: the same in every run and on every machine."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % shades


def own_colours(colors: Int64) -> Int64:
    """The colours (ARGB, NULL for none) that an application gave, as 32 bits; 0 for none."""
    return colors & 0xFFFFFFFF


def own_colour(argb: int) -> str:
    """The style of a colour that an application gave."""
    return f"#{argb & 0xFFFFFF:06x}"
