"""The tables of an export that the reports of nsys 2023.4 read, as that release writes them.

One line a table, in the notation of `fixtures.schema`: column names in file order, `!` is NOT NULL,
`:T` TEXT, `:R` REAL, all other columns are INTEGER.
"""

from __future__ import annotations

from fixtures.schema import Column, enums, parse_column

_OP = "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid"
_HOST = "start! end! eventClass! globalTid correlationId nameId!"
_ACC = (
    "start! end! nameId! globalTid eventKind! DeviceType! lineNo! cuDeviceId! cuContextId! cuStreamId! "
    "srcFile funcName"
)

_TABLES = {
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS": (
        "start! globalPid! address! originalFaultPc CpuInstruction! module! unresolvedFaultPc"
    ),
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS": (
        "start! end! globalPid! deviceId! address! numberOfPageFaults! faultAccessType!"
    ),
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        f"{_OP} demangledName! shortName! mangledName launchType cacheConfig registersPerThread! gridX! "
        "gridY! gridZ! blockX! blockY! blockZ! staticSharedMemory! dynamicSharedMemory! "
        "localMemoryPerThread! localMemoryTotal! gridId! sharedMemoryExecuted graphNodeId "
        "sharedMemoryLimitConfig"
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (
        f"{_OP} bytes! copyKind! deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId "
        "dstContextId migrationCause graphNodeId virtualAddress"
    ),
    "CUPTI_ACTIVITY_KIND_MEMSET": f"{_OP} value! bytes! graphNodeId memKind",
    "CUPTI_ACTIVITY_KIND_OPENACC_DATA": f"{_ACC} bytes varName",
    "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH": f"{_ACC} numGangs numWorkers vectorLength kernelName",
    "CUPTI_ACTIVITY_KIND_OPENACC_OTHER": f"{_ACC}",
    "CUPTI_ACTIVITY_KIND_RUNTIME": f"{_HOST} returnValue! callchainId",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": f"{_OP} syncType! eventId!",
    "D3D11_PIX_DEBUG_API": (
        "start! end! globalTid correlationId endCorrelationId nameId! shortContextId frameId color textId"
    ),
    "D3D12_PIX_DEBUG_API": (
        "start! end! globalTid correlationId endCorrelationId nameId! shortContextId frameId color textId "
        "commandListType objectNameId longContextId"
    ),
    "DX12_API": (
        "id! start! end! eventClass! globalTid correlationId endCorrelationId nameId! shortContextId "
        "frameId color textId commandListType objectNameId longContextId"
    ),
    "DX12_MEMORY_OPERATION": (
        "gpu rangeStart rangeEnd subresourceId heapType heapFlags cpuPageProperty nvApiFlags traceEventId!"
    ),
    "DX12_WORKLOAD": (
        "start! end! eventClass! globalTid correlationId endCorrelationId nameId! shortContextId frameId "
        "gpu color textId commandListType objectNameId longContextId"
    ),
    "KHR_DEBUG_EVENTS": (
        "eventClass! start! end textId globalTid source khrdType id severity correlationId context"
    ),
    "META_DATA_EXPORT": "name:T! value:T",
    "MPI_COLLECTIVES_EVENTS": "start! end globalTid textId commHandle rootRank size recvSize requestHandle",
    "MPI_COMMUNICATORS": (
        "rank timestamp commHandle parentHandle localRank size groupRoot groupRootUid members:T"
    ),
    "MPI_OTHER_EVENTS": "start! end globalTid textId",
    "MPI_P2P_EVENTS": "start! end globalTid textId commHandle tag remoteRank size requestHandle",
    "MPI_RANKS": "globalTid! rank!",
    "MPI_START_WAIT_EVENTS": "start! end globalTid textId requestHandle",
    "NET_IB_SWITCH_METRIC": "start! end! globalId! metricsListId! metricsIdx! value!",
    "NET_NIC_METRIC": "start! end! globalId! metricsListId! metricsIdx! value!",
    "NIC_ID_MAP": "nicId! globalId!",
    "NVTX_EVENTS": (
        "start! end eventType! rangeId category color text:T globalTid endGlobalTid textId domainId "
        "uint64Value int64Value doubleValue:R uint32Value int32Value floatValue:R jsonTextId jsonText:T"
    ),
    "NVVIDEO_DECODER_API": "start! end! eventClass! globalTid nameId!",
    "NVVIDEO_ENCODER_API": "start! end! eventClass! globalTid nameId!",
    "NVVIDEO_JPEG_API": "start! end! eventClass! globalTid nameId!",
    "OPENGL_WORKLOAD": (
        "start! end! eventClass! globalTid endGlobalTid correlationId endCorrelationId nameId! endNameId "
        "returnValue! frameId contextId gpu display"
    ),
    "OPENMP_EVENT_KIND_CANCEL": f"{_HOST} eventKind taskId",
    "OPENMP_EVENT_KIND_CRITICAL_SECTION": f"{_HOST} eventKind kind waitId",
    "OPENMP_EVENT_KIND_DISPATCH": f"{_HOST} eventKind kind parallelId taskId",
    "OPENMP_EVENT_KIND_FLUSH": f"{_HOST} eventKind threadId",
    "OPENMP_EVENT_KIND_LOCK_DESTROY": f"{_HOST} eventKind kind waitId",
    "OPENMP_EVENT_KIND_LOCK_INIT": f"{_HOST} eventKind kind waitId",
    "OPENMP_EVENT_KIND_MASTER": f"{_HOST} eventKind parallelId taskId",
    "OPENMP_EVENT_KIND_MUTEX_RELEASED": f"{_HOST} eventKind kind waitId taskId",
    "OPENMP_EVENT_KIND_MUTEX_WAIT": f"{_HOST} eventKind kind waitId taskId",
    "OPENMP_EVENT_KIND_PARALLEL": f"{_HOST} eventKind parallelId parentTaskId",
    "OPENMP_EVENT_KIND_REDUCTION": f"{_HOST} eventKind parallelId taskId",
    "OPENMP_EVENT_KIND_SYNC_REGION": f"{_HOST} eventKind parallelId taskId kind",
    "OPENMP_EVENT_KIND_SYNC_REGION_WAIT": f"{_HOST} eventKind parallelId taskId kind",
    "OPENMP_EVENT_KIND_TASK": f"{_HOST} eventKind parallelId taskId kind",
    "OPENMP_EVENT_KIND_TASK_CREATE": f"{_HOST} eventKind parentTaskId newTaskId",
    "OPENMP_EVENT_KIND_TASK_SCHEDULE": (
        f"{_HOST} eventKind parallelId priorTaskId priorTaskStatus nextTaskId"
    ),
    "OPENMP_EVENT_KIND_THREAD": f"{_HOST} eventKind threadId threadType",
    "OPENMP_EVENT_KIND_WORKSHARE": f"{_HOST} eventKind kind parallelId taskId count",
    "OSRT_API": "start! end! eventClass! globalTid nameId! returnValue! nestingLevel callchainId!",
    "PROCESSES": "globalPid pid name:T",
    "PROFILER_OVERHEAD": "start! end! globalTid nameId! returnValue!",
    "StringIds": "id! value:T!",
    "TARGET_INFO_GPU": (
        "vmId! id! name:T busLocation:T isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate "
        "smCount pwGpuId uuid:T luid chipName:T cuDevice"
    ),
    "TARGET_INFO_NETWORK_METRICS": "metricsListId! metricsIdx! name:T! description:T! unit:T!",
    "TARGET_INFO_NIC_INFO": "GUID! stateName:T! nicId! name:T! deviceId! vendorId! linkLayer!",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs utcTime:T localTime:T",
    "TARGET_INFO_WDDM_CONTEXTS": "context! engineType! nodeOrdinal! friendlyName:T!",
    "ThreadNames": "nameId! priority globalTid",
    "VULKAN_API": "id! start! end! eventClass! globalTid correlationId endCorrelationId nameId! contextId",
    "VULKAN_DEBUG_API": (
        "start! end! eventClass! globalTid correlationId endCorrelationId nameId! contextId color textId"
    ),
    "VULKAN_WORKLOAD": (
        "start! end! eventClass! globalTid correlationId endCorrelationId nameId! gpu contextId color textId"
    ),
    "WDDM_DMA_PACKET_START_EVENTS": (
        "start! end! globalTid gpu! context! queuePacketContext! uliSubmissionId! dmaBuffer! packetType! "
        "ulQueueSubmitSequence! quantumStatus! engineType!"
    ),
    "WDDM_DMA_PACKET_STOP_EVENTS": (
        "start! end! globalTid gpu! context! uliCompletionId! packetType! ulQueueSubmitSequence! "
        "preempted! engineType!"
    ),
    "WDDM_QUEUE_PACKET_START_EVENTS": (
        "start! end! globalTid gpu! context! dmaBufferSize! dmaBuffer! queuePacket! progressFenceValue! "
        "packetType! submitSequence! allocationListSize! patchLocationListSize! present! engineType! "
        "syncObject"
    ),
    "WDDM_QUEUE_PACKET_STOP_EVENTS": (
        "start! end! globalTid gpu! context! queuePacket! packetType! submitSequence! preempted! "
        "timeouted! engineType!"
    ),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": f"{_OP} graphId! graphExecId!",
}

_ENUM_COLUMNS = (Column("id", not_null=True), Column("name", "TEXT"), Column("label", "TEXT"))

ENUMS = {name: enums("2024.6")[name] for name in ("ENUM_CUDA_MEMCPY_OPER", "ENUM_CUDA_MEM_KIND")}
"""The names that nsys insists on: rows of (id, name, label) by table."""


def columns(table: str) -> tuple[Column, ...]:
    """The columns of `table` in file order. KeyError: no such table is known."""
    if table.startswith("ENUM_"):
        return _ENUM_COLUMNS
    found = (parse_column(spec) for spec in _TABLES[table].split())
    return tuple(column for column in found if column is not None)


def tables() -> tuple[str, ...]:
    """The names of all tables but the enumerations."""
    return tuple(_TABLES)
