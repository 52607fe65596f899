"""What the profiler warned of, and which figures that makes doubtful."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from tui.report.data import Diagnostic, ReportData
from tui.text import safe
from tui.text.numbers import plural


class Source(Enum):
    """A source of data that may have lost some."""

    CUDA = "CUDA"
    NVTX = "NVTX"
    OS = "OS calls"
    SCHEDULING = "scheduling"
    SAMPLES = "CPU samples"
    METRICS = "GPU metrics"
    NETWORK = "network metrics"
    MPI = "MPI"
    GRAPHICS = "graphics"


_LOSS = (
    r"not all|might (not )?have been (collected|lost)|overflow|dropp?ed|\blost\b|missing|inconsistent|absent"
    r"|incomplete|truncat|discard|no .{0,60}(were|was) (collected|recorded)|(not|un)able to collect|failed to"
    r"|can ?not (be )?(collect|sampl|trac)\w*|not (be )?(available|supported|collected|enabled)|ran out of"
    r"|insufficient|paranoid|permission|privilege|disabled|buffers? (is|are|was|were) full"
)
"""Messages that say that something is not in the capture. Patterns are compiled once there is a message."""
_ABOUT: tuple[tuple[Source, str], ...] = (
    (Source.METRICS, r"gpu metric|metrics? sampl|gpu performance counter|ERR_NVGPUCTRPERM|soc metric"),
    (Source.NETWORK, r"\bnic\b|infiniband|network|ib switch"),
    (Source.SCHEDULING, r"schedul|context switch|ctxsw|paranoid"),
    (Source.SAMPLES, r"sampling|samples|backtrace|paranoid|perf_event|unwind|instruction pointer"),
    (Source.CUDA, r"\bcuda\b|cupti|\bkernels?\b"),
    (Source.NVTX, r"\bnvtx\b"),
    (Source.OS, r"os runtime|osrt|os library|file access"),
    (Source.MPI, r"\bmpi\b|\bucx\b|openshmem"),
    (Source.GRAPHICS, r"opengl|vulkan|d3d1|dx1|directx|wddm|etw"),
)
_HOST_SIDE = {Source.SCHEDULING, Source.SAMPLES}
_TABLES: tuple[tuple[str, tuple[Source, ...]], ...] = (
    ("nvtx_gpu", (Source.NVTX, Source.CUDA)),
    ("nvtx_kern", (Source.NVTX, Source.CUDA)),
    ("nvtx", (Source.NVTX,)),
    ("osrt", (Source.OS,)),
    ("files", (Source.OS,)),
    ("mpi", (Source.MPI,)),
    ("threads", (Source.SCHEDULING, Source.SAMPLES, Source.CUDA, Source.OS)),
    ("samples", (Source.SAMPLES, Source.SCHEDULING)),
    ("callers", (Source.SAMPLES,)),
    ("metrics", (Source.METRICS,)),
    ("network", (Source.NETWORK,)),
    *((prefix, (Source.GRAPHICS,)) for prefix in ("opengl", "vulkan", "dx1", "wddm", "nvvideo")),
    *(
        (prefix, (Source.CUDA,))
        for prefix in ("cuda", "um", "memory", "classes", "collectives", "cudnn", "cublas", "kern", "gpu")
    ),
    ("gaps", (Source.CUDA, Source.OS, Source.NVTX)),
    ("blame", (Source.CUDA, Source.OS, Source.NVTX)),
    ("steps", (Source.CUDA, Source.NVTX)),
    ("diagnosis", tuple(Source)),
)
"""How the names of tables begin, and what they are made of; the first that fits counts."""
_NAMED = 5
"""How many messages become notes."""


def affected(message: Diagnostic) -> frozenset[Source]:
    """The sources of which a warning or an error says that data are missing; all where it names none."""
    if message.severity not in ("warning", "error") or not re.search(_LOSS, message.text, re.IGNORECASE):
        return frozenset()
    named = frozenset(source for source, pattern in _ABOUT if re.search(pattern, message.text, re.IGNORECASE))
    if Source.METRICS in named:
        named -= _HOST_SIDE  # "GPU metrics sampling" is no sampling of CPUs
    vague = re.search(r"buffer|event|data|collect", message.text, re.IGNORECASE)
    return named or (frozenset(Source) if vague else frozenset())


def doubts_of(report: ReportData, table: str) -> list[Diagnostic]:
    """The messages that make figures of a table doubtful, each text once."""
    sources = next((sources for prefix, sources in _TABLES if table.startswith(prefix)), ())
    found = {m.text: m for m in report.diagnostics if affected(m).intersection(sources)}
    return list(found.values())


def doubt_note(report: ReportData, table: str) -> str | None:
    """The note on a table whose source is known to have lost data; None where none is. Safe for a screen."""
    found = doubts_of(report, table)
    if not found:
        return None
    more = f" (and {len(found) - 1} more: nsystui info)" if len(found) > 1 else ""
    return f"may be incomplete: the profiler said {safe(found[0].text)!r}{more}"


def diagnostic_notes(report: ReportData) -> list[str]:
    """Warnings and errors as notes of the report, first those that bend figures. Safe for a screen."""
    told = {m.text: m for m in report.diagnostics if m.severity in ("warning", "error")}
    order = sorted(told.values(), key=lambda message: not affected(message))
    return [*map(_note, order[:_NAMED]), *_rest(order[_NAMED:])]


def report_notes(report: ReportData) -> list[str]:
    """All notes of a report: what the profiler warned of, then what its import found."""
    return [*diagnostic_notes(report), *report.notes]


def _note(message: Diagnostic) -> str:
    bent = affected(message)
    what = "all figures" if bent == frozenset(Source) else ", ".join(sorted(source.value for source in bent))
    return f"the profiler's {message.severity}{f' (bends {what})' if bent else ''}: {safe(message.text)}"


def _rest(messages: list[Diagnostic]) -> Iterator[str]:
    if messages:
        yield f"{plural(len(messages), 'more warning')} of the profiler: nsystui info --all lists them"
