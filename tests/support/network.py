"""Samples of network adapters and switches, in every form that releases have them."""

from __future__ import annotations

from typing import Literal

from tests.support.export import Export

NicForm = Literal["guid", "globalId"]
LIST = 3
METRICS: tuple[tuple[str, str], ...] = (
    ("IB: Bytes sent", "bytes/ms"),
    ("IB: Bytes received", "bytes/ms"),
    ("IB: Packets sent", "packets/ms"),
    ("IB: Send waits", "ticks/ms"),
    ("Eth: Bytes sent", "bytes/ms"),
    ("IPoIB: Bytes sent", "bytes/ms"),
    ("Temperature", "C"),
)
MS = 1_000_000


class NetworkExport(Export):
    """An export with network devices."""

    def adapters(self, *names: str, form: NicForm = "guid", first: int = 900) -> None:
        """Adapters with the global ids ``first``, ``first`` + 1...; by a map of ids, or by their own."""
        for at, name in enumerate(names):
            about = {
                "stateName": "",
                "nicId": at,
                "name": name,
                "deviceId": 4129,
                "vendorId": 5555,
                "linkLayer": 1,
            }
            if form == "guid":
                self.row("TARGET_INFO_NIC_INFO", GUID=-5 - at, **about)
                self.row("NIC_ID_MAP", nicId=at, globalId=first + at)
            else:
                self.row("TARGET_INFO_NIC_INFO", globalId=first + at, **about)
        if form == "globalId":
            self.add_column("TARGET_INFO_NIC_INFO", "globalId", before="stateName")
            self.omit("TARGET_INFO_NIC_INFO", "GUID")
        self.row("ENUM_NET_DEVICE_ID", id=4129, name="X", label="ConnectX-7")
        self.row("ENUM_NET_LINK_TYPE", id=1, name="IB", label="InfiniBand")

    def metrics(self) -> None:
        """List the metrics that samples may have."""
        for at, (name, unit) in enumerate(METRICS):
            self.row(
                "TARGET_INFO_NETWORK_METRICS",
                metricsListId=LIST, metricsIdx=at, name=name, description="", unit=unit,
            )  # fmt: skip

    def sample(
        self, start: int, end: int, metric: int, value: int | None, device: int = 900, port: int | None = 1,
        table: str = "NET_NIC_METRIC",
    ) -> None:  # fmt: skip
        """One sample; ``port`` None: the export has no ports."""
        ports = {} if port is None else {"portId": port}
        self.row(
            table,
            start=start, end=end, globalId=device, metricsListId=LIST, metricsIdx=metric, value=value,
            **ports,
        )  # fmt: skip

    def samples(self, metric: int, *values: int, start: int = 0, every: int = 20 * MS, **where: int) -> None:
        """Samples one after the other."""
        for at, value in enumerate(values):
            self.sample(start + at * every, start + (at + 1) * every, metric, value, **where)
