"""What network adapters and switches had to wait for."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.extra import left_out_note, looked_up, rows_in_scope, texts_of
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import count, text, time
from tui.analysis.table import Table
from tui.report.columns import NULL, Bool
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import NETWORK_METRICS, NIC_IDS, NIC_METRICS, NIC_MODELS, NICS, SWITCH_METRICS
from tui.report.model import Report

SEND_WAITS = "IB: Send waits"
THRESHOLD = 10_000


@stats_report(
    "Network Devices Congestion",
    "NIC or IB switch metrics",
    "When network devices had data to send and could not: times of a high send wait rate.",
    f"One row a sample of `{SEND_WAITS}` above the threshold, by start. A tick is about a nanosecond, but "
    "differs by device. `:ticks_threshold=N` sets the threshold (default 10000 ticks/ms).",
    "Equal to nsys's, but that it leaves out adapters whose model it does not know: they have their own name "
    "here.",
    options=("ticks_threshold=",),
)
def network_congestion(index: Index, choices: Choices) -> Table:
    """Samples with a high rate of send waits."""
    report, threshold = index.report, choices.number("ticks_threshold", THRESHOLD)
    metrics = report.extra_rows(NETWORK_METRICS)
    names = texts_of(metrics, "name")
    pairs = np.stack([metrics["metricsListId"], metrics["metricsIdx"]], axis=1).tolist()
    waits = {tuple(pair) for pair, name in zip(pairs, names, strict=True) if name == SEND_WAITS}
    tables = [report.extra_rows(table) for table in (NIC_METRICS, SWITCH_METRICS)]
    chosen = []
    for rows in tables:
        found = rows_in_scope(report, choices.scope, rows)
        chosen.append(found[(_of_metrics(rows, waits) & (rows["value"] > threshold))[found]])
    start, end, rate, device = (
        np.concatenate([rows[name][which] for rows, which in zip(tables, chosen, strict=True)])
        for name in ("start", "end", "value", "globalId")
    )
    guid, name = _adapters(report, device[: len(chosen[0])].tolist())
    guid += device[len(chosen[0]) :].tolist()
    columns = (
        time("Start (ns)", start),
        time("End (ns)", end, rank=2),
        time("Duration (ns)", end - start),
        count("Send wait rate (ticks/ms)", rate, key="send_wait_rate_ticks_per_ms"),
        text("GUID", [None if value is None else f"{value & 0xFFFFFFFFFFFFFFFF:x}" for value in guid]),
        text("Device name", name + [None] * len(chosen[1]), blank="-"),
    )
    table = network_congestion.table(columns, left_out_note(*tables))
    return table.ordered(np.argsort(start, kind="stable"))


def _of_metrics(rows: ExtraRows, metrics: set[tuple[int, ...]]) -> Bool:
    """Which samples are of one of the ``metrics``: pairs of list and index."""
    found = np.zeros(len(rows), bool)
    for number, at in metrics:
        found |= (rows["metricsListId"] == number) & (rows["metricsIdx"] == at)
    return found


def _adapters(report: Report, devices: list[int]) -> tuple[list[int | None], list[str | None]]:
    """The GUID and the name of each adapter by its global id: the model's name, else its own."""
    nics, ids, models = (report.extra_rows(table) for table in (NICS, NIC_IDS, NIC_MODELS))
    nic_of = dict(zip(ids["globalId"].tolist()[::-1], ids["nicId"].tolist()[::-1], strict=True))
    own = texts_of(nics, "name")
    labels = looked_up(models["id"], texts_of(models, "label"), nics["deviceId"])
    facts = [
        (None if guid == NULL else guid, label or name)
        for guid, label, name in zip(nics["GUID"].tolist(), labels, own, strict=True)
    ]
    by_nic = dict(zip(nics["nicId"].tolist()[::-1], facts[::-1], strict=True))
    by_global = dict(zip(nics["globalId"].tolist()[::-1], facts[::-1], strict=True))
    by_global.pop(NULL, None)
    found = [by_global.get(d) or by_nic.get(nic_of.get(d, NULL), (None, None)) for d in devices]
    return [guid for guid, _ in found], [name for _, name in found]
