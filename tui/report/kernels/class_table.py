"""The table of kernel classes: patterns of names, the class that each means, and why.

Patterns are searched without regard to case. The first that fits counts, so their order is part of the
definition: rows of one class stand together, the special class before the general one.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class KernelClass(Enum):
    """The classes, in the order of the table."""

    COMMUNICATION = "communication"
    CACHE_UPDATE = "cache update"
    ATTENTION = "attention"
    EXPERTS = "mixture of experts"
    CONVOLUTION = "convolution"
    GEMM = "gemm"
    NORMALISATION = "normalisation"
    SOFTMAX = "softmax"
    LOSS = "loss"
    OPTIMIZER = "optimizer"
    ROTARY = "rotary embedding"
    ACTIVATION = "activation"
    QUANTISATION = "quantisation"
    SORT = "sort and sample"
    RANDOM = "random"
    GATHER = "gather and scatter"
    SCAN = "scan"
    REDUCTION = "reduction"
    FFT = "fft"
    POOLING = "pooling"
    LAYOUT = "copy and layout"
    ELEMENTWISE = "elementwise"
    GENERATED = "generated"
    OTHER = "other"


class ClassRule(NamedTuple):
    """A pattern of names, the class that it means, and why."""

    kernel_class: KernelClass
    pattern: str
    why: str


_C = KernelClass
TABLE: tuple[ClassRule, ...] = (
    ClassRule(_C.COMMUNICATION, r"^nccl", "NCCL's kernels of all releases, symmetric memory included"),
    ClassRule(_C.COMMUNICATION, r"cross_device_reduce|(one|two)_?shot", "custom all-reduces of inference"),
    ClassRule(_C.COMMUNICATION, r"all_?reduce|all_?gather|reduce_?scatter|all_?to_?all", "collectives"),
    ClassRule(_C.COMMUNICATION, r"a2a(dispatch|combine)|notify_(dispatch|combine)", "exchange of experts"),
    ClassRule(_C.COMMUNICATION, r"(^|::)(internode|intranode)(_ll)?::", "DeepEP's exchange of experts"),
    ClassRule(_C.COMMUNICATION, r"^userbuffers|symm_?mem|multimem", "buffers that several GPUs map"),
    ClassRule(_C.COMMUNICATION, r"nvshmem|lamport", "puts, gets and the flags that they wait for"),
    ClassRule(
        _C.CACHE_UPDATE, r"reshape_and_cache|concat_and_cache|append_?paged", "keys and values are stored"
    ),
    ClassRule(_C.CACHE_UPDATE, r"(^|_)kv_(cache|buffer)", "keys and values are stored"),
    ClassRule(_C.ATTENTION, r"flash(?!infer)", "flash attention; FlashInfer has kernels of all classes"),
    ClassRule(_C.ATTENTION, r"fmha|sdpa|(?<![a-z])attn|attention", "attention by name"),
    ClassRule(
        _C.ATTENTION, r"(prefill|decode)with|paged?_?kv|splitkv|merge_state", "parts of paged attention"
    ),
    ClassRule(_C.ATTENTION, r"(^|_)mla(_|$)|mqa_logits", "latent and multi-query attention"),
    ClassRule(_C.ATTENTION, r"delta_rule", "linear attention"),
    ClassRule(_C.EXPERTS, r"(^|_|::)moe|fused_moe|finalizemoe|expert", "experts by name"),
    ClassRule(_C.EXPERTS, r"grouped_?gemm|groupproblemshape|grouped_mm", "products of all experts at once"),
    ClassRule(_C.EXPERTS, r"^bmm_[a-z0-9]+_.*(e2m1|e4m3|swiglu)", "TensorRT-LLM's products of experts"),
    ClassRule(_C.EXPERTS, r"routing|(^|_)router(_|$)|topkgating", "which token goes to which expert"),
    ClassRule(
        _C.EXPERTS,
        r"expand_?input|(count|sort)_and_.*(expert|token)|(un)?permute_(tokens|map)",
        "tokens by expert and back",
    ),
    ClassRule(
        _C.CONVOLUTION,
        r"(^|_|::)(implicit_|explicit_|depthwise_|causal_)?conv(olve|olution|\d|_|depthwise)",
        "convolution by name",
    ),
    ClassRule(_C.CONVOLUTION, r"fprop|dgrad|wgrad|winograd|scudnn|implicit_gemm", "cuDNN's algorithms"),
    ClassRule(_C.CONVOLUTION, r"im2col|col2im|fft2d_(r2c|c2r)", "what surrounds a convolution's product"),
    ClassRule(_C.GEMM, r"gemm|gemv|nvjet|cublas|xmma|splitkreduce", "cuBLAS and its names"),
    ClassRule(
        _C.GEMM, r"matmul|matrix_?mul|matvec|mul_mat|^mm_|_mm_|^bmm|(^|_)dot_kernel", "product by name"
    ),
    ClassRule(_C.GEMM, r"cutlass_\d+_(tensorop|wmma|simt)|marlin\w*::", "CUTLASS, Marlin"),
    ClassRule(
        _C.NORMALISATION,
        r"(layer|rms|batch|group|instance|fused_add_rms_?)_?norm|rmsnorm|layernorm",
        "normalisation by name",
    ),
    ClassRule(
        _C.NORMALISATION,
        r"(^|(?<!rope)_)norm(_|alization|kernel|$)",
        "norm as a word; rope_norm is a rotary embedding of the normal kind",
    ),
    ClassRule(_C.NORMALISATION, r"(^|_)bn_(fw|bw)|rowwise_?moments|gamma_?beta", "parts of normalisations"),
    ClassRule(_C.SOFTMAX, r"soft_?max", "softmax by name"),
    ClassRule(_C.LOSS, r"nll_loss|cross_?entropy|mse_loss|_loss_", "loss by name"),
    ClassRule(_C.OPTIMIZER, r"multi_tensor|fusedoptimizer|optimizer", "updates of many tensors at once"),
    ClassRule(
        _C.OPTIMIZER, r"(^|_|::)(fused)?(adam|adamw|sgd|lamb|lion|muon)(_|w|functor|$)", "optimizers by name"
    ),
    ClassRule(_C.ROTARY, r"rope|rotary", "rotary embedding by name"),
    ClassRule(
        _C.ACTIVATION,
        r"act_and_mul|silu|gelu|swiglu|geglu|(^|_)relu|sigmoid|(^|_)tanh"
        r"|doactivation|(^|_)activation(_|kernel|$)",
        "activation by name",
    ),
    ClassRule(_C.QUANTISATION, r"quant|cvt_fp\d|fp8_?(cast|convert)|scaled_fp\d", "to a narrower type"),
    ClassRule(
        _C.SORT, r"top_?[kp]|arg(max|min)|sort|merge_?sort|bitonic|(^|_)unique|histogram", "order of values"
    ),
    ClassRule(_C.SORT, r"gumbel|(^|_|::)sampl(e|ing)|multinomial", "draws by given probabilities"),
    ClassRule(
        _C.RANDOM,
        r"distribution_|philox|curand|gen_sequenced|generate_seed|(^|_)rand(om)?(_|$)|setup_rand|xorwow",
        "random numbers",
    ),
    ClassRule(_C.RANDOM, r"dropout", "random zeros"),
    ClassRule(
        _C.GATHER,
        r"embedding|gather|scatter|index(_|select|put|elementwise|func|copy|fill)|lookup|get_rows",
        "reads or writes by index",
    ),
    ClassRule(_C.SCAN, r"scan|cumsum|cumprod", "prefix sums"),
    ClassRule(_C.SCAN, r"selective_?state|(^|_)ssd_|mamba|chunk_state|state_passing", "state space models"),
    ClassRule(_C.REDUCTION, r"reduce|reduction|(^|_)sum(_|kernel|$)|reducesum", "sums and extremes"),
    ClassRule(_C.FFT, r"(^|_|::)fft|_(r2c|c2r|c2c)(_|$)|_fft|vector_fft|regular_fft", "cuFFT's names"),
    ClassRule(_C.POOLING, r"pool(ing)?(_|$|\d)|_pool", "pooling by name"),
    ClassRule(
        _C.LAYOUT,
        r"copy|memcpy|memset|(^|_)cpy(_|$)|(^|(?<!masked)_)fill|concat|catarray|arange",
        "copies and fills; masked_fill is elementwise",
    ),
    ClassRule(
        _C.LAYOUT,
        r"transpose|permut|nchw|nhwc|reformat|reorder|(^|_)(re)?pack|(^|_)split_|(^|_)pad_|(^|_)roll|(^|_)flip",
        "the same values in another order",
    ),
    ClassRule(_C.LAYOUT, r"convert|(?<!_b)cast", "the same values in another type; a bcast is none"),
    ClassRule(_C.ELEMENTWISE, r"elementwise|pointwise|foreach|^cupy_[a-z0-9_]+__", "elementwise by name"),
    ClassRule(
        _C.ELEMENTWISE,
        r"(^|_)(axpy|saxpy|daxpy|vec(tor)?_?add|vadd|scal)(_|kernel|$)|bin_bcast|unary_(gated_)?op",
        "sums and products of vectors",
    ),
    ClassRule(
        _C.ELEMENTWISE,
        r"(^|_|::)(unary|binary|compare|clamp|pow|rsqrt|sqrt|exp|log|where|mul|add|sub|div|neg|abs"
        r"|masked_fill|bitwise|logical)_?(scalar_?)?(functor|kernel)(_|$)",
        "one operation by name",
    ),
)
"""Every rule, in the order in which they are tried."""

LIBRARIES = (
    r"(^|::)(nccl|flash|flashinfer|vllm|sglang|deep_ep|deep_gemm|cudnn|tensorrt_llm|cub|cutlass"
    r"|moe|marlin|gemvx)\w*::|(^|::)at::native::"
)
"""Libraries whose namespaces say what a kernel does."""
WRAPPERS = (
    r"^(kernel2?|device_kernel|_kernel_agent|static_kernel"
    r"|(vectorized_|unrolled_|legacy_)?elementwise_kernel(_with_index|_manual_unroll)?"
    r"|distribution_elementwise_grid_stride_kernel|multi_tensor_apply_kernel|reduce_kernel"
    r"|par_(reduce|ranged\dd)_kernel|index_elementwise_kernel|broadcast_kernel|kernel_impl|forall\w*"
    r"|parallel_for\w*|cuda_parallel_launch\w*|unary_(gated_)?op_kernel)$"
)
"""Kernels that do what their first template argument says."""
FUSED = r"norm|fus|gemm|matmul|swiglu|silu|quant|residual|moe_?(finalize|reduction)"
"""Words of kernels that communicate and compute: how long they take is no measure of waiting."""
