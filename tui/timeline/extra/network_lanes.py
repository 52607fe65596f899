"""Below the host: what each port of its network adapters sends and receives, and when it has to wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.analysis.index import Index
from tui.analysis.network.congestion import congestion_events, may_have_congestion
from tui.analysis.network.series import UNVERIFIED, NetworkSeries, may_have_samples, network_samples
from tui.analysis.network.speeds import configured_speeds, speed_of
from tui.analysis.network.stretches import Stretches
from tui.errors import UsageError
from tui.report.columns import Int64
from tui.report.model import Report
from tui.text import safe
from tui.text.numbers import plural
from tui.text.rates import show_amount
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Cells, Density, Level, Pair, Series

NETWORK_STYLE, WAIT_STYLE, OTHER_STYLE = "series.4", "series.7", "series.5"
SHOWN_FOLDED = 4


def network_lanes(report: Report) -> Iterator[Lane]:
    """One lane of all adapters and switches, where a capture may have samples of any."""
    if may_have_samples(report) or may_have_congestion(report):
        yield Lane(
            "network", LaneKind.SERIES, "network", "network adapters of the host", late=load_network,
            brief=SHOWN_FOLDED,
        )  # fmt: skip


def load_network(index: Index) -> tuple[Series, ...]:
    """Bytes of all ports, sent above received, their waits below; then the rest. Without what is always 0."""
    try:
        speeds = configured_speeds()
    except UsageError:  # told where it is asked for
        speeds = {}
    series = [one for one in network_samples(index).series if not one.is_idle]
    levels = {id(one): _level(one, speed_of(one.device.name, speeds)) for one in series}
    pairs: dict[tuple[object, ...], dict[str, NetworkSeries]] = {}
    for one in series:
        if one.measure.thing == "bytes" and one.measure.direction is not None:
            pairs.setdefault(_port(one), {}).setdefault(one.measure.direction, one)
    lines: list[Series] = []
    left = [one for one in series if one.measure.is_wait]
    for mine in pairs.values():
        lines.append(_line(mine, levels))
        port = {(one.key, one.port) for one in mine.values()}
        lines += [levels[id(one)] for one in left if (one.key, one.port) in port]  # below what has to wait
        left = [one for one in left if (one.key, one.port) not in port]
    shown = {id(one) for mine in pairs.values() for one in mine.values()}
    rest = [*left, *(one for one in series if id(one) not in shown and not one.measure.is_wait)]
    return (*lines, *(levels[id(one)] for one in rest), *_congestion(index))


def _port(one: NetworkSeries) -> tuple[object, ...]:
    """What the two directions of one kind of traffic have in common."""
    return one.device.is_switch, one.key, one.port, one.metric.partition(":")[0]


def _line(mine: dict[str, NetworkSeries], levels: dict[int, Level]) -> Series:
    sent, received = (levels[id(mine[way])] if way in mine else None for way in ("sent", "received"))
    if sent is None or received is None:
        only = sent or received
        assert only is not None
        return only
    one = mine["sent"]
    top = max(sent.top, received.top)  # one scale: halves compare
    upper, lower = (_scaled(level, top) for level in (sent, received))
    details = (("above", "sent"), ("below", "received"), *sent.details)
    return Pair(title=_title(one, ""), details=details, note=UNVERIFIED, upper=upper, lower=lower)


def _scaled(level: Level, top: float) -> Level:
    return Level(
        title=level.title, details=level.details, note=level.note, values=level.values, style=level.style,
        top=top, words=level.words,
    )  # fmt: skip


def _level(one: NetworkSeries, speed: float | None) -> Level:
    measure = one.measure
    factor = measure.per_second
    greatest = one.greatest * factor
    words = _words(measure.unit)
    is_bytes = measure.thing == "bytes"
    style = WAIT_STYLE if measure.is_wait else NETWORK_STYLE if is_bytes else OTHER_STYLE
    scale = (
        "the greatest of the capture"
        if speed is None or not is_bytes
        else "the speed that the config file names"
    )
    details = [
        ("metric", safe(one.metric)),
        ("device", safe(one.device.name)),
        *((("model", safe(one.device.model)),) if one.device.model else ()),
        *((("link", safe(one.device.link)),) if one.device.link else ()),
        ("samples", plural(len(one.values), "sample")),
        ("greatest", words(greatest)),
        ("scale", scale),
    ]
    top = greatest if speed is None or not is_bytes else max(speed, greatest)
    title = (
        "waits"
        if measure.is_wait
        else {"sent": "sent", "received": "received"}.get(measure.direction or "", "")
    )
    if not is_bytes and not measure.is_wait:
        title = safe(one.metric)
    return Level(
        title=_title(one, title), details=tuple(details), note=UNVERIFIED,
        values=_Rates(one.values, factor), style=style, top=top if top > 0 else 1.0, words=words,
    )  # fmt: skip


def _title(one: NetworkSeries, what: str) -> str:
    """``mlx5_0/2 sent``: the adapter, its port if there may be several, and what of it."""
    port = "" if one.port_name is None or one.port == 1 else f"/{safe(one.port_name)}"
    protocol = one.metric.partition(":")[0] if ":" in one.metric else ""
    parts = (f"{safe(one.device.name)}{port}", safe(protocol) if protocol not in ("", "IB") else "", what)
    return " ".join(part for part in parts if part)


def _words(unit: str) -> Callable[[float], str]:
    return lambda value: show_amount(value, safe(unit))


class _Rates:
    """Stretches as rates a second."""

    def __init__(self, stretches: Stretches, factor: float) -> None:
        self._stretches = stretches
        self._factor = factor

    def over(self, edges: Int64) -> Cells:
        mean, low, high = self._stretches.over(edges)
        return Cells(mean * self._factor, low * self._factor, high * self._factor)


class _Instants:
    """Events by time."""

    def __init__(self, times: Int64) -> None:
        self._times = times

    def over(self, edges: Int64) -> Int64:
        return np.diff(np.searchsorted(self._times, edges, "left")).astype(np.int64)


def _congestion(index: Index) -> Iterator[Series]:
    """A line a switch: when packets met congestion in it."""
    for name, times in congestion_events(index):
        yield Density(
            title=f"{safe(name)} congestion", details=(("events", f"{len(times):,}"),), note=UNVERIFIED,
            counts=_Instants(times), style=WAIT_STYLE, noun="congestion event",
        )  # fmt: skip
