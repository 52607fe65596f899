"""Metrics: what each device and the machine measured in the window, in all, while kernels ran, and idle."""

from __future__ import annotations

from dataclasses import replace

from tui.analysis.captured import lacking
from tui.analysis.kinds.metrics import GPU_METRICS
from tui.analysis.metrics.about_tables import notes_on, worded_table
from tui.analysis.metrics.capture import metrics_of
from tui.analysis.metrics.device_busy import hollow
from tui.analysis.metrics.groups import By
from tui.analysis.metrics.hints import configured_thresholds
from tui.analysis.metrics.metric import Metric
from tui.analysis.metrics.table import chosen, groups_table, metrics_table
from tui.browse.page import Page, Pairs, Section
from tui.browse.pages.request import PageRequest
from tui.text import safe
from tui.text.numbers import share
from tui.text.times import brief

COLUMNS = {
    "metric": "metric",
    "mean": "mean",
    "mean_busy": "in busy",
    "mean_idle": "in idle",
    "p95": "p95",
    "max": "max",
    "coverage_pct": "known %",
}
KERNELS = {"name": "kernel", "ns": "time", "n_pure": "alone", "pure_mean": "SM active", "hint": "hint"}
MOST_ROWS = 100
NAME_LEAST = 22


def metrics_page(request: PageRequest) -> Page:
    """One table a device and the machine, then the kernels by time with what limits them."""
    index, scope = request.index, replace(request.scope, processes=None)
    if not metrics_of(index):
        words = metrics_of(index).problem or lacking(index.report, GPU_METRICS)
        return [Section("Metrics", lines=(safe(words),))]
    sections = []
    listed = chosen(index, scope)
    for owner in dict.fromkeys((metric.device, metric.gpu) for metric in listed):
        request.stop_if_dropped()
        mine = [metric for metric in listed if (metric.device, metric.gpu) == owner]
        sections.append(_metrics(request, mine, *owner))
    request.stop_if_dropped()
    active = [metric for metric in listed if metric.device >= 0 and metric.key == "sm_active"]
    if active:
        table = groups_table(index, scope, active, By.KERNEL, configured_thresholds())
        shown = worded_table(table.head(MOST_ROWS)).pick(KERNELS)
        sections.append(Section(f"What limits kernels · {request.label}", shown, least=NAME_LEAST))
    lines = tuple(f"- {safe(note)}" for note in notes_on(index, listed))
    return [*sections, Section("What these figures rest on", lines=lines)]


def _metrics(request: PageRequest, metrics: list[Metric], device: int, gpu: int | None) -> Section:
    index, window = request.index, request.window
    table = worded_table(metrics_table(index, request.scope, metrics)).pick(COLUMNS)
    names = [metric.name for metric in metrics]
    table = replace(
        table,
        columns=tuple(
            replace(column, values=names) if column.key == "metric" else column for column in table.columns
        ),
    )
    if device >= 0:
        title = f"GPU {index.report.devices[device].cuda_id}"
    else:
        title = "Machine" if gpu is None else f"GPU {gpu}, no recorded work"
    lines: tuple[str, ...] = ()
    if device >= 0 and (found := hollow(index, device, window.start, window.end)) is not None:
        lines = (_hollow_words(found.kernel_ns, found.hollow_ns, window.length),)

    def details(row: int) -> Pairs | None:
        return [(label, safe(text)) for label, text in metrics[row].details]

    return Section(f"{title} · {request.label}", table, lines, least=NAME_LEAST, details=details)


def _hollow_words(kernel_ns: int, hollow_ns: int | None, window_ns: int) -> str:
    """How much of a window kernels run, and how much of it SMs stand empty though they do."""
    busy = f"kernels run {share(kernel_ns, window_ns)} of the window"
    if hollow_ns is None:
        return f"{busy}; how full they are is unknown"
    return f"{busy}; hollow {share(hollow_ns, window_ns)} ({brief(hollow_ns)}): SMs empty while they run"
