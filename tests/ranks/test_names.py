"""What communication is called, in every library's way, and what that means."""

from __future__ import annotations

import pytest

from tui.ranks.names import Operation, canonical_name
from tui.report.kernels.classes import Classes

KERNELS = {
    "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)": (
        "AllReduce f32 sum", "RING", "LL"),
    "ncclAllReduceRingLLKernel_sum_f32(ncclColl)": ("AllReduce f32 sum", "RING", "LL"),
    "ncclAllReduceTreeLL128Kernel_sum_f16(ncclWorkElem)": ("AllReduce f16 sum", "TREE", "LL128"),
    "ncclKernel_AllReduce_NVLS_SIMPLE_Sum___nv_bfloat16(ncclDevComm*)": (
        "AllReduce bf16 sum", "NVLS", "SIMPLE"),
    "ncclKernel_AllReduce_COLLNET_DIRECT_SIMPLE_Sum_float(x)": (
        "AllReduce f32 sum", "COLLNETDIRECT", "SIMPLE"),
    "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)": ("AllGather", "RING", "LL"),
    "ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)": ("Broadcast", "RING", "LL"),
    "ncclKernel_ReduceScatter_RING_LL_Sum_half(x)": ("ReduceScatter f16 sum", "RING", "LL"),
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)": (
        "AllReduce f32 sum", "RING", "LL"),
    "ncclDevKernel_AllReduce_Sum_bf16_TREE_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)": (
        "AllReduce bf16 sum", "TREE", "LL"),
    "ncclDevKernel_AllReduce_SumPostDiv_u8_RING_LL(x)": ("AllReduce u8 sum", "RING", "LL"),
    "ncclDevKernel_Reduce_Max_f16_RING_LL(x)": ("Reduce f16 max", "RING", "LL"),
    "ncclDevKernel_ReduceScatter_Sum_bf16_PAT_SIMPLE(x)": ("ReduceScatter bf16 sum", "PAT", "SIMPLE"),
    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)": ("SendRecv", None, None),
    "ncclDevKernel_Generic_4(x)": ("Other", None, None),
    "ncclSymDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_f32(x)": ("AllReduce f32 sum", None, None),
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)": (
        "AllReduce bf16", None, None),
    "void vllm::cross_device_reduce_2stage<half, 4>(vllm::RankData*)": ("AllReduce f16", None, None),
    "void (anonymous namespace)::two_shot_all_reduce_kernel<c10::BFloat16>(x)": (
        "AllReduce bf16", None, None),
    "multimem_all_reduce_kernel": ("AllReduce", None, None),
    "void multimem_all_gather_kernel<16>(x)": ("AllGather", None, None),
    "void userbuffers_fp16_sum_inplace_gpu_rw_ag<8>(int)": ("AllReduce f16 sum", None, None),
    "void deep_ep::intranode::dispatch<8, 768>(x)": ("AllToAll", None, None),
    "void deep_ep::internode_ll::combine<true>(x)": ("AllToAll", None, None),
    "void deep_ep::intranode::notify_dispatch<8>(x)": ("Barrier", None, None),
    "nvshmemi_barrier_all_kernel": ("Barrier", None, None),
    "nvshmem_alltoall_kernel": ("AllToAll", None, None),
    "void nvshmemi_reduce_kernel<float>(x)": ("AllReduce f32", None, None),
    "a2aDispatchKernel<int>": ("AllToAll", None, None),
    "void tensorrt_llm::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<(int)1, __nv_bfloat16>(x)": (
        "AllReduce bf16 fused", None, None),
    "fused_allreduce_rmsnorm": ("AllReduce fused", None, None),
    "all_gather_gemm_kernel": ("AllGather fused", None, None),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_what_a_kernel_does(name: str) -> None:
    label, algorithm, protocol = KERNELS[name]
    assert Classes().communicates(name)
    found = canonical_name(name)
    assert (found.label, found.algorithm, found.protocol) == (label, algorithm, protocol)


def test_algorithm_and_protocol_are_not_in_the_key() -> None:
    ring = canonical_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)")
    tree = canonical_name("ncclDevKernel_AllReduce_Sum_f32_TREE_SIMPLE(x)")
    old = canonical_name("ncclKernel_AllReduce_TREE_LL_Sum_float(x)")
    other = canonical_name("ncclDevKernel_AllReduce_Sum_f16_RING_LL(x)")
    assert ring.key == tree.key == old.key != other.key


@pytest.mark.parametrize(
    ("name", "operation", "n_by_n", "ordered", "measures"),
    [
        ("MPI_Allreduce", Operation.ALL_REDUCE, True, True, True),
        ("MPI_Iallreduce", Operation.ALL_REDUCE, True, False, False),
        ("MPI_Barrier", Operation.BARRIER, True, True, True),
        ("PMPI_Alltoallv", Operation.ALL_TO_ALL, True, True, True),
        ("mpi_bcast_", Operation.BROADCAST, False, True, False),
        ("MPI_Reduce", Operation.REDUCE, False, True, False),
        ("MPI_Sendrecv", Operation.SEND_RECV, False, False, False),
        ("MPI_Isend", Operation.SEND, False, False, False),
        ("MPI_Wait", Operation.OTHER, False, False, False),
        ("MPI_Init", Operation.OTHER, False, False, False),
        ("anything", Operation.OTHER, False, False, False),
    ],
)
def test_what_a_call_does(
    name: str, operation: Operation, n_by_n: bool, ordered: bool, measures: bool
) -> None:
    found = canonical_name(name, host=True)
    assert found.operation is operation
    assert (found.n_by_n, found.ordered, found.measures_waits) == (n_by_n, ordered, measures)


def test_fused_and_grouped_measure_nothing() -> None:
    fused = canonical_name("fused_allreduce_rmsnorm")
    assert fused.ordered and not fused.measures_waits
    for name in ("ncclDevKernel_Generic", "ncclDevKernel_SendRecv"):
        found = canonical_name(name)
        assert found.grouped and not found.ordered and not found.measures_waits
