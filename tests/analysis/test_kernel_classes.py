"""Which class of work a kernel is, by its name."""

from __future__ import annotations

import pytest

from tui.analysis.kernel_classes import KernelClass, communicates, kernel_class, name_parts

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


@pytest.mark.parametrize(("expected", "name"), [(c, n) for c, names in NAMES.items() for n in names])
def test_names(expected: str, name: str) -> None:
    assert kernel_class(name) is KernelClass(expected)


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


def test_arguments_and_parameters_are_never_searched() -> None:
    assert kernel_class("void mine<flash::Attention>(nccl::Comm*)") is KernelClass.OTHER
    assert not communicates("void mine<int>(ncclDevComm*)")
    assert communicates("void deep_ep::intranode::combine<__nv_bfloat16, 8>(int)")
