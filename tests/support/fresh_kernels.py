"""Names of kernels from public listings, with the class that a person gave each before the table was asked.

They are of vLLM, SGLang, TensorRT-LLM, FlashInfer, DeepEP, Megatron, JAX, PyTorch, llama.cpp and gsplat.
"""

from __future__ import annotations

FRESH = {
    "communication": (
        (
            "void (anonymous namespace)::all_reduce_one_shot_push_kernel<__nv_bfloat16, 4u, "
            "true>((anonymous namespace)::AllReducePushData, device::distributed::PushController)"
        ),
        "void deep_ep::intranode::notify_dispatch<8>(int const*, int*, int const*, int*, int, int)",
        "void deep_ep::intranode::cached_notify_combine<(int)2>(void **, int *, int, int, int)",
        "void deep_ep::internode::get_dispatch_layout<256, 32, 8>(long const*, int*, int*, int*, bool*)",
        "void deep_ep::internode::cached_notify<false>(int, int, int, int, int*)",
        "oneshot_ar",
        "moereduce_allreduce_fusion_kernel",
        "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
    ),
    "attention": (
        (
            "void flash::flash_fwd_splitkv_mla_combine_kernel<cutlass::bfloat16_t, float, long, 512, "
            "64>(Flash_fwd_mla_params)"
        ),
        "flash::prepare_varlen_num_blocks_kernel(int, int, int, int const*)",
        (
            "fmhaSm100fKernel_"
            "QkvBfloat16OBfloat16H128PagedKvSlidingOrChunkedCausalP64MultiCtasKvCgaVarSeqQ8Kv128Stati"
            "cSwapsAbForGen"
        ),
        "void smxx::decode::flash_fwd_mla_combine_kernel<cutlass::bfloat16_t, (int)512, (int)8>(int)",
        "void deep_gemm::sm100_mqa_logits<(bool)0, (unsigned int)32, (unsigned int)128>(int)",
        "get_mla_metadata_kernel",
        (
            "fmha_cutlassB_f32_aligned_64x64_k32_sm80(PyTorchMemEffAttention::"
            "AttentionBackwardKernel<cutlass::arch::Sm80, float>::Params)"
        ),
        "void flash_attn_ext_f16<128, 128, 16, 4, 64, false>(char const*)",
        "chunk_gated_delta_rule_fwd_kernel_h_blockdim64",
        "fused_recurrent_gated_delta_rule_fwd_kernel",
    ),
    "mixture of experts": (
        (
            "void moe::dev::activation::activationDeepSeekKernel<moe::dev::activation::KernelParams<"
            "float>>(int)"
        ),
        "void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams<float>>(int)",
        "void tensorrt_llm::kernels::cutlass_kernels::finalizeMoeRoutingKernel<__nv_bfloat16>(int)",
        "bmm_E4m3_E4m3E4m3_Fp32_t128x64x128u2_s6_et64x64_m64x64x32_c1x1x1_rM_TN_transOut_noShfl_dsFp8",
        "_router_triton_kernel",
        "void vllm::moe::moe_align_block_size_kernel<int>(int const*)",
        "void marlin_moe_wna16::Marlin<1125899906843648l, 256, 1, 8, 8>(int4 const*)",
    ),
    "convolution": (
        "precomputed_convolve_sgemm",
        (
            "void causal_conv1d_channellast_fwd_kernel<Causal_conv1d_channellast_fwd_kernel_traits<"
            "(int)128>>(int)"
        ),
        "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, float, int>(int)",
        "cudnn_infer_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v0",
    ),
    "gemm": (
        "nvjet_sm100_tst_16x64_64x16_4x1_v_bz_TNN",
        (
            "void cutlass::Kernel2<cutlass_80_tensorop_z884gemm_32x16_16x3_tt_align1>(cutlass_80_"
            "tensorop_z884gemm_32x16_16x3_tt_align1::Params)"
        ),
        (
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
            "segment_k_off_kernel__5x_cublas"
        ),
        "void dpsk::gemm::fp8_gemm_kernel<7168u, 2048u, 128u, 112u>(__nv_bfloat16*, float*)",
        "void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16>(int)",
        (
            "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true, cublasGemvTensorStridedBatched<"
            "float const>>(int)"
        ),
        (
            "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, __"
            "nv_bfloat16>(int)"
        ),
        "void marlin::Marlin<1125899906843648l, 256, 1, 8, 8>(int4 const*)",
        "void mul_mat_vec_q<(ggml_type)12, 1, false>(void const*)",
        "void mul_mat_q<(ggml_type)12, 64, 8, false>(char const*)",
        "magma_sgemmEx_kernel",
        "fp4_gemv_dec3",
        "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu",
    ),
    "normalisation": (
        (
            "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float, float, "
            "false>(long, float, float const*)"
        ),
        (
            "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<float, "
            "float, 32u, 1u>(long)"
        ),
        (
            "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, "
            "float, false>(float const*)"
        ),
        "void transformer_engine::normalization::rmsnorm_fwd_tuned_kernel<float>(int)",
        (
            "kernel_cutlass_kernel_flashinfernormkernelsfused_add_rmsnormFusedAddRMSNormKernel_"
            "object_at__tensorptrbf16gmemalign128o204820481_0"
        ),
        "void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(int)",
        (
            "void at::native::batch_norm_collect_statistics_kernel<at::native::InvStd, float, float, "
            "float, int>(int)"
        ),
        "void rms_norm_f32<1024, true>(float const*)",
        "_collapse_norm",
    ),
    "softmax": (
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float>(int)",
        (
            "void (anonymous namespace)::scaled_upper_triang_masked_softmax_warp_forward<__half, __"
            "half, float, 11>(int)"
        ),
        "void soft_max_f32<true, 0, 0, float>(float const*)",
    ),
    "loss": (
        (
            "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, "
            "float, long>(float*)"
        ),
        "liger_cross_entropy_kernel",
    ),
    "optimizer": (
        (
            "void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::"
            "FusedOptimizerTensorListMetadata<4>, at::native::<unnamed>::FusedAdamMathFunctor<"
            "float>>(int)"
        ),
    ),
    "rotary embedding": (
        (
            "void <unnamed>::fused_rope_kernel<(bool)0, (long)64, (bool)1, __nv_bfloat16, long, "
            "(unsigned int)8>(int)"
        ),
        "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)",
        "void rope_norm<true, false, float>(float const*)",
    ),
    "activation": (
        "void <unnamed>::silu_mul_quant_varlen_kernel<(bool)1, (bool)1, (bool)0>(int)",
        "_silu_and_mul_post_quant_kernel",
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
            "silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda(c10::"
            "BFloat16)#1}, std::array<char*, 2ul> >(int)"
        ),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::"
            "GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2},"
            " std::array<char*, 3ul> >(int)"
        ),
        (
            "void cuda::batched_swiglu_forward_and_per_token_cast_to_fp8_with_channels_impl<__nv_"
            "bfloat16, 128>(unsigned char*)"
        ),
        "void tensorrt_llm::kernels::cutlass_kernels::doActivationKernel<__nv_bfloat16, float>(int)",
        "void unary_gated_op_kernel<op_silu, float>(float const*)",
    ),
    "quantisation": (
        (
            "void <unnamed>::per_token_group_quant_8bit_v2_kernel<<unnamed>::NaiveScheduler, "
            "(int)128, (int)8, __nv_bfloat16>(int)"
        ),
        "void quantize_q8_1(float const*, void*, long)",
        "void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16>(int)",
    ),
    "sort and sample": (
        (
            "void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::"
            "DeviceRadixSortPolicy<long>>(int*)"
        ),
        "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)",
        ("void flashinfer::sampling::TopPSamplingFromProbKernel<1024u, (cub::BlockScanAlgorithm)1>(float*)"),
        "void at::native::bitonicSortKVInPlace<-2, -1, 16, 16, float, long>(int)",
    ),
    "random": (
        (
            "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, unsigned "
            "int, 1, 4, bool>(int)"
        ),
    ),
    "gather and scatter": (
        (
            "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::"
            "native::index_put_kernel_impl<at::native::OpaqueType<2> >(at::TensorIterator&)::"
            "{lambda(char*)#1}>(int)>(long)"
        ),
        (
            "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int,"
            " 2, 2, -2, true>(int)"
        ),
        "void at::native::(anonymous namespace)::sum_and_scatter<float, long>(long const*)",
        (
            "void at::native::_scatter_gather_elementwise_kernel<128, 8, at::native::_cuda_scatter_"
            "gather_internal_kernel<false>>(int)"
        ),
        "_fwd_kernel_ep_scatter_2",
        "input_scatter_fusion",
        "loop_gather_fusion",
        "void k_get_rows_float<float, float>(float const*)",
    ),
    "scan": (
        "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(float*)",
        "_chunk_state_fwd_kernel",
        "_state_passing_fwd_kernel",
    ),
    "reduction": (
        "input_reduce_fusion_116",
        "void cub::DeviceReduceKernel<cub::DeviceReducePolicy<float>::Policy600, float*>(float*)",
    ),
    "fft": ("void composite_2way_fft<20u, 4u, 32u, (padding_t)0>(kernel_parameters_t)",),
    "pooling": (
        "void at::native::(anonymous namespace)::max_pool_forward_nhwc<float, int>(float const*)",
        "void at::native::(anonymous namespace)::adaptive_average_pool<float>(float const*)",
    ),
    "copy and layout": (
        (
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::"
            "(anonymous namespace)::OpaqueType<2u>, unsigned int, 2, 128, 1>(int)"
        ),
        "at::native::detail::split_with_sizes_copy_out_contiguous_no_cast_kernel(char **, char **)",
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::"
            "array<char*, 1ul> >(int)"
        ),
        "input_transpose_fusion",
        "_permute_kernel",
        "void cpy_f32_f16<&(cpy_1_f32_f16(char const*, char*))>(char const*)",
        "<unnamed>::concat_mla_absorb_q_kernel(__nv_bfloat16 *, __nv_bfloat16 *)",
    ),
    "elementwise": (
        "loop_multiply_fusion",
        "loop_subtract_fusion",
        "void k_bin_bcast<&(op_add(float, float)), float, float, float>(float const*)",
        (
            "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::"
            "native::(anonymous namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar "
            "const&)::{lambda()#1}>(int)>(int)"
        ),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::neg_kernel_cuda(at::"
            "TensorIteratorBase&)::{lambda()#2}>(int)"
        ),
    ),
    "generated": ("fusion_922",),
    "other": (
        "void gsplat::rasterize_to_pixels_3dgs_fwd_kernel<16u, float>(unsigned int)",
        "void gsplat::projection_ewa_3dgs_fused_fwd_kernel<float>(unsigned int)",
        "void gsplat::intersect_tile_kernel<float>(bool, unsigned int)",
        (
            "void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<c10::BFloat16, &at:"
            ":native::nearest_neighbor_exact_compute_source_index>(int)"
        ),
        "outer_fused_0_0_30(float const*, float const*, float*, float*)",
    ),
}
