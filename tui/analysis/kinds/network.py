"""What is recorded of networks, and of what programs attach to NVTX events."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

NIC_SAMPLES = Kind(
    "network adapters",
    "NET_NIC_METRIC",
    "bytes and rates of each port: network",
    "--nic-metrics=true (later releases: lf or hf)",
)
SWITCH_SAMPLES = Kind(
    "network switches",
    "NET_IB_SWITCH_METRIC",
    "bytes and rates of each port: network",
    "--ib-switch-metrics-device=GUID",
)
CONGESTION = Kind(
    "switch congestion",
    "NET_IB_SWITCH_CONGESTION_EVENT",
    "when packets met congestion: the network's lanes",
    "--ib-switch-congestion-device=GUID",
)
PAYLOADS = Kind(
    "NVTX payloads",
    "NVTX_PAYLOAD_SCHEMAS",
    "sizes of NCCL's messages, where the export has their values: collectives",
    "--trace=nvtx",
)
KINDS = (NIC_SAMPLES, SWITCH_SAMPLES, CONGESTION, PAYLOADS)
