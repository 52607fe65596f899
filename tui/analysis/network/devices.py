"""The network adapters and switches of a report, by the ids that their samples have."""

from __future__ import annotations

from dataclasses import dataclass

from tui.analysis.stats.extra import looked_up
from tui.report.columns import NULL
from tui.report.extra.tables import IB_DEVICES, IB_PORTS, LINK_LAYERS, NIC_IDS, NIC_MODELS, NICS
from tui.report.model import Report

_BITS = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True)
class NetworkDevice:
    """An adapter or a switch."""

    name: str
    """Its own name (``mlx5_0``), not yet safe for a screen."""
    model: str | None = None
    link: str | None = None
    """The layer of its link: ``InfiniBand``, ``Ethernet``."""
    guid: int | None = None
    is_switch: bool = False


def adapters(report: Report) -> dict[int, NetworkDevice]:
    """The adapters by every id that samples may have: that of the file's map, their own, their GUID."""
    nics, ids = report.extra_rows(NICS), report.extra_rows(NIC_IDS)
    models, links = report.extra_rows(NIC_MODELS), report.extra_rows(LINK_LAYERS)
    labels = looked_up(models["id"], models.texts("label"), nics["deviceId"])
    layers = looked_up(links["id"], links.texts("label"), nics["linkLayer"])
    found = []
    columns = (nics[column].tolist() for column in ("GUID", "globalId", "nicId"))
    for (guid, own, number), name, model, link in zip(
        zip(*columns, strict=True), nics.texts("name"), labels, layers, strict=True
    ):
        known = None if guid == NULL else guid & _BITS
        title = name or model or f"NIC {number if number != NULL else '?'}"
        found.append((guid, own, number, NetworkDevice(title, model, link, known)))
    by_number = {number: device for _, _, number, device in reversed(found) if number != NULL}
    placed = {guid: device for guid, _, _, device in reversed(found) if guid != NULL}
    mapped = zip(ids["globalId"].tolist()[::-1], ids["nicId"].tolist()[::-1], strict=True)
    placed |= {key: by_number[number] for key, number in mapped if number in by_number}
    placed |= {own: device for _, own, _, device in reversed(found) if own != NULL}
    return placed


def switches(report: Report) -> dict[int, NetworkDevice]:
    """The switches by their GUID, which is what their samples name them by."""
    rows = report.extra_rows(IB_DEVICES)
    return {
        guid: NetworkDevice(name or f"switch {guid & _BITS:x}", guid=guid & _BITS, is_switch=True)
        for guid, name in zip(rows["guid"].tolist()[::-1], rows.texts("name")[::-1], strict=True)
        if guid != NULL
    }


def port_labels(report: Report) -> dict[tuple[int, int], str]:
    """The labels of the ports of switches, by GUID and number."""
    found: dict[tuple[int, int], str] = {}
    for table in IB_PORTS:
        rows = report.extra_rows(table)
        numbers = zip(rows["guid"].tolist(), rows["portNumber"].tolist(), strict=True)
        for key, label in zip(numbers, rows.texts("portLabel"), strict=True):
            if label:
                found.setdefault(key, label)
    return found


def unnamed(key: int, *, is_switch: bool) -> NetworkDevice:
    """A device that the export says nothing of."""
    number = "?" if key == NULL else f"{key & _BITS:x}"
    return NetworkDevice(f"{'switch' if is_switch else 'NIC'} {number}", is_switch=is_switch)
