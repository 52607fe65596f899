"""Graphics and video: OpenGL, Vulkan, Direct3D, the video engines, the queues of Windows."""

from __future__ import annotations

from tests.nsys.oracle.draft import Draft

MARKERS = ("shadow pass", "lighting", "frame 7", "blit")


def add(draft: Draft) -> None:
    """Some of each kind, or none."""
    for feature in (_opengl, _vulkan, _direct3d, _video, _windows_queues):
        if draft.chance(0.6):
            feature(draft)


def _host(draft: Draft) -> dict[str, int]:
    start, end = draft.span()
    return {"start": start, "end": end, "globalTid": draft.thread()}


def _opengl(draft: Draft) -> None:
    for _ in draft.some(6):
        kind = draft.pick(62, 62, 63, 63, 52, 55)
        text = draft.string(draft.name(*MARKERS))
        row = _host(draft)
        draft.add(
            "KHR_DEBUG_EVENTS", eventClass=kind, textId=text, source=1, khrdType=1, id=draft.number(), **row
        )
    for _ in draft.some(3):
        name = draft.string("glDrawArrays")
        draft.add(
            "OPENGL_WORKLOAD",
            eventClass=5,
            nameId=name,
            gpu=draft.pick(None, 0, 1),
            contextId=draft.pick(None, 1, 2),
            **_host(draft),
        )


def _vulkan(draft: Draft) -> None:
    for _ in draft.some(8):
        name = draft.string(draft.name("vkQueueSubmit", "vkCmdDraw", "vkWaitForFences"))
        number = draft.number()
        draft.add(
            "VULKAN_API",
            id=number,
            eventClass=53,
            correlationId=number,
            nameId=name,
            contextId=draft.pick(None, 0, 5),
            **_host(draft),
        )
    for _ in draft.some(5):
        name, text = (
            draft.string(draft.name("vkCmdBeginDebugUtilsLabelEXT")),
            draft.string(draft.name(*MARKERS)),
        )
        draft.add(
            "VULKAN_DEBUG_API",
            eventClass=66,
            nameId=name,
            textId=draft.pick(None, text, text),
            **_host(draft),
        )
    for _ in draft.some(5):
        name, text = draft.string(draft.name("VkQueue")), draft.string(draft.name(*MARKERS))
        row = {
            "gpu": draft.pick(None, 0, 1),
            "contextId": draft.pick(None, 0, 1),
            "textId": draft.pick(None, text, text),
        }
        draft.add("VULKAN_WORKLOAD", eventClass=draft.pick(54, 54, 93), nameId=name, **row, **_host(draft))


def _direct3d(draft: Draft) -> None:
    for _ in draft.some(5):
        name, text = draft.string(draft.name("BeginEvent")), draft.string(draft.name(*MARKERS))
        draft.add("D3D11_PIX_DEBUG_API", nameId=name, textId=draft.pick(None, text, text), **_host(draft))
    for _ in draft.some(5):
        name, text = draft.string(draft.name("BeginEvent")), draft.string(draft.name(*MARKERS))
        draft.add("D3D12_PIX_DEBUG_API", nameId=name, textId=draft.pick(None, text, text), **_host(draft))
    for _ in draft.some(6):
        name, text = draft.string(draft.name("ExecuteCommandLists")), draft.string(draft.name(*MARKERS))
        row = {"gpu": draft.pick(None, 0, 1), "textId": draft.pick(None, text, text)}
        draft.add("DX12_WORKLOAD", eventClass=draft.pick(42, 42, 65, 92), nameId=name, **row, **_host(draft))
    for _ in draft.some(5):
        number = draft.number()
        draft.add(
            "DX12_API",
            id=number,
            eventClass=41,
            nameId=draft.string("CreateHeap"),
            correlationId=number,
            **_host(draft),
        )
        draft.add(
            "DX12_MEMORY_OPERATION",
            gpu=draft.pick(None, 0, 1),
            traceEventId=number,
            heapType=draft.rng.randint(0, 4),
            heapFlags=draft.pick(0, 4096),
            cpuPageProperty=draft.rng.randint(0, 3),
            rangeStart=0,
            rangeEnd=draft.pick(0, 100),
            nvApiFlags=0,
        )


def _video(draft: Draft) -> None:
    names = {
        "ENCODER": (83, "NvEncEncodePicture"),
        "DECODER": (86, "cuvidDecodePicture"),
        "JPEG": (89, "nvjpegDecode"),
    }
    for table, (kind, usual) in names.items():
        for _ in draft.some(5) if draft.chance(0.7) else ():
            draft.add(
                f"NVVIDEO_{table}_API",
                eventClass=kind,
                nameId=draft.string(draft.name(usual, "other")),
                **_host(draft),
            )


def _windows_queues(draft: Draft) -> None:
    for context in (11, 12):
        row = {"context": context, "engineType": draft.pick(0, 1), "nodeOrdinal": draft.pick(0, 3)}
        draft.add("TARGET_INFO_WDDM_CONTEXTS", friendlyName=draft.pick("3D", "Copy", ""), **row)
    for number in draft.some(8):
        row = {
            "context": draft.pick(11, 12),
            "gpu": draft.pick(0, 1),
            "packetType": draft.pick(0, 1, 2),
            "submitSequence": number,
            "engineType": draft.pick(0, 1),
            "queuePacket": 5000 + number,
        }
        host = _host(draft)
        draft.add("WDDM_QUEUE_PACKET_START_EVENTS", **(host | {"end": host["start"]}), **row)
        if draft.chance(0.9):
            draft.add("WDDM_QUEUE_PACKET_STOP_EVENTS", **(host | {"start": host["end"]}), **row)
