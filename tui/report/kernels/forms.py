"""A kernel's name taken apart for short names: what it is called, and what may tell it from others.

A wrapper gives way to what it wraps, and a library's product to its type, tile and layout.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tui.report.kernels.names import ANONYMOUS, element_type, name_parts

_MOST = 64
"""So many words of the arguments, and of the parameters, may tell a name from others."""
_LONGEST = 4096
"""Letters of a name that are looked at: the rest of a longer one tells nobody anything."""


Words = tuple[str, ...]


class Form(NamedTuple):
    """The parts of one name."""

    head: str
    """What it is called, without namespaces."""
    always: Words = ()
    """What is said of it in any case."""
    spaced: bool = False
    """Words follow the head with spaces between, not in brackets: ``gemm bf16 128x64 tn``."""
    arguments: Words = ()
    """Words of its template arguments, or of its name, in order."""
    parameters: Words = ()
    namespaces: Words = ()


_CODE = re.compile(r"^[A-Za-z_~][^\[{]*[<(]|^[A-Za-z_]\S*$")
"""What looks like a function's name: other names are left alone."""
_WITH = re.compile(r"\s*\[with (.*)\]\s*$", re.DOTALL)
_WORD = re.compile(r"#\d+|[A-Za-z_]\w*|\d+")
_SCOPES = re.compile(r"(?:\b\w+::)+(?=\w)")
_INSTANCE = re.compile(r"\(instance (\d+)\)|\{lambda\([^)]*\)#(\d+)\}")
_CASTS = re.compile(
    r"\((?:int|bool|long|short|char|unsigned (?:int|long|long long|char)|signed char)\)(?=-?\d)"
)
_TYPES = {
    "BFloat16": "bf16", "__nv_bfloat16": "bf16", "nv_bfloat16": "bf16", "bfloat16_t": "bf16", "Half": "fp16",
    "__half": "fp16", "half": "fp16", "half_t": "fp16", "Float8_e4m3fn": "e4m3", "__nv_fp8_e4m3": "e4m3",
    "float_e4m3_t": "e4m3", "AUnaryFunctor": "AUnary", "BUnaryFunctor": "BUnary",
}  # fmt: skip
"""What is written for a word."""
_NOISE = frozenset(
    """
    lambda operator const void unsigned signed struct class anonymous instance array char std detail kernel
    T1 T2 T3 gpu_kernel_impl gpu_kernel_impl_nocast TensorIteratorBase TensorIterator ReduceOp func_wrapper_t
    TensorListMetadata TensorListScalarListMetadata FusedOptimizerTensorListMetadata BinaryFunctor
    enable_sm90_or_later enable_sm80_to_sm89 enable_3x_kernel_for_sm9x enable_3x_kernel_for_sm10
    """.split()  # noqa: SIM905 - as text it is readable
)
"""Words that all names of a kind have, and that say nothing."""
_SIDES = frozenset(("AUnary", "BUnary"))
"""Which operand of an operation is a constant."""
_PLAIN_TYPES = frozenset(["bf16", "fp16", "float", "double", "e4m3", "int", "long", "short", "bool"])
_HEADS = (
    (
        re.compile(r"^(?:vectorized_|unrolled_|legacy_)?elementwise_kernel(?:_with_index|_manual_unroll)?$"),
        "elementwise",
    ),
    (re.compile(r"^index_elementwise_kernel$"), "index"),
    (re.compile(r"^distribution_elementwise_grid_stride_kernel$"), "distribution"),
    (re.compile(r"^reduce_kernel$"), "reduce"),
    (re.compile(r"^multi_tensor_apply_kernel$"), "multi_tensor"),
    (re.compile(r"^(par_ranged\dd|par_reduce)_kernel$"), r"\1"),
)
_BARE = re.compile(r"^(?:kernel2?|device_kernel|static_kernel|_kernel_agent)$", re.IGNORECASE)
"""Wrappers whose own name says nothing."""
_OPERATION = re.compile(
    r"^CUDAFunctor(?:OnSelf)?_|(?:Math)?Functor(?:_\w+)?$|_functor$|Ops$|_kernel(?:_cuda|_impl|_impl_nocast)?$"
    r"|CUDAKernelImpl$|_cuda(?:_out)?$|_tensor_scalar_kernel_impl$"
)
"""What an operation's name has around the operation."""
_PRODUCT = re.compile(
    r"^(?:nvjet|cutlass|ampere|volta|turing|hopper|maxwell|pascal|kepler|sm\d+|trt|cublas|cudnn)\w*_",
    re.IGNORECASE,
)
_TILE = re.compile(r"(?<![0-9x])(\d+x\d+(?:x\d+)?)")
_LAYOUT = re.compile(r"^[tn]{2,4}$", re.IGNORECASE)
_KINDS = ("fprop", "dgrad", "wgrad", "sgemm", "dgemm", "gemm", "scudnn", "conv", "winograd")


_START = re.compile(
    r"^(?:[\w:<>]+[ *&]+)?(?:\(anonymous namespace\)::|<unnamed>::|[A-Za-z_]\w*::)*([A-Za-z_]\w*)([<(]|$)",
    re.ASCII,
)


def head_of(name: str) -> str | None:
    """The head of a plain kernel's form, found fast; None for a name that takes more to tell."""
    found = _START.match(name)
    if found is None or _BARE.match(found[1]) or _PRODUCT.match(found[1]) or found[1] == "operator":
        return None
    for pattern, head in _HEADS if found[2] == "<" else ():
        if pattern.match(found[1]):
            return pattern.sub(head, found[1])
    return found[1]


def form_of(name: str) -> Form:
    """Take a name apart; one that looks like no function is its own head."""
    name = ANONYMOUS.sub("anonymous", name[:_LONGEST])
    if _CODE.search(name) is None:
        return Form(name)
    bound = _WITH.search(name) if "[with" in name else None
    name = name[: bound.start()] if bound else name
    parts = name_parts(name)
    words = _words(parts.arguments)
    if not parts.last or (parts.last == name.strip() and not words):
        return _of_product(name) or Form(name)
    after = name[name.rfind(parts.arguments) + len(parts.arguments) :] if parts.arguments else name
    parameters = (*_words(after.partition("(")[2]), *(_words(bound[1]) if bound else ()))
    scopes = tuple(parts.qualified.split("::")[:-1])
    last = parts.last
    if words and _BARE.match(last):
        inner = name_parts(parts.arguments)
        wrapped = _of_wrapped(last, parts.qualified, parts.arguments, words, parameters)
        return _of_product(inner.last) or wrapped
    for pattern, head in _HEADS if words else ():
        if pattern.match(last):
            operation, rest = _operation(words)
            return Form(pattern.sub(head, last), operation, False, rest, parameters, scopes)
    return _of_product(last) or Form(last, (), False, words, parameters[:_MOST], scopes)


def _words(text: str) -> Words:
    """Return what may tell a name from others, in its order, without namespaces."""
    if "lambda" in text:
        text = _INSTANCE.sub(lambda m: f" #{m[1] or m[2]} ", text)
    if ")" in text:
        text = _CASTS.sub("", text)
    if "::" in text:
        text = _SCOPES.sub("", text)
    found = [_TYPES.get(word, word) for word in _WORD.findall(text) if word not in _NOISE]
    return tuple(found[:_MOST])


def _operation(words: Words) -> tuple[Words, Words]:
    """The operation that a wrapper is given, and the other words, types first."""
    at = next((i for i, word in enumerate(words) if _says_what(word)), -1)
    if at < 0:
        return (), words
    short = _OPERATION.sub("", words[at]) or words[at]
    rest = words[:at] + words[at + 1 :]
    return (short,), (*(w for w in rest if w in _PLAIN_TYPES), *(w for w in rest if w not in _PLAIN_TYPES))


def _says_what(word: str) -> bool:
    return not (word.isdecimal() or word[0] == "#" or word in _PLAIN_TYPES or word in _SIDES)


def _of_wrapped(last: str, qualified: str, arguments: str, words: Words, parameters: Words) -> Form:
    """The form of a wrapper by the first word that says something, else by where it stands."""
    agent = re.search(r"__(\w+?)::", arguments)
    if last == "_kernel_agent" and agent:
        return Form(agent[1], (), False, words, parameters)
    at = next((i for i, word in enumerate(words) if _says_what(word)), -1)
    head = words[at] if at >= 0 else "::".join(qualified.split("::")[-2:])
    return Form(head, (), False, words[:at] + words[at + 1 :] if at >= 0 else words, parameters)


def _of_product(name: str) -> Form | None:
    """The form of a library's product: kind, type, tile, layout; None for other names."""
    tile = _TILE.search(name) if _PRODUCT.match(name) else None
    if tile is None:
        return None
    tokens = name.split("_")
    kind = "nvjet" if tokens[0] == "nvjet" else next((k for k in _KINDS if k in name), tokens[0])
    layout = next((token for token in reversed(tokens) if _LAYOUT.match(token)), "")
    said = (element_type(name) if kind not in ("nvjet", "sgemm", "dgemm") else "", tile[1], layout)
    return Form(kind, tuple(word for word in said if word), True, tuple(filter(None, tokens)))
