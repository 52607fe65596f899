"""The tables that are read on demand, by subject: a line here makes one known, to `nsystui info` too."""

from __future__ import annotations

from tui.report.extra.extra_table import ExtraTable, Times

UNIFIED_COPIES = ExtraTable(
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    Times.INTERVAL,
    ("globalPid", "deviceId", "bytes", "copyKind", "virtualAddress", "migrationCause"),
)
CPU_PAGE_FAULTS = ExtraTable(
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS", Times.INSTANT, ("globalPid", "address"), names=("CpuInstruction",)
)
GPU_PAGE_FAULTS = ExtraTable(
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    Times.INTERVAL,
    ("globalPid", "deviceId", "address", "numberOfPageFaults", "faultAccessType"),
)

_POOL = ("localMemoryPoolReleaseThreshold", "localMemoryPoolSize", "localMemoryPoolUtilizedSize")
MEMORY_USAGE = ExtraTable(
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
    Times.INSTANT,
    (
        "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType", "correlationId",
        "localMemoryPoolAddress", *_POOL,
    ),
    texts=("name",),
)  # fmt: skip
MEMORY_POOLS = ExtraTable(
    "CUDA_GPU_MEMORY_POOL_EVENTS",
    Times.INSTANT,
    ("globalPid", "deviceId", "address", "operationType", "poolType", *_POOL),
)
GPU_SIZES = ExtraTable("TARGET_INFO_GPU", Times.NONE, ("id", "totalMemory"))
CUDA_GPU_SIZES = ExtraTable("TARGET_INFO_CUDA_GPU", Times.NONE, ("deviceId", "pid", "globalMemorySize"))
CONTEXT_SWITCHES = tuple(
    ExtraTable(source, Times.NONE, ("tag", "vmId", "seqNo", "contextId", "timestamp", "globalPid", "gpuId"))
    for source in ("GPU_CONTEXT_SWITCH_EVENTS", "FECS_EVENTS")
)
"""The same table under its newer and its older name."""
SWITCH_TAGS = ExtraTable("ENUM_GPU_CTX_SWITCH", Times.NONE, ("id",), texts=("name",))
WDDM_MEMORY = {
    source: ExtraTable(source, Times.NONE, ("timestamp", "gpu", value, *more))
    for source, value, more in (
        ("GPU_MEMORY_USAGE_EVENTS", "newUsage", ("segmentGroup", "globalTid")),
        ("GPU_MEMORY_BUDGET_EVENTS", "newBudget", ("segmentGroup", "globalTid")),
        ("DEMOTED_BYTES_EVENTS", "commitment", ("globalTid",)),
        ("TOTAL_BYTES_RESIDENT_IN_SEGMENT_EVENTS", "totalBytesResident", ("segmentGroup", "segmentId")),
    )
}
"""Windows' own records of graphics memory, by table."""

MPI_EVENTS = tuple(
    ExtraTable(
        f"MPI_{kind}_EVENTS",
        Times.OPEN,
        ("globalTid", "tag", "remoteRank", "rootRank", "size", "recvSize", "commHandle"),
        names=("textId",),
    )
    for kind in ("P2P", "START_WAIT", "OTHER", "COLLECTIVES")
)
"""In the order of events that start together."""
MPI_COMMUNICATORS = ExtraTable("MPI_COMMUNICATORS", Times.NONE, ("commHandle", "size"))
_MESSAGE = ("globalTid", "bufferAddr", "packedSize", "peerWorkerUid", "tag")
UCX_SUBMIT, UCX_PROGRESS = (
    ExtraTable(f"UCP_{kind}_EVENTS", Times.OPEN, _MESSAGE, names=("textId",))
    for kind in ("SUBMIT", "PROGRESS")
)
MPI_RANKS = ExtraTable("MPI_RANKS", Times.NONE, ("globalTid", "rank"))

THREAD_NAMES = ExtraTable("ThreadNames", Times.NONE, ("globalTid", "priority"), names=("nameId",))
VULKAN_API = ExtraTable(
    "VULKAN_API", Times.INTERVAL, ("globalTid", "eventClass", "contextId", "correlationId"), names=("nameId",)
)
KHR_DEBUG = ExtraTable("KHR_DEBUG_EVENTS", Times.OPEN, ("globalTid", "eventClass"), names=("textId",))
DEBUG_CALLS = {
    source: ExtraTable(source, Times.INTERVAL, ("globalTid", "correlationId"), names=("textId",))
    for source in ("VULKAN_DEBUG_API", "D3D11_PIX_DEBUG_API", "D3D12_PIX_DEBUG_API")
}
"""Calls that begin and end a range of a graphics API, by table."""
GPU_RANGES = {
    source: ExtraTable(source, Times.INTERVAL, ("globalTid",), names=("textId",))
    for source in ("VULKAN_WORKLOAD", "DX12_WORKLOAD")
}
"""Work of a graphics API on GPUs, by table."""

_METRIC = ("globalId", "portId", "metricsListId", "metricsIdx", "value")
NIC_METRICS = ExtraTable("NET_NIC_METRIC", Times.INTERVAL, _METRIC)
SWITCH_METRICS = ExtraTable("NET_IB_SWITCH_METRIC", Times.INTERVAL, _METRIC)
NETWORK_METRICS = ExtraTable(
    "TARGET_INFO_NETWORK_METRICS", Times.NONE, ("metricsListId", "metricsIdx"), texts=("name", "unit")
)
NICS = ExtraTable(
    "TARGET_INFO_NIC_INFO",
    Times.NONE,
    ("GUID", "globalId", "nicId", "deviceId", "linkLayer"),
    texts=("name", "stateName"),
)
NIC_IDS = ExtraTable("NIC_ID_MAP", Times.NONE, ("nicId", "globalId"))
NIC_MODELS = ExtraTable("ENUM_NET_DEVICE_ID", Times.NONE, ("id",), texts=("label",))
LINK_LAYERS = ExtraTable("ENUM_NET_LINK_TYPE", Times.NONE, ("id",), texts=("label",))
SWITCH_CONGESTION = ExtraTable(
    "NET_IB_SWITCH_CONGESTION_EVENT", Times.INSTANT, ("globalId", "congestionType", "switchEgressPort")
)
IB_DEVICES = ExtraTable("NET_IB_DEVICE_INFO", Times.NONE, ("guid",), texts=("name",))
IB_PORTS = tuple(
    ExtraTable(source, Times.NONE, ("guid", "portNumber"), texts=("portLabel",))
    for source in ("NET_IB_DEVICE_PORT_INFO", "NET_IB_PORT_INFO")
)
"""The ports of switches, by what releases call the table."""

NVTX_PAYLOADS = ExtraTable(
    "NVTX_EVENTS",
    Times.NONE,
    ("globalTid", "domainId", "uint64Value", "int64Value", "uint32Value", "int32Value"),
    ("doubleValue", "floatValue"),
    names=("jsonTextId",),
    texts=("jsonText",),
    blobs=("binaryData",),
    present=(
        "jsonText", "jsonTextId", "binaryData", "uint64Value", "int64Value", "uint32Value", "int32Value",
        "doubleValue", "floatValue",
    ),
)  # fmt: skip
"""The events of NVTX that carry a payload, with its value wherever the export has it."""
NVTX_CATEGORIES = ExtraTable(
    "NVTX_EVENTS",
    Times.NONE,
    ("eventType", "globalTid", "domainId", "category"),
    names=("textId",),
    texts=("text",),
    only=("eventType", (33, 75)),
)
"""The names of categories, and of the domains that they are in."""
_OF_DEVICE = ("processId", "deviceId", "contextId", "streamId")
GIVEN_NAMES = {
    kind: ExtraTable(
        f"TARGET_INFO_NVTX_CUDA_{kind.upper()}", Times.NONE, _OF_DEVICE[low:high], texts=("name",)
    )
    for kind, low, high in (("device", 1, 2), ("context", 0, 3), ("stream", 0, 4))
}
"""The names that programs gave to devices, contexts and streams."""
_OF_SCHEMA = ("domainId", "schemaId")
PAYLOAD_SCHEMAS = ExtraTable(
    "NVTX_PAYLOAD_SCHEMAS", Times.NONE, (*_OF_SCHEMA, "globalPid", "type", "payloadSize"), texts=("name",)
)
PAYLOAD_ENTRIES = ExtraTable(
    "NVTX_PAYLOAD_SCHEMA_ENTRIES",
    Times.NONE,
    (*_OF_SCHEMA, "globalPid", "idx", "flags", "type", "arrayOrUnionDetail", "offset"),
    texts=("name",),
)
PAYLOAD_ENUMS = ExtraTable("NVTX_PAYLOAD_ENUMS", Times.NONE, (*_OF_SCHEMA, "size"), texts=("name",))
PAYLOAD_ENUM_ENTRIES = ExtraTable(
    "NVTX_PAYLOAD_ENUM_ENTRIES", Times.NONE, (*_OF_SCHEMA, "idx", "value"), texts=("name",)
)
PAYLOAD_LINKS = ExtraTable(
    "NVTX_EVENTS_PAYLOAD_SCHEMAS", Times.NONE, ("eventId", "globalPid", "domainId", "payloadSchemaID")
)
"""Which tables of payloads have rows of which events."""
PAYLOAD_NAMES = ExtraTable("NVTX_EXPORT_TRANSLATION", Times.NONE, (), texts=("originalName", "sanitizedName"))
"""What fields are called in those tables."""

QUEUE_STARTS, QUEUE_STOPS = (
    ExtraTable(
        f"WDDM_QUEUE_PACKET_{edge}_EVENTS",
        Times.INSTANT,
        ("globalTid", "gpu", "context", "submitSequence", "engineType"),
    )
    for edge in ("START", "STOP")
)
DMA_STARTS, DMA_STOPS = (
    ExtraTable(
        f"WDDM_DMA_PACKET_{edge}_EVENTS",
        Times.INSTANT,
        ("globalTid", "gpu", "context", f"uli{number}Id", "engineType"),
    )
    for edge, number in (("START", "Submission"), ("STOP", "Completion"))
)
QUEUE_CONTEXTS = ExtraTable(
    "TARGET_INFO_WDDM_CONTEXTS", Times.NONE, ("context", "nodeOrdinal"), texts=("friendlyName",)
)
QUEUE_ENGINES = ExtraTable("ENUM_WDDM_ENGINE_TYPE", Times.NONE, ("id",), texts=("label",))

DX12_API = ExtraTable("DX12_API", Times.INTERVAL, ("id", "globalTid"), names=("nameId",))
DX12_MEMORY_OPERATIONS = ExtraTable(
    "DX12_MEMORY_OPERATION", Times.NONE, ("gpu", "heapType", "heapFlags", "cpuPageProperty", "traceEventId")
)

SAMPLES = ExtraTable("COMPOSITE_EVENTS", Times.INSTANT, ("id", "globalTid", "cpuCycles"))
_FRAME = ("id", "stackDepth", "kernelMode", "unwindMethod")
SAMPLE_FRAMES, OS_CALL_FRAMES, CUDA_CALL_FRAMES = (
    ExtraTable(f"{kind}_CALLCHAINS", Times.NONE, _FRAME, names=("symbol", "module"))
    for kind in ("SAMPLING", "OSRT", "CUDA")
)
"""One row a function of a stack, the leaf at depth 0. Those of CUDA calls have fewer columns."""
OS_CALL_CHAINS = ExtraTable("OSRT_API", Times.INTERVAL, ("callchainId",))
CUDA_CALL_CHAINS = tuple(
    ExtraTable(
        f"CUPTI_ACTIVITY_KIND_{kind}",
        Times.INTERVAL,
        ("globalTid", "correlationId", "callchainId"),
        names=("nameId",),
    )
    for kind in ("RUNTIME", "DRIVER")
)

_EVENT = ("globalPid", "contextId", "streamId", "correlationId", "eventId", "eventSyncId")
CUDA_EVENT_RECORDS = ExtraTable(
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT", Times.NONE, (*_EVENT, "deviceId", "timestamp")
)
CUDA_WAITS = ExtraTable("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", Times.NONE, (*_EVENT, "syncType"))
FILE_ACCESSES = ExtraTable(
    "OSRT_FILE_ACCESS_EVENTS",
    Times.NONE,
    ("fileAccessId", "threadId", "startedAt", "endedAt", "eventType", "bytesProcessed"),
    names=("apiCallId",),
)
FILES = ExtraTable(
    "OSRT_FILE_ACCESS_DESCRIPTORS", Times.NONE, ("fileAccessId", "processId", "openedAt"), texts=("filePath",)
)
PROGRAM_OUTPUT = ExtraTable("ProcessStreams", Times.NONE, ("globalPid",), names=("filenameId", "contentId"))
"""What programs printed. It may hold secrets: only who asks for it is shown any."""

EXTRA_TABLES: tuple[ExtraTable, ...] = (
    UNIFIED_COPIES, CPU_PAGE_FAULTS, GPU_PAGE_FAULTS, *MPI_EVENTS, MPI_RANKS, MPI_COMMUNICATORS,
    UCX_SUBMIT, UCX_PROGRESS, THREAD_NAMES, VULKAN_API, KHR_DEBUG, *DEBUG_CALLS.values(),
    *GPU_RANGES.values(), NIC_METRICS, SWITCH_METRICS, NETWORK_METRICS, NICS, NIC_IDS, NIC_MODELS,
    QUEUE_STARTS, QUEUE_STOPS, DMA_STARTS, DMA_STOPS, QUEUE_CONTEXTS, QUEUE_ENGINES, DX12_API,
    DX12_MEMORY_OPERATIONS, SAMPLES, SAMPLE_FRAMES, OS_CALL_FRAMES, CUDA_CALL_FRAMES, OS_CALL_CHAINS,
    *CUDA_CALL_CHAINS, PROGRAM_OUTPUT, FILE_ACCESSES, FILES, CUDA_EVENT_RECORDS, CUDA_WAITS, MEMORY_USAGE,
    MEMORY_POOLS, GPU_SIZES, CUDA_GPU_SIZES, *CONTEXT_SWITCHES, SWITCH_TAGS, *WDDM_MEMORY.values(),
    LINK_LAYERS, SWITCH_CONGESTION, IB_DEVICES, *IB_PORTS, NVTX_PAYLOADS, PAYLOAD_SCHEMAS,
    PAYLOAD_ENTRIES, PAYLOAD_ENUMS, PAYLOAD_ENUM_ENTRIES, PAYLOAD_LINKS, PAYLOAD_NAMES, NVTX_CATEGORIES,
    *GIVEN_NAMES.values(),
)  # fmt: skip
METRIC_TABLES = frozenset(
    {
        "GPU_METRICS", "SOC_METRICS", "GENERIC_EVENTS", "PMU_EVENTS", "UNCORE_PMU_EVENTS",
        "PERF_EVENT_CPU_RAW_EVENT", "PERF_EVENT_SOC_OR_CPU_RAW_EVENT",
    }
)  # fmt: skip
"""Tables with values of counters over time; those of GENERIC_EVENTS are some of its rows."""
_ABOUT_METRICS = frozenset(
    {
        "TARGET_INFO_GPU_METRICS", "TARGET_INFO_SOC_METRICS", "TARGET_INFO_PERF_METRIC", "GENERIC_EVENT_DATA",
        "GENERIC_EVENT_TYPE_FIELDS", "ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE", "PMU_EVENT_COUNTERS",
        "PMU_EVENT_REQUESTS", "UNCORE_PMU_EVENT_VALUES",
    }
)  # fmt: skip
"""What says more of them."""
SOURCES = METRIC_TABLES | _ABOUT_METRICS | {table.source for table in EXTRA_TABLES}
"""The tables of an export that are read on demand."""
