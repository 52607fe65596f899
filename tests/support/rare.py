"""Exports with rows in tables that few captures have: MPI, unified memory, network, graphics, video, WDDM.

Whatever the rows say, what nsys 2023.4.4 printed for these files is written down in tests/stats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.export import Export, global_id

RENDER, LOADER, OTHER = global_id(500, 501), global_id(500, 502), global_id(600, 601)


def started(path: Path) -> Export:
    """An export of a process with named threads, of a schema that nsys 2023.4 reads."""
    export = Export(path, schema="2024.6")
    export.row("ThreadNames", nameId="render", priority=10, globalTid=RENDER)
    return export


def graphics(path: Path) -> Export:
    """Markers of every API (several names, nested, on two threads, open, without a text), and calls."""
    export = started(path)
    names = ("frame", "shadow", "frame", "shadow", "a tie", "tie b")
    times = ((10, 30), (12, 20), (40, 75), (50, 60), (80, 90), (95, 105))
    for event_class in (62, 63):
        for text, (start, end) in zip(names, times, strict=True):
            khr(export, event_class, text, start, end)
        khr(export, event_class, None, 110, 113)
        khr(export, event_class, "mark", 115, 115)
        khr(export, event_class, "open", 80, None)
        khr(export, event_class, "frame", 300, 317 + event_class, thread=LOADER)
    khr(export, 52, "a mark of the host", 400, None)
    for table in ("VULKAN_DEBUG_API", "D3D11_PIX_DEBUG_API", "D3D12_PIX_DEBUG_API"):
        for number, (text, (start, end)) in enumerate(zip(names, times, strict=True)):
            debug_call(export, table, text, 10 * start, number)
            debug_call(export, table, None, 10 * end, number)
        debug_call(export, table, "on both threads", 2000, 77)
        debug_call(export, table, None, 2100, 77, thread=LOADER)
        debug_call(export, table, "took no time", 2200, 78)
        debug_call(export, table, None, 2203, 78)
        debug_call(export, table, "loading", 0, 79, thread=LOADER)
        debug_call(export, table, None, 999, 79, thread=LOADER)
    for table, event_class in (("VULKAN_WORKLOAD", 54), ("DX12_WORKLOAD", 42)):
        for text, (start, end) in zip(names, times, strict=True):
            workload(export, table, event_class, text, start, end)
        workload(export, table, event_class, None, 200, 300)
        workload(export, table, event_class, "mark", 301, 301)
        workload(export, table, event_class + 50, "batch", 310, 317)
    calls = (
        ("vkQueueSubmit", 10, 30),
        ("vkCreateImage", 40, 47),
        ("vkQueueSubmit", 50, 55),
        ("vkX_v1000", 60, 61),
    )
    for number, (name, start, end) in enumerate(calls):
        vulkan(export, name, start, end, id=number, correlationId=900 + number, contextId=3)
    vulkan(export, "vkCreateImage", 9, 9, thread=LOADER, id=8, correlationId=None, contextId=None)
    vulkan(export, "created", 70, 99, id=9, eventClass=60, correlationId=5, contextId=4)
    for api, event_class in (("ENCODER", 83), ("DECODER", 86), ("JPEG", 89)):
        for name, start, end in (("open", 10, 30), ("open", 40, 47), ("close", 50, 77), ("none", 80, 80)):
            values = {"eventClass": event_class, "globalTid": RENDER, "nameId": name}
            export.row(f"NVVIDEO_{api}_API", start=start, end=end, **values)
    values = {"eventClass": 89, "globalTid": RENDER, "nameId": "decode"}
    export.row("NVVIDEO_JPEG_API", start=100, end=300, **values)
    return export


def khr(
    export: Export, event_class: int, text: str | None, start: int, end: int | None, thread: int = RENDER
) -> None:
    values = {"eventClass": event_class, "textId": text, "globalTid": thread}
    export.row("KHR_DEBUG_EVENTS", start=start, end=end, **values)


def debug_call(
    export: Export, table: str, text: str | None, start: int, number: int, thread: int = RENDER
) -> None:
    """A call that begins a range, or without ``text`` one that ends it; it takes 3 ns."""
    values: dict[str, Any] = {"nameId": "Begin" if text else "End", "textId": text, "globalTid": thread}
    if table == "VULKAN_DEBUG_API":
        values["eventClass"] = 66
    export.row(table, start=start, end=start + 3, correlationId=number, **values)


def workload(export: Export, table: str, event_class: int, text: str | None, start: int, end: int) -> None:
    values = {"eventClass": event_class, "nameId": "work", "textId": text, "globalTid": RENDER, "gpu": 0}
    export.row(table, start=start, end=end, **values)


def vulkan(export: Export, name: str, start: int, end: int, thread: int = RENDER, **more: Any) -> None:
    export.row(
        "VULKAN_API", start=start, end=end, nameId=name, globalTid=thread, **{"eventClass": 53, **more}
    )


def unified(path: Path) -> Export:
    """Pages that moved both ways, one way, not at all; page faults of both processors, of two functions."""
    export = started(path)
    pages = [0x7F0000000000 + 0x200000 * number for number in range(13)]
    copies = (
        (0, 11, 65536, 100, 200), (0, 11, 131072, 300, 450), (0, 12, 65536, 500, 750),
        (1, 11, 2000000, 700, 1700), (2, 12, 4096, 2000, 2320), (3, 11, 1000, 2400, 2500),
        (4, 12, 1000, 2600, 2700), (5, 11, 1000, 2800, 2900), (6, 13, 777, 3000, 3100),
        (7, 1, 777, 3200, 3300),
    )  # fmt: skip
    for page, kind, size, start, end in copies:
        pid = 600 if page == 2 else 500
        export.memcpy(start, end, pid=pid, kind=kind, bytes=size, virtualAddress=pages[page])
    export.row("CUDA_UM_CPU_PAGE_FAULT_EVENTS", **fault(90, pages[0], "main"))
    for number, page in enumerate((0, 0, 5, 8, 8, 9)):
        export.row(
            "CUDA_UM_CPU_PAGE_FAULT_EVENTS", **fault(100 + number, pages[page], ("touch", "sum")[number % 2])
        )
    for page, faults in ((0, 10), (4, 3), (0, 5), (10, 8), (9, 1), (11, 2)):
        values = {"globalPid": global_id(500), "address": pages[page], "numberOfPageFaults": faults}
        export.row("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=100, end=130, deviceId=0, **values)
    return export


def fault(start: int, address: int, function: str) -> dict[str, Any]:
    return {
        "start": start,
        "globalPid": global_id(500),
        "address": address,
        "CpuInstruction": function,
        "module": "a.out",
    }


def mpi(path: Path) -> Export:
    """Two ranks, a thread that is none: calls of all kinds, halves of a Sendrecv, a call still going on."""
    export = started(path)
    first, second, third = global_id(700, 701), global_id(800, 801), global_id(800, 805)
    for rank, thread in enumerate((first, second)):
        export.row("MPI_RANKS", globalTid=thread, rank=rank)
    rows: tuple[tuple[str, str, int, int, int | None, dict[str, Any]], ...] = (
        ("OTHER", "MPI_Init", first, 5, 9, {}),
        ("COLLECTIVES", "MPI_Bcast", first, 400, 450, {"rootRank": 2, "size": 1000}),
        ("COLLECTIVES", "MPI_Allgather", second, 400, 440, {"size": 999_999, "recvSize": 1_999_500}),
        ("P2P", "MPI_Send", first, 100, 150, {"tag": 7, "remoteRank": 1, "size": 1_234_567}),
        ("P2P", "MPI_Recv", second, 100, 160, {"tag": 7, "remoteRank": 0, "size": 500}),
        ("P2P", "MPI_Sendrecv", first, 200, 260, {"tag": 1, "remoteRank": 1, "size": 4096}),
        ("P2P", "MPI_Sendrecv", first, 200, 260, {"tag": 2, "remoteRank": 3, "size": 8192}),
        ("P2P", "MPI_Irecv", first, 300, None, {"tag": -1, "remoteRank": -2, "size": 0}),
        ("START_WAIT", "MPI_Wait", second, 400, 401, {"requestHandle": 5}),
        ("OTHER", "MPI_Comm_rank", third, 400, 400, {}),
    )
    for kind, name, thread, start, end, more in rows:
        export.row(f"MPI_{kind}_EVENTS", start=start, end=end, globalTid=thread, textId=name, **more)
    return export


def network(path: Path) -> Export:
    """Two adapters and a switch with send waits above, at and below the threshold, and other metrics."""
    export = started(path)
    for number in (1, 2):
        for index, name in enumerate(("IB: Bytes sent", "IB: Send waits", "Eth: Send waits")):
            values = {"metricsListId": number, "metricsIdx": index, "description": "", "unit": "ticks/ms"}
            export.row("TARGET_INFO_NETWORK_METRICS", name=name, **values)
    for model, label in ((4123, "ConnectX-6"), (4129, "ConnectX-7")):
        export.row("ENUM_NET_DEVICE_ID", id=model, name=f"id {model}", label=label)
    for nic, guid, model in ((1, 0x0C42A10300AABBCC, 4123), (2, -3, 4129)):
        values = {"nicId": nic, "GUID": guid, "deviceId": model, "name": f"mlx5_{nic}", "stateName": "up"}
        export.row("TARGET_INFO_NIC_INFO", **values)
        export.row("NIC_ID_MAP", nicId=nic, globalId=111 * nic)
    samples = (
        (111, 1, 0, 1000, 50_000), (111, 1, 1, 1000, 20_001), (111, 2, 1, 1000, 21_001),
        (111, 1, 2, 1000, 50_000), (222, 1, 1, 51_000, 10_001), (222, 1, 1, 50_000, 10_000),
        (222, 1, 1, 1000, 99_999),
    )  # fmt: skip
    for device, number, index, start, value in samples:
        metric(export, "NET_NIC_METRIC", device, number, index, start, value)
    metric(export, "NET_IB_SWITCH_METRIC", 0x7777, 2, 1, 1000, 30_001)
    metric(export, "NET_IB_SWITCH_METRIC", 0x7777, 2, 1, 900, 10_002)
    metric(export, "NET_IB_SWITCH_METRIC", 0x7777, 2, 0, 900, 90_000)
    return export


def metric(export: Export, table: str, device: int, number: int, index: int, start: int, value: int) -> None:
    values = {"globalId": device, "metricsListId": number, "metricsIdx": index, "value": value}
    export.row(table, start=start, end=start + 500, **values)


def wddm(path: Path) -> Export:
    """Packets that overlap, of two processes, GPUs and engines; one is not over, another stops unstarted."""
    export = started(path)
    for context, node, name in ((10, 0, "3D"), (20, 3, "Copy"), (30, 4, "Mine")):
        values = {"engineType": 1, "nodeOrdinal": node, "friendlyName": name}
        export.row("TARGET_INFO_WDDM_CONTEXTS", context=context, **values)
    # (context, number, start, stop, thread, gpu, engine)
    queue = (
        (10, 1, 1000, 2000, RENDER, 0, 1), (10, 2, 1500, 3000, RENDER, 0, 1),
        (10, 3, 4000, 4500, LOADER, 0, 1), (20, 1, 1000, 1200, RENDER, 0, 6),
        (20, 2, 1300, 1400, RENDER, 1, 6), (20, 3, 2000, 2100, RENDER, 0, 2),
        (30, 1, 9000, 9900, OTHER, 0, 0), (30, 2, 500, 800, OTHER, 0, 0),
        (20, 9, 30_000, None, RENDER, 0, 6),
    )  # fmt: skip
    dma = (
        (10, 1, 1000, 1800, RENDER, 0, 1), (20, 1, 1100, 1300, RENDER, 0, 6),
        (30, 7, 9100, 9400, OTHER, 0, 9), (10, 9, 50, 40, RENDER, 0, 1),
    )  # fmt: skip
    for kind, packets, starts, stops in (
        ("QUEUE", queue, "submitSequence", "submitSequence"),
        ("DMA", dma, "uliSubmissionId", "uliCompletionId"),
    ):
        for context, number, start, stop, thread, gpu, engine in packets:
            values = {"globalTid": thread, "gpu": gpu, "context": context, "engineType": engine}
            table = f"WDDM_{kind}_PACKET_{{}}_EVENTS"
            export.row(table.format("START"), start=start, end=start + 1, **{starts: number}, **values)
            if stop is not None:
                export.row(table.format("STOP"), start=stop, end=stop + 1, **{stops: number}, **values)
    return export
