"""Graphics and video: OpenGL, Vulkan, Direct3D, the video engines, the queues of Windows."""

from __future__ import annotations

from typing import Any

from tests.nsys.oracle.draft import Draft

MARKERS = ("shadow pass", "lighting", "frame 7", "blit")
MEMORY_CALLS = (
    "ID3D12Device::CreateHeap", "ID3D12Device4::CreateHeap1", "ID3D12Device::CreateCommittedResource",
    "ID3D12Device::CreateCommittedResource1", "ID3D12Resource::ReadFromSubresource",
    "ID3D12Resource::WriteToSubresource", "ID3D12Resource::Map", "ID3D12Resource::Unmap",
)  # fmt: skip


def add(draft: Draft) -> None:
    """Some of each kind, or none."""
    for feature in (_opengl, _vulkan, _direct3d, _video, _windows_queues):
        if draft.chance(0.6):
            feature(draft)


def _host(draft: Draft) -> dict[str, int]:
    start, end = draft.span()
    return {"start": start, "end": end, "globalTid": draft.thread()}


def _text(draft: Draft) -> int | None:
    return draft.string(draft.name(*MARKERS)) if draft.chance(0.7) else None


def _opengl(draft: Draft) -> None:
    for _ in draft.some(8):
        row: dict[str, Any] = _host(draft)
        if draft.chance(0.1):
            row["end"] = None
        text, kind = draft.string(draft.name(*MARKERS)), draft.pick(62, 62, 63, 63, 52, 55)
        draft.add(
            "KHR_DEBUG_EVENTS", eventClass=kind, textId=text, id=draft.number(), source=1, khrdType=1, **row
        )
    for _ in draft.some(3):
        row = {"gpu": draft.pick(None, 0, 1), "contextId": draft.pick(None, 1, 2)}
        draft.add("OPENGL_WORKLOAD", eventClass=5, nameId=draft.string("glDrawArrays"), **row, **_host(draft))


def _vulkan(draft: Draft) -> None:
    for _ in draft.some(8):
        name, number = draft.name("vkQueueSubmit", "vkCmdDraw", "vkWaitForFences"), draft.number()
        row = {"id": number, "correlationId": number, "contextId": draft.pick(None, 0, 5)}
        draft.add("VULKAN_API", eventClass=53, nameId=draft.string(name), **row, **_host(draft))
    _debug_calls(draft, "VULKAN_DEBUG_API", {"eventClass": 66})
    for _ in draft.some(5):
        row = {"gpu": draft.pick(None, 0, 1), "contextId": draft.pick(None, 0, 1), "textId": _text(draft)}
        kind, name = draft.pick(54, 54, 93), draft.string("VkQueue")
        draft.add("VULKAN_WORKLOAD", eventClass=kind, nameId=name, **row, **_host(draft))


def _direct3d(draft: Draft) -> None:
    _debug_calls(draft, "D3D11_PIX_DEBUG_API", {})
    _debug_calls(draft, "D3D12_PIX_DEBUG_API", {})
    for _ in draft.some(6):
        row = {
            "gpu": draft.pick(None, 0, 1),
            "textId": _text(draft),
            "eventClass": draft.pick(42, 42, 65, 92),
        }
        draft.add("DX12_WORKLOAD", nameId=draft.string("ExecuteCommandLists"), **row, **_host(draft))


def _memory_operations(draft: Draft) -> None:
    for _ in draft.some(8):
        number = draft.number()
        row = {"heapType": draft.pick(None, 1, 2, 3), "heapFlags": draft.pick(None, 0, 4, 0x1000, 0x1004)}
        row |= {"cpuPageProperty": draft.pick(None, 1, 2, 3), "gpu": draft.pick(None, 0, 1)}
        row |= {"rangeStart": 0, "rangeEnd": draft.pick(0, 100), "traceEventId": number}
        draft.add("DX12_MEMORY_OPERATION", **row)
        if draft.chance(0.9):
            name = draft.string(draft.name(*MEMORY_CALLS))
            draft.add("DX12_API", id=number, eventClass=41, nameId=name, correlationId=number, **_host(draft))


def _debug_calls(draft: Draft, table: str, kind: dict[str, int]) -> None:
    """Calls that begin a range, and those that end it: they share a thread and an id, and have no text."""
    for number in draft.some(6):
        row = {"globalTid": draft.thread(), "correlationId": number, "nameId": draft.string("marker"), **kind}
        start, end = draft.span(longest=3)
        if draft.chance(0.9):
            draft.add(table, start=start, end=end, textId=draft.string(draft.name(*MARKERS)), **row)
        if draft.chance(0.9):
            start = end + draft.unit * draft.pick(0, 0, 1, 5, 30)
            draft.add(table, start=start, end=start + draft.unit, **row)


def _video(draft: Draft) -> None:
    names = {
        "ENCODER": (83, "NvEncEncodePicture"),
        "DECODER": (86, "cuvidDecodePicture"),
        "JPEG": (89, "nvjpegDecode"),
    }
    for table, (kind, usual) in names.items():
        for _ in draft.some(5) if draft.chance(0.7) else ():
            name = draft.string(draft.name(usual, "other"))
            draft.add(f"NVVIDEO_{table}_API", eventClass=kind, nameId=name, **_host(draft))


def _windows_queues(draft: Draft) -> None:
    for number, label in ((0, "Other"), (1, "3D"), (6, "Copy"), (99, "Vendor's")):
        draft.add("ENUM_WDDM_ENGINE_TYPE", id=number, name=f"ENGINE_{number}", label=label)
    for context in (0x11, 0x12):
        row = {"context": context, "engineType": draft.pick(0, 1), "nodeOrdinal": draft.pick(0, 3)}
        draft.add("TARGET_INFO_WDDM_CONTEXTS", friendlyName=draft.pick("3D", "Copy", ""), **row)
    edges = {"QUEUE": ("submitSequence", "submitSequence"), "DMA": ("uliSubmissionId", "uliCompletionId")}
    for kind, (started, stopped) in edges.items():
        for number in draft.some(8):
            row = {"context": draft.pick(0x11, 0x12), "gpu": draft.pick(0, 1), "globalTid": draft.thread()}
            row |= {"engineType": draft.pick(0, 1, 6, 99), "packetType": draft.pick(0, 1, 2)}
            start, end = draft.span()
            table = f"WDDM_{kind}_PACKET"
            draft.add(f"{table}_START_EVENTS", start=start, end=start, **{started: number}, **row)
            if draft.chance(0.9):
                draft.add(f"{table}_STOP_EVENTS", start=end, end=end, **{stopped: number}, **row)
