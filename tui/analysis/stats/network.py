"""What network adapters and switches had to wait for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.extra import left_out_note, looked_up, rows_in_scope
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import count, text, time
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
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
    names = metrics.texts("name")
    pairs = np.stack([metrics["metricsListId"], metrics["metricsIdx"]], axis=1).tolist()
    waits = list(dict.fromkeys(tuple(p) for p, name in zip(pairs, names, strict=True) if name == SEND_WAITS))
    tables = [report.extra_rows(table) for table in (NIC_METRICS, SWITCH_METRICS)]
    chosen, metrics_of = [], []
    for rows in tables:
        metric = _metric_places(rows, waits)
        found = rows_in_scope(report, choices.scope, rows)
        found = found[((metric < len(waits)) & (rows["value"] > threshold))[found]]
        chosen.append(found)
        metrics_of.append(metric[found])
    start, end, rate, device = (
        np.concatenate([rows[name][which] for rows, which in zip(tables, chosen, strict=True)])
        for name in ("start", "end", "value", "globalId")
    )
    adapters = _adapters(report, device[: len(chosen[0])].tolist())
    guid = [one.guid for one in adapters] + device[len(chosen[0]) :].tolist()
    name = [one.name for one in adapters]
    columns = (
        time("Start (ns)", start),
        time("End (ns)", end, rank=2),
        time("Duration (ns)", end - start),
        count("Send wait rate (ticks/ms)", rate, key="send_wait_rate_ticks_per_ms"),
        text("GUID", [None if value is None else f"{value & 0xFFFFFFFFFFFFFFFF:x}" for value in guid]),
        text("Device name", name + [None] * len(chosen[1]), blank="-"),
    )
    table = network_congestion.table(columns, left_out_note(*tables))
    # Of one start, samples of adapters stand in the order of these, those of switches in that of the metrics.
    source = np.repeat(np.arange(len(chosen)), [len(which) for which in chosen])
    place = np.concatenate([np.array([one.place for one in adapters], np.int64), metrics_of[1]])
    return table.ordered(np.lexsort((end, place, source, start)))


class Adapter(NamedTuple):
    """A network adapter, as far as it is known, and its place among all."""

    guid: int | None
    name: str | None
    place: int


def _metric_places(rows: ExtraRows, metrics: list[tuple[int, ...]]) -> Int64:
    """The place of each sample's metric among ``metrics``, pairs of list and index; their number for none."""
    places = np.full(len(rows), len(metrics), np.int64)
    for place, (number, at) in enumerate(metrics):
        places[(rows["metricsListId"] == number) & (rows["metricsIdx"] == at)] = place
    return places


def _adapters(report: Report, devices: list[int]) -> list[Adapter]:
    """The adapter of each global id, named after its model, else by its own name."""
    nics, ids, models = (report.extra_rows(table) for table in (NICS, NIC_IDS, NIC_MODELS))
    nic_of = dict(zip(ids["globalId"].tolist()[::-1], ids["nicId"].tolist()[::-1], strict=True))
    own = nics.texts("name")
    labels = looked_up(models["id"], models.texts("label"), nics["deviceId"])
    known = [
        Adapter(None if guid == NULL else guid, label or name, place)
        for place, (guid, label, name) in enumerate(zip(nics["GUID"].tolist(), labels, own, strict=True))
    ]
    by_nic = dict(zip(nics["nicId"].tolist()[::-1], known[::-1], strict=True))
    by_global = dict(zip(nics["globalId"].tolist()[::-1], known[::-1], strict=True))
    by_global.pop(NULL, None)
    none = Adapter(None, None, len(known))
    return [by_global.get(d) or by_nic.get(nic_of.get(d, NULL), none) for d in devices]
