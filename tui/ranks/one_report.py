"""One report of a set: its summary from the store, else made of the report and kept there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tui.analysis.index import Comm, Index
from tui.errors import ReportError, UsageError
from tui.ranks.summarise import summarise
from tui.ranks.summary import ReportSummary
from tui.ranks.summary_file import keep, load, pack
from tui.report import open_report
from tui.report.kernels.user_rules import UserRules, user_rules
from tui.report.recognise import examine
from tui.report.shelves import shelves_of


@dataclass(frozen=True)
class Choices:
    """How reports are opened and summarised."""

    cache_dir: Path | None = None
    """The store's folder; None: the default one."""
    use_store: bool = True
    use_nsys: bool = False
    comm: Comm = Comm.CLASS
    step: str | None = None
    rules: UserRules = field(default_factory=user_rules)
    """The user's classes of kernels."""


@dataclass(frozen=True)
class Outcome:
    """What came of one report; small, unless its summary could not be kept."""

    key: str = ""
    """Names the content that was summarised; its summary is in the store, unless it is in ``data``."""
    data: bytes | None = None
    """The packed summary, where the store did not take it."""
    error: str | None = None
    """The one line that says why there is no summary."""
    usage: str | None = None
    """What is wrong with the choices: no report can be summarised with them."""
    told: tuple[str, ...] = ()
    """What the user should know of the store."""


def kept_summary(key: str, choices: Choices) -> ReportSummary | None:
    """The summary of the report whose content ``key`` names, from the store; None where it has none."""
    if choices.use_store:
        for shelf in shelves_of(key, choices.cache_dir):
            if (found := load(shelf, choices.comm.value, choices.step, choices.rules)) is not None:
                return found
    return None


def content_key(path: Path) -> tuple[str, int]:
    """(what names the content of the file, its size in bytes). Raises ReportError for what is no report."""
    candidate = examine(path)
    return candidate.key, candidate.asked_stamp.size


def summarise_report(path: Path, choices: Choices) -> Outcome:
    """Open a report, summarise it and keep the summary. What is wrong with the report is in the outcome."""
    told: list[str] = []
    try:
        report = open_report(
            path,
            cache_dir=choices.cache_dir,
            use_store=choices.use_store,
            use_nsys=choices.use_nsys,
            tell=told.append,
            rules=choices.rules,
        )
        candidate = examine(path)
        if candidate.asked_stamp != report.stamp:
            return Outcome(
                error=f"{path}: changed while it was being read; open it again when it is finished"
            )
        made = summarise(Index(report, choices.comm, choices.step), candidate.key, left_out=told)
    except ReportError as error:
        return Outcome(error=str(error), told=tuple(told))
    except UsageError as error:
        return Outcome(usage=str(error))
    except MemoryError:
        return Outcome(error=f"{path}: too little memory to read it")
    data = pack(made, path.absolute())
    return file_summary(made.key, data, choices, tuple(told))


def file_summary(key: str, data: bytes, choices: Choices, told: tuple[str, ...] = ()) -> Outcome:
    """Keep a packed summary where the store takes it."""
    if choices.use_store:
        for shelf in shelves_of(key, choices.cache_dir):
            if keep(shelf, data, choices.comm.value, choices.step, choices.rules):
                return Outcome(key, told=told)
        told = (*told, NOT_KEPT)
    return Outcome(key, data, told=told)


NOT_KEPT = "the store can't take the summaries: they are kept in memory, and made again the next time"
