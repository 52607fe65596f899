"""Which class of work a kernel is, by its name."""

from __future__ import annotations

import re
from itertools import groupby

import pytest

from tests.support.fresh_kernels import FRESH
from tests.support.real import needs_real
from tests.support.real_kernels import other_share
from tui.errors import UsageError
from tui.report.kernels.class_table import TABLE, KernelClass
from tui.report.kernels.classes import Classes
from tui.report.kernels.names import element_type, name_parts, pipe
from tui.report.kernels.user_rules import rules_from

NAMES = {
    "communication": (
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
        "ncclDevKernel_SendRecv",
        "ncclDevKernel_Generic_1",
        "ncclKernel_AllReduce_TREE_LL_Sum_float",
        "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC",
        "vllm::cross_device_reduce_1stage",
        "twoshotAllreduceKernel",
        "allreduce_fusion_kernel_oneshot_lamport",
        "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop",
        "deep_ep::internode_ll::dispatch",
        "moeA2ADispatchKernel",
        "helixAllToAllKernel",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
    ),
    "cache update": ("reshape_and_cache_flash_kernel", "set_mla_kv_buffer_kernel"),
    "attention": (
        "flash_fwd_kernel",
        "flash_fwd_splitkv_mla_kernel",
        "fmhaSm100fKernel_Qkv",
        "fmha_cutlassF_bf16_aligned_64x128_rf_sm80",
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop",
        "void cutlass::device_kernel<flash::FlashAttnFwdSm90<x>>",
        "BatchPrefillWithRaggedKVCacheKernel",
        "paged_attention_v1_kernel",
        "kernel_unified_attention_2d",
    ),
    "mixture of experts": (
        "fused_moe_kernel",
        "bmm_Bfloat16_E2m1E2m1_Fp32_swiGlu",
        "void cutlass::device_kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::GroupProblemShape<x>>>",
        "routingIndicesClusterKernel",
        "expandInputRowsKernel",
        "topkGatingSoftmax",
    ),
    "convolution": (
        "sm80_xmma_fprop_implicit_gemm_tf32f32",
        "implicit_convolve_sgemm",
        "volta_scudnn_128x64_relu_interior_nn_v1",
        "winogradForwardData4x4",
        "im2col4d_kernel",
        "causal_conv1d_fwd_kernel",
    ),
    "gemm": (
        "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN",
        "ampere_sgemm_128x64_nn",
        "void Kernel2<cutlass_80_tensorop_s1688gemm_256x64>",
        "void Kernel<cutlass::gemm::kernel::Gemm<x>>",
        "splitKreduce_kernel",
        "gemv2T_kernel_val",
        "trt_ampere_h16816gemm",
        "deep_gemm::sm100_fp8_gemm_1d1d_impl",
        "gemm_fusion_dot_265",
        "matrixMulKernel",
        "triton_tem_fused_mm_3",
    ),
    "normalisation": (
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)",
        "FusedAddRMSNormKernel",
        "fused_add_rms_norm_kernel",
        "rmsnorm_fwd_general_kernel",
        "bn_fw_inf_1C11_kernel_NCHW",
        "triton_per_fused__to_copy_native_layer_norm_0",
        "nvfuser_inner_persistent_f0_c1_r0_g0",
    ),
    "softmax": ("softmax_warp_forward",),
    "loss": ("nll_loss_backward_reduce_cuda_kernel_2d",),
    "optimizer": (
        "void multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, FusedAdamMathFunctor>",
    ),
    "rotary embedding": (
        "applyMLARopeAndAssignQKVKernelGeneration",
        "BatchQKApplyRotaryPosIdsCosSinCacheKernel",
    ),
    "activation": (
        "act_and_mul_kernel",
        "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl(x)>",
        "triton_poi_fused_mul_silu_12",
    ),
    "quantisation": ("quantize_with_block_size", "cvt_fp16_to_fp4", "per_token_group_quant_8bit_kernel"),
    "sort and sample": ("_gumbel_sample_kernel", "deepseek_v3_topk_kernel", "DeviceMergeSortBlockSortKernel"),
    "random": ("distribution_elementwise_grid_stride_kernel", "gen_sequenced", "generate_seed_pseudo"),
    "gather and scatter": ("vectorized_gather_kernel",),
    "scan": ("DeviceScanKernel", "_chunk_scan_fwd_kernel"),
    "reduction": (
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>",
        "DeviceReduceSingleTileKernel",
        "triton_red_fused_mean_pow_5",
        "input_reduce_fusion_92",
        "nvfuser_reduction_f0_c1_r0_g0",
    ),
    "fft": ("vector_fft",),
    "pooling": ("max_pool_forward_nchw",),
    "copy and layout": (
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(x)::lambda>",
        "CatArrayBatchedCopy_vectorized",
        "nchwToNhwcKernel",
        "permutationKernelPLC3",
        "cupy_copy__float32_float32",
    ),
    "elementwise": (
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>",
        "triton_poi_fused_add_mul_3",
        "loop_add_fusion",
        "nvfuser_pointwise_f0_c1_r0_g4",
        "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<x>>",
        "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, LoadWithCast<2>>",
        "void at::native::vectorized_elementwise_kernel<4, gpu_kernel_impl_nocast<at::BinaryFunctor<int>>>",
    ),
    "generated": ("nvfuser_none_f0_c0_r0_g0",),
    "other": (
        "void cudf::valid_if_n_kernel<thrust::normal_iterator<x>>",
        "nussinov_gpu",
        "__omp_offloading_10_abc",
        "render(float*, curandStateXORWOW*)",
    ),
}


def test_names() -> None:
    """Every name at once: a rule that moves up and takes a name from another class shows with all of them."""
    classes = Classes()
    found = {name: classes.of(name) for names in NAMES.values() for name in names}
    wrong = [
        (name, found[name].kernel_class.value, found[name].rule, expected)
        for expected, names in NAMES.items()
        for name in names
        if found[name].kernel_class is not KernelClass(expected)
    ]
    assert wrong == []
    assert len(found) == 98


def test_names_that_the_table_was_not_made_from() -> None:
    """Names of public listings, classified by a person before the table was asked."""
    classes = Classes()
    wrong = [
        (name, classes.kernel_class(name).value)
        for expected, names in FRESH.items()
        for name in names
        if classes.kernel_class(name) is not KernelClass(expected)
    ]
    assert sum(map(len, FRESH.values())) == 109
    # It is of attention by its namesake, and a copy by what it does.
    assert wrong == [("<unnamed>::concat_mla_absorb_q_kernel(__nv_bfloat16 *, __nv_bfloat16 *)", "attention")]


def test_rules_of_one_class_stand_together() -> None:
    order = [cls for cls, _ in groupby(rule.kernel_class for rule in TABLE)]
    assert order == [cls for cls in KernelClass if cls not in (KernelClass.GENERATED, KernelClass.OTHER)]
    assert all(rule.why for rule in TABLE)


BEFORE = [
    ("all_gather_gemm_kernel", "communication"),  # a fused product waits for its data
    ("concat_and_cache_mla_kernel", "cache update"),
    ("flash_attn_fprop_gemm_kernel", "attention"),
    ("topkGatingSoftmax", "mixture of experts"),
    ("implicit_convolve_sgemm", "convolution"),
    ("gemm_layernorm_kernel", "gemm"),
    ("layer_norm_softmax_kernel", "normalisation"),
    ("softmax_cross_entropy_kernel", "softmax"),
    ("rope_quantize_kernel", "rotary embedding"),
    ("silu_and_mul_quant_kernel", "activation"),
    ("topk_gather_kernel", "sort and sample"),
    ("embedding_sum_kernel", "gather and scatter"),
    ("scan_reduce_kernel", "scan"),
    ("reduce_copy_kernel", "reduction"),
    ("copy_elementwise_kernel", "copy and layout"),
]


@pytest.mark.parametrize(("name", "expected"), BEFORE)
def test_the_special_class_comes_before_the_general_one(name: str, expected: str) -> None:
    assert Classes().kernel_class(name).value == expected


@pytest.mark.parametrize(
    ("name", "qualified", "arguments"),
    [
        ("void ns::f<int, 4>(float*)", "ns::f", "int, 4"),
        ("void at::native::(anonymous namespace)::g<float>(int)", "at::native::anonymous::g", "float"),
        ("void a::k<b::c<int>, d>(e<f>)", "a::k", "b::c<int>, d"),
        ("int f(int)", "f", ""),
        ("plain", "plain", ""),
        ("", "", ""),
        ("(odd)", "(odd)", ""),
        ("a<b", "a", ""),
    ],
)
def test_a_name_is_cut_to_its_parts(name: str, qualified: str, arguments: str) -> None:
    assert name_parts(name) == (qualified, arguments)


LESSONS = {
    # An iterator among the arguments is no normalisation, a generator among the parameters no random kernel.
    "void cudf::valid_if_n_kernel<thrust::normal_iterator<int*>>(int)": "other",
    "render(vec3 *, int, int, curandStateXORWOW *)": "other",
    # How operands are loaded is no conversion, and neither is what launches a functor.
    "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, std::array<char*, 3>, "
    "TrivialOffsetCalculator<2>, at::native::memory::LoadWithCast<2>, memory::StoreWithCast<1>>(int)": (
        "elementwise"
    ),
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor"
    "<float, float, float, at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase&)>(int)": (
        "elementwise"
    ),
    "void mine<flash::Attention>(nccl::Comm*)": "other",
    "void mine<int>(ncclDevComm*)": "other",
    "void deep_ep::intranode::combine<__nv_bfloat16, 8>(int)": "communication",
    # FlashInfer has kernels of all classes; NCCL's name counts at the start of a name alone.
    "void flashinfer::norm::RMSNormKernel<8u, __half>(__half*)": "normalisation",
    "my_nccl_logger": "other",
}


@pytest.mark.parametrize("name", LESSONS)
def test_arguments_and_parameters_are_never_searched(name: str) -> None:
    assert Classes().kernel_class(name).value == LESSONS[name]


VERDICTS = {
    "triton_poi_fused_mul_silu_12": ("activation", "silu", "generated by Triton"),
    "triton_poi_fused_add_mul_3": ("elementwise", "poi", "generated by Triton"),
    "triton_tem_fused_mm_3": ("gemm", "mm", "generated by Triton"),
    "nvfuser_pointwise_f0_c1_r0_g4": ("elementwise", "pointwise", "generated by nvFuser"),
    "loop_add_fusion": ("elementwise", "loop", "generated by XLA"),
    "wrapped_transpose": ("copy and layout", "transpose", "generated by XLA"),
    "fusion_922": ("generated", None, "generated by XLA"),
    "fused_allreduce_rmsnorm": ("communication", "allreduce", "fused"),
    "allreduce_fusion_kernel_oneshot_lamport": ("communication", "allreduce", "fused"),
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL": ("communication", "nccl", None),
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)": (
        "communication",
        "cross_device_reduce",
        None,
    ),
    "void at::native::vectorized_elementwise_kernel<(int)8, at::native::GeluCUDAKernelImpl>(int)": (
        "activation",
        "wrapper vectorized_elementwise_kernel: Gelu",
        None,
    ),
    "void at::native::elementwise_kernel<(int)128, (int)2, at::native::BinaryFunctor<float>>(int, T3)": (
        "elementwise",
        "wrapper elementwise_kernel",
        None,
    ),
    "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__scan::ScanAgent<x>>": (
        "scan",
        "wrapper _kernel_agent: scan",
        None,
    ),
    "deep_ep::internode_ll::dispatch": ("communication", "::internode_ll::", None),
    "void par_ranged1d_kernel<update_halo>(int)": ("other", None, None),
    "render(float*)": ("other", None, None),
    "": ("other", None, None),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_what_decided_and_what_is_told_beside(name: str) -> None:
    found = Classes().of(name)
    assert (found.kernel_class.value, found.rule, found.tags) == VERDICTS[name]


def test_each_name_is_judged_once_and_not_all_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.report.kernels.classes._MOST", 2)
    classes = Classes()
    assert classes.of("a_gemm") is classes.of("a_gemm")
    assert [classes.kernel_class(f"{n}_gemm").value for n in range(5)] == ["gemm"] * 5


MINE = {"my_attn": "attention", "^sgemm": "Mixture of Experts", "nccl": "other", "solve": "gemm"}


@pytest.mark.parametrize(
    ("name", "expected", "rule"),
    [
        ("void ns::MY_ATTN_v2<int>(float*)", "attention", "config: my_attn"),
        ("sgemm_of_experts", "mixture of experts", "config: ^sgemm"),
        ("ampere_sgemm_128x64_nn", "gemm", "gemm"),
        ("ncclDevKernel_SendRecv", "other", "config: nccl"),
        ("void mine<int>(my_attn*)", "other", None),  # parameters are not searched
        (
            "void par_ranged1d_kernel<solve(int)::lambda>(int)",
            "gemm",
            "config: solve",
        ),  # what a wrapper wraps is
        ("triton_poi_fused_solve_1", "gemm", "config: solve"),
    ],
)
def test_rules_of_the_user_go_first(name: str, expected: str, rule: str | None) -> None:
    found = Classes(rules_from(MINE)).of(name)
    assert (found.kernel_class.value, found.rule) == (expected, rule)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"(": "gemm"}, r"[classes] '(' is no pattern"),
        ({"x": "matrix"}, "[classes] 'x' = 'matrix' should be one of communication, cache update"),
        ({"x": 3}, "[classes] 'x' = 3 should be one of"),
        ({"x": ["gemm"]}, "should be one of"),
    ],
)
def test_rules_that_are_none(table: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        rules_from(table)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nvjet_hsh_192x192", "fp16"),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32", "tf32"),
        ("bmm_Bfloat16_E2m1E2m1_Fp32", "bf16"),
        ("dgemm_nn", "fp64"),
        ("f(half*)", None),
    ],
)
def test_element_types(name: str, expected: str | None) -> None:
    assert element_type(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ampere_sgemm_128x64_nn", "fp32"),
        (
            "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_ffma_execute_kernel__5x_cublas",
            "fp32",
        ),
        ("cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_64x64x16", "fp32"),
        ("volta_scudnn_128x64_relu_interior_nn_v1", "fp32"),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>(Params)", "fp32"),
        ("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4>(Params)", "tensor"),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_stage4_tensor16x8x8_kernel", "tensor"),
        ("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "tensor"),
        ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", "tensor"),
        ("volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nn", "tensor"),
        ("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN", "tensor"),
        ("gemv2T_kernel_val", None),
        ("matrixMulKernel", None),
        ("void f<int>(sgemm*)", None),
    ],
)
def test_the_pipe_of_a_product(name: str, expected: str | None) -> None:
    assert pipe(name) == expected


@needs_real
def test_no_more_of_the_real_exports_is_without_a_class() -> None:
    """Application kernels: no table can know them. What the table knew once it has to know again."""
    share = other_share()
    assert (share.names, share.launches) == (246, 35_857)
    assert share.other_names <= 122
    assert share.other_launches <= 1_436
