"""Graphics, video and what else GPUs do besides CUDA."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

OPENGL = Kind(
    "OpenGL",
    "OPENGL_API",
    "lanes of calls and of GPU work; stats -r opengl_*",
    "--trace=opengl",
    also=("OPENGL_WORKLOAD",),
    parts=("KHR_DEBUG_EVENTS",),
    rare=True,
)
VULKAN = Kind(
    "Vulkan",
    "VULKAN_API",
    "lanes of calls and of GPU work; stats -r vulkan_*",
    "--trace=vulkan",
    also=("VULKAN_WORKLOAD", "VULKAN_DEBUG_API"),
    parts=("VULKAN_PIPELINE_CREATION_EVENTS", "VULKAN_PIPELINE_STAGE_EVENTS"),
    rare=True,
)
DIRECTX = Kind(
    "Direct3D",
    "DX12_API",
    "lanes of calls and of GPU work; stats -r dx1*",
    "--trace=dx12 (or dx11), on Windows,",
    also=("DX12_WORKLOAD", "DX11_API", "DX11_WORKLOAD", "D3D11_PIX_DEBUG_API", "D3D12_PIX_DEBUG_API"),
    parts=("DX12_MEMORY_OPERATION",),
    rare=True,
)
VIDEO = Kind(
    "video calls",
    "NVVIDEO_DECODER_API",
    "lanes; stats -r nvvideo_api_sum",
    "--trace=nvvideo",
    also=("NVVIDEO_ENCODER_API", "NVVIDEO_JPEG_API", "TRACE_PROCESS_EVENT_NVMEDIA"),
    rare=True,
)
VIDEO_ENGINES = Kind(
    "work of video engines",
    "GPU_VIDEO_ENGINE_WORKLOAD",
    "lanes of GPU work",
    "--gpu-video-device=all",
    parts=("GPU_VIDEO_ENGINE_MISSING_EVENTS",),
    rare=True,
)
SLI = Kind(
    "SLI",
    "SLI_P2P",
    "lanes",
    "--trace=dx11, on Windows with SLI,",
    also=("SLI_QUERIES", "SLI_STATS"),
    rare=True,
)
LOAD_BALANCE = Kind(
    "load balancing of the driver",
    "NV_LOAD_BALANCE_EVENTS",
    "lanes",
    "--trace=dx12, on Windows,",
    also=("NV_LOAD_BALANCE_MASTER_EVENTS",),
    rare=True,
)
KINDS = (OPENGL, VULKAN, DIRECTX, VIDEO, VIDEO_ENGINES, SLI, LOAD_BALANCE)
