"""Exports of the ranks of a small job with GPUs, in which one rank loads its data longer than the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.support.export import Export

US = 1_000
STEP = 1_000 * US
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GEMM = "void gemm_kernel<float>(float *)"
UTC = 1_800_000_000_000_000_000


def job(
    folder: Path,
    loading: Sequence[int] = (100, 100, 300, 100),
    *,
    steps: int = 8,
    hosts: Sequence[str] = ("node-a", "node-b"),
    size: int | None = None,
    numbers: Sequence[int] | None = None,
    visible: Sequence[str] | None = None,
) -> list[Path]:
    """Write a report a rank, `rank0.sqlite` and so on.

    A step lasts 1 ms: rank r loads data for ``loading[r]`` us, then a kernel of 400 us runs, then an
    all-reduce to 900 us. ``size``: how many ranks there should be; ``numbers``: theirs, in order by default;
    ``visible``: what each is shown of its host's GPUs.
    """
    paths = []
    block = -(-len(loading) // len(hosts))
    for place, load in enumerate(loading):
        number = place if numbers is None else numbers[place]
        export = Export(folder / f"rank{number}.sqlite")
        pid = 500 + number
        for step in range(steps):
            at = step * STEP
            start = at + load * US
            export.push_pop(f"step {step}", at, at + STEP, pid=pid, tid=pid)
            export.push_pop("load", at + 1, start, pid=pid, tid=pid)
            export.push_pop("train", start, at + 950 * US, pid=pid, tid=pid)
            for name, low, high, stream in (
                (GEMM, start + 20 * US, start + 420 * US, 7),
                (ALL_REDUCE, start + 420 * US, at + 900 * US, 13),
            ):
                call = (start + 1, start + 10 * US)
                export.launch(call, (low, high), stream=stream, pid=pid, tid=pid, name=name)
                start += 11
        said: dict[str, int | str] = {"RANK": number, "WORLD_SIZE": size or len(loading)}
        if visible is not None:
            said["CUDA_VISIBLE_DEVICES"] = visible[place]
        for variable, value in said.items():
            text = f'{variable}="{value}"'
            export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=text)
        host = hosts[place // block]
        export.row("TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="x", name="Hostname", value=host)
        export.row(
            "TARGET_INFO_SESSION_START_TIME", utcEpochNs=UTC, utcTime="", localTime="", systemClockNs=77
        )
        paths.append(export.write())
    return paths
