"""What is recorded of networks, and of what programs attach to NVTX events."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind
from tui.report.model import Report

NIC_SAMPLES = Kind(
    "network adapters",
    "NET_NIC_METRIC",
    "bytes and rates of each port: network",
    "--nic-metrics=true",
    also=("NIC_METRIC_EVENTS", "NETWORK_DEVICE_EVENTS"),
    parts=("TARGET_INFO_NETWORK_METRICS", "TARGET_INFO_NIC_INFO", "NIC_ID_MAP"),
)
SWITCH_SAMPLES = Kind(
    "network switches",
    "NET_IB_SWITCH_METRIC",
    "bytes and rates of each port: network",
    "--ib-switch-metrics-device=GUID",
    parts=("NET_IB_DEVICE_INFO", "NET_IB_PORT_INFO", "NET_IB_DEVICE_PORT_INFO", "NET_IB_DEVICE_TYPE_MAP"),
    rare=True,
)
CONGESTION = Kind(
    "switch congestion",
    "NET_IB_SWITCH_CONGESTION_EVENT",
    "when packets met congestion: the network's lanes",
    "--ib-switch-congestion-device=GUID",
    rare=True,
)
PAYLOADS = Kind(
    "NVTX payloads",
    "NVTX_PAYLOAD_SCHEMAS",
    "sizes of NCCL's messages, where the export has their values: collectives",
    "--trace=nvtx, of a program whose ranges have payloads,",
    parts=(
        "NVTX_PAYLOAD_SCHEMA_ENTRIES", "NVTX_PAYLOAD_ENUMS", "NVTX_PAYLOAD_ENUM_ENTRIES",
        "NVTX_EVENTS_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_RELATIONS", "NVTX_EXPORT_TRANSLATION",
        "NVTX_SCOPES",
    ),
    rare=True,
)  # fmt: skip
_SAMPLED = (NIC_SAMPLES, SWITCH_SAMPLES, CONGESTION)
KINDS = (*_SAMPLED, PAYLOADS)


def has_network_data(report: Report) -> bool:
    """Whether a report holds samples of network devices. Reads none of them."""
    sources = {kind.table for kind in _SAMPLED}
    return any(table.name in sources and table.rows for table in report.tables)
