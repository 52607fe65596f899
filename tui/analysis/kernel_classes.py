"""What kind of work a kernel does, by its name: one ordered table, the first pattern that fits counts.

A name is reduced to its qualified base name (return type, template arguments and parameters off) and its
first template argument. Generated kernels are classified by the words in their names, wrappers by what they
wrap, all others by the table on the last component of the name; on the qualified name only for known
libraries. Parameters are never searched: what a kernel is given says little about what it does.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
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


_C = KernelClass
PATTERNS: dict[KernelClass, str] = {
    # Collectives of all libraries, point-to-point and expert exchange; names of NCCL, of one-shot and fused
    # all-reduces, symmetric memory, NVSHMEM and DeepEP.
    _C.COMMUNICATION: (
        r"^nccl|cross_device_reduce|(one|two)_?shot|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all"
        r"|a2a(dispatch|combine)|^userbuffers|nvshmem|multimem|(^|::)(internode|intranode)(_ll)?::"
        r"|notify_(dispatch|combine)|symm_?mem|lamport"
    ),
    _C.CACHE_UPDATE: r"reshape_and_cache|concat_and_cache|(^|_)kv_(cache|buffer)|append_?paged",
    _C.ATTENTION: (
        r"flash|fmha|sdpa|(?<![a-z])attn|attention|(prefill|decode)with|paged?_?kv|splitkv|(^|_)mla(_|$)"
        r"|merge_state"
    ),
    _C.EXPERTS: (
        r"(^|_|::)moe|fused_moe|grouped_?gemm|groupproblemshape|grouped_mm|^bmm_[a-z0-9]+_.*(e2m1|e4m3|swiglu)"
        r"|routing|topkgating|expert|expand_?input|(count|sort)_and_.*(expert|token)|(un)?permute_(tokens|map)"
        r"|finalizemoe"
    ),
    _C.CONVOLUTION: (
        r"(^|_|::)(implicit_|explicit_|depthwise_|causal_)?conv(olve|olution|\d|_|depthwise)|fprop|dgrad|wgrad"
        r"|winograd|im2col|col2im|scudnn|fft2d_(r2c|c2r)|implicit_gemm"
    ),
    _C.GEMM: (
        r"gemm|gemv|nvjet|matmul|matrix_?mul|matvec|^mm_|_mm_|splitkreduce|cublas|^bmm|(^|_)dot_kernel|xmma"
        r"|cutlass_\d+_(tensorop|wmma|simt)"
    ),
    _C.NORMALISATION: (
        r"(layer|rms|batch|group|instance|fused_add_rms_?)_?norm|(^|_)norm(_|alization|kernel|$)"
        r"|(^|_)bn_(fw|bw)|rmsnorm|layernorm"
    ),
    _C.SOFTMAX: r"softmax",
    _C.LOSS: r"nll_loss|cross_?entropy|mse_loss|_loss_",
    _C.OPTIMIZER: (
        r"multi_tensor|(^|_|::)(fused)?(adam|adamw|sgd|lamb|lion|muon)(_|w|functor|$)|fusedoptimizer|optimizer"
    ),
    _C.ROTARY: r"rope|rotary",
    _C.ACTIVATION: r"act_and_mul|silu|gelu|swiglu|geglu|(^|_)relu|sigmoid|(^|_)tanh",
    _C.QUANTISATION: r"quant|cvt_fp\d|fp8_?(cast|convert)|scaled_fp\d",
    _C.SORT: (
        r"top_?k|gumbel|(^|_|::)sampl(e|ing)|arg(max|min)|multinomial|sort|merge_?sort|bitonic|histogram"
        r"|(^|_)unique"
    ),
    _C.RANDOM: (
        r"distribution_|philox|curand|gen_sequenced|generate_seed|dropout|(^|_)rand(om)?(_|$)|setup_rand|xorwow"
    ),
    _C.GATHER: r"embedding|gather|scatter|index(_|select|put|elementwise|func|copy|fill)|lookup",
    _C.SCAN: r"scan|cumsum|cumprod|selective_?state|(^|_)ssd_|mamba",
    _C.REDUCTION: r"reduce|reduction|(^|_)sum(_|kernel|$)|reducesum",
    _C.FFT: r"(^|_|::)fft|_(r2c|c2r|c2c)(_|$)|_fft|vector_fft|regular_fft",
    _C.POOLING: r"pool(ing)?(_|$|\d)|_pool",
    _C.LAYOUT: (
        r"copy|memcpy|memset|(^|_)fill|transpose|permut|nchw|nhwc|reformat|reorder|(^|_)pack|concat|catarray"
        r"|(^|_)split_|(^|_)pad_|(^|_)roll|(^|_)flip|arange|convert|cast"
    ),
    _C.ELEMENTWISE: (
        r"elementwise|pointwise|^cupy_[a-z0-9_]+__|(^|_)(axpy|saxpy|daxpy|vec(tor)?_?add|vadd|scal)(_|kernel|$)"
        r"|foreach|(^|_|::)(unary|binary|compare|clamp|pow|rsqrt|sqrt|exp|log|where|mul|add|sub|div|neg|abs"
        r"|masked_fill|bitwise|logical)_?(scalar_?)?(functor|kernel)(_|$)"
    ),
}
"""Pattern of each class, searched without regard to case; the order is part of the definition."""

# Plain texts, compiled where a name is first held against them: few commands look at kernel names.
_LIBRARY = (
    r"(^|::)(nccl|flash|flashinfer|vllm|sglang|deep_ep|deep_gemm|cudnn|tensorrt_llm|cub|cutlass)"
    r"\w*::|(^|::)at::native::"
)
"""Libraries whose namespaces say what a kernel does."""
_WRAPPER = (
    r"^(kernel2?|device_kernel|_kernel_agent|static_kernel"
    r"|(vectorized_|unrolled_|legacy_)?elementwise_kernel(_with_index|_manual_unroll)?"
    r"|distribution_elementwise_grid_stride_kernel|multi_tensor_apply_kernel|reduce_kernel"
    r"|par_(reduce|ranged\dd)_kernel|index_elementwise_kernel|broadcast_kernel|kernel_impl|forall\w*"
    r"|parallel_for\w*|cuda_parallel_launch\w*)$"
)
_ELEMENTWISE_TAKES = (
    _C.ACTIVATION, _C.LAYOUT, _C.RANDOM, _C.LOSS, _C.GATHER, _C.QUANTISATION, _C.OPTIMIZER,
)  # fmt: skip
_REDUCE_TAKES = (_C.NORMALISATION, _C.SOFTMAX, _C.SORT)
_CUTLASS_TAKES = (_C.COMMUNICATION, _C.ATTENTION, _C.EXPERTS, _C.CONVOLUTION)
_AGENTS = {
    "scan": _C.SCAN, "copy_if": _C.SCAN,
    "reduce": _C.REDUCTION, "reduce_by_key": _C.REDUCTION,
    "merge_sort": _C.SORT, "radix_sort": _C.SORT, "unique": _C.SORT, "partition": _C.SORT,
    "set_operations": _C.SORT,
    "parallel_for": _C.ELEMENTWISE, "adjacent_difference": _C.ELEMENTWISE,
}  # fmt: skip
"""Thrust's operations, the namespaces in which its kernels' agents are."""
_NVFUSER = {
    "pointwise": _C.ELEMENTWISE, "reduction": _C.REDUCTION, "inner": _C.NORMALISATION,
    "outer": _C.NORMALISATION, "innerouter": _C.NORMALISATION, "transpose": _C.LAYOUT,
    "matmul": _C.GEMM, "none": _C.GENERATED,
}  # fmt: skip
_TRITON_TAKES = (
    _C.ATTENTION, _C.NORMALISATION, _C.SOFTMAX, _C.LOSS, _C.ROTARY, _C.ACTIVATION, _C.QUANTISATION, _C.GATHER,
)  # fmt: skip
_LEADING = r"^(\s*(\(\w+\))?\d+\w*\s*,\s*|\s*void\s+|at::native::|gpu_kernel_impl(_nocast)?<)+"
_ANONYMOUS = r"\(anonymous namespace\)|\{anonymous\}|<unnamed>"


class NameParts(NamedTuple):
    """A kernel's qualified base name, and the text of its template arguments ("" for none)."""

    qualified: str
    arguments: str

    @property
    def last(self) -> str:
        """The base name without its namespaces."""
        return self.qualified.rpartition("::")[2]


def name_parts(name: str) -> NameParts:
    """Cut a demangled name: ``void ns::f<int, 4>(float*)`` is ``ns::f`` with ``int, 4``."""
    name = re.sub(_ANONYMOUS, "anonymous", name)
    plain: list[str] = []
    arguments = ""
    depth, opened = 0, 0
    for at, letter in enumerate(name):
        if letter == "<" and not "".join(plain[-8:]).endswith("operator"):
            if depth == 0:
                opened = at + 1
            depth += 1
        elif letter == ">" and depth and name[at - 1 : at] != "-":
            depth -= 1
            if depth == 0:
                arguments = name[opened:at]
        elif depth == 0:
            if letter == "(" and plain:
                break
            plain.append(letter)
    words = "".join(plain).replace("operator ", "operator_").split()
    return NameParts(words[-1] if words else name, arguments)


@lru_cache(maxsize=1 << 16)
def kernel_class(name: str) -> KernelClass:
    """The class of a kernel by its (demangled, else short) name."""
    parts = name_parts(name)
    last = parts.last
    generated = _generated(last)
    if generated is not None:
        return generated
    if parts.arguments and re.match(_WRAPPER, last, re.IGNORECASE):
        return _wrapped(parts)
    found = _by_table(last)
    if found is None and re.search(_LIBRARY, parts.qualified, re.IGNORECASE):
        found = _by_table(parts.qualified)
    return found or KernelClass.OTHER


def decided_by(name: str) -> str | None:
    """What decided the class of a kernel: the part of its name, or who made or wraps it; None: nothing."""
    parts = name_parts(name)
    last = parts.last
    if _generated(last) is not None:
        lower = last.lower()
        return "generated by " + (
            "nvFuser" if lower.startswith("nvfuser_") else "Triton" if lower.startswith("triton_") else "XLA"
        )
    if parts.arguments and re.match(_WRAPPER, last.lower()):
        return f"wrapper {last}"
    for text in (last, parts.qualified if re.search(_LIBRARY, parts.qualified.lower()) else ""):
        if found := _by_table(text):
            match = re.search(PATTERNS[found], text, re.IGNORECASE)
            return match[0] if match else None
    return None


_TYPES = (
    ("bf16", r"bf16|bfloat16"), ("fp16", r"f16|half|fp16|h16816|hsh"), ("tf32", r"tf32|s1688"),
    ("fp32", r"f32|sgemm"), ("fp64", r"f64|dgemm"), ("fp8", r"e4m3|e5m2|fp8"), ("fp4", r"e2m1|fp4|nvf4"),
    ("int8", r"i8|imma"),
)  # fmt: skip


def element_type(name: str) -> str | None:
    """The type of a kernel's elements, where its base name says it; of several the first of the table."""
    base = name_parts(name).qualified.lower()
    return next((found for found, pattern in _TYPES if re.search(pattern, base)), None)


def communicates(name: str) -> bool:
    """Whether a kernel of this name moves data between devices."""
    return kernel_class(name) is KernelClass.COMMUNICATION


def _by_table(text: str, among: tuple[KernelClass, ...] | None = None) -> KernelClass | None:
    """The first class of the table (or of ``among``, in the table's order) whose pattern is found."""
    for cls, pattern in PATTERNS.items():
        if (among is None or cls in among) and re.search(pattern, text, re.IGNORECASE):
            return cls
    return None


def _generated(last: str) -> KernelClass | None:
    """The class of a kernel that a compiler made and named; None for others."""
    lower = last.lower()
    if lower.startswith("nvfuser_"):
        kind = lower.removeprefix("nvfuser_").removeprefix("inner_outer").split("_")[0] or "inner"
        return _NVFUSER.get(kind, _C.GENERATED)
    if lower.startswith("triton_"):
        return _triton(lower)
    if re.search(r"(^|_)fusion(_|$)", lower) or lower.startswith("wrapped_"):
        words = re.sub(r"(^|_)fusion(?=_|$)|_\d+$", "", lower).removeprefix("wrapped_")
        if found := _by_table(words):
            return found
        return _C.ELEMENTWISE if "loop" in words else _C.REDUCTION if "input" in words else _C.GENERATED
    return None


def _triton(name: str) -> KernelClass:
    kind, _, words = name.removeprefix("triton_").partition("_fused")
    if kind.startswith(("tem", "mm", "bmm")) or re.search(r"_b?mm(_|$)", words):
        return _C.ATTENTION if "attention" in words else _C.GEMM
    if found := _by_table(words, _TRITON_TAKES):
        return found
    if kind.startswith(("red", "per")):
        return _C.REDUCTION
    if kind.startswith("poi"):
        return _C.ELEMENTWISE
    return _by_table(name.removeprefix("triton_")) or _C.GENERATED


def _wrapped(parts: NameParts) -> KernelClass:
    """The class of what a wrapper wraps: its first template argument without what follows that one's name."""
    last = parts.last.lower()
    if last == "_kernel_agent":
        found = re.search(r"__(\w+?)::", parts.arguments)
        return _AGENTS.get(found[1], _C.OTHER) if found else _C.OTHER
    first = re.split(r"[,(]", re.sub(_LEADING, "", parts.arguments), maxsplit=1)[0]
    if last.startswith("distribution_"):
        return _C.RANDOM
    if "elementwise" in last:
        return _by_table(first, _ELEMENTWISE_TAKES) or _C.ELEMENTWISE
    if last == "reduce_kernel":
        return _by_table(first, _REDUCE_TAKES) or _C.REDUCTION
    if last == "multi_tensor_apply_kernel":
        return _C.OPTIMIZER
    if "cutlass" in parts.qualified.lower() or "cutlass" in parts.arguments.lower():
        return _by_table(parts.arguments.split("(")[0], _CUTLASS_TAKES) or _C.GEMM
    if last.startswith(("par_reduce",)):
        return _by_table(name_parts(first).last) or _C.REDUCTION
    return _by_table(first) or _by_table(last) or _C.OTHER
