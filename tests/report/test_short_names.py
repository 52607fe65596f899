# ruff: noqa: E501 - names are as long as they are
"""Short names of kernels: no two alike, what tells them apart is in them, and in no order of the names."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.fresh_kernels import FRESH
from tests.support.real import needs_real
from tests.support.real_kernels import real_kernels
from tui.report.kernels.short_names import ShortNames, short_names
from tui.text import safe, width

NATIVE = (
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::{}, std::array<char *, {}>>(int, T2)"
)
ADD, ADD_BF16, GELU = (
    NATIVE.format(functor, count)
    for functor, count in (
        ("CUDAFunctor_add<float>", 3),
        ("CUDAFunctor_add<c10::BFloat16>", 3),
        ("GeluCUDAKernelImpl(at::TensorIteratorBase &)::[lambda() (instance 2)]", 2),
    )
)
CLOVER = "void clover::par_ranged2d_kernel<{}_kernel(bool, int)::[lambda(int, int) (instance {})]>(clover::Range2d, T1)"
XMMA = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_{}_kernel__5x_cublas"
ALONE = {
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128>, true>(Flash_fwd_params)": "flash_fwd_kernel",
    ADD: "elementwise<add>",
    GELU: "elementwise<Gelu>",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float>>>(T3)": "reduce<Mean>",
    CLOVER.format("PdV", 2): "par_ranged2d<PdV>",
    XMMA.format("execute"): "gemm fp32 64x256x8 tn",
    "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn": "gemm bf16 128x64 tn",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_64x3_nn_align8>(P)": "gemm bf16 128x64 nn",
    "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN": "nvjet 192x192 TNN",
    "ampere_sgemm_128x64_nn": "sgemm 128x64 nn",
    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<x>>>(P)": "FlashAttnFwdSm90",
    "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::Agent<x>>(P)": "parallel_for",
    "void (anonymous namespace)::softmax_warp_forward<float, 10>(float*)": "softmax_warp_forward",
    "<unnamed>::concat_mla_kernel(__nv_bfloat16 *)": "concat_mla_kernel",
    "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float>(int)": "gemvx::kernel",
    "void foo<int>[with T = bool]": "foo",
    "triton_poi_fused_add_mul_3": "triton_poi_fused_add_mul_3",
    "[CUDA graph 1]": "[CUDA graph 1]",
    "my kernel of the day": "my kernel of the day",
    "": "",
    "[red]x\x1b[0m": "[red]x␛[0m",
}


@pytest.mark.parametrize("name", ALONE)
def test_a_name_that_stands_alone(name: str) -> None:
    assert short_names([name]) == {name: ALONE[name]}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([ADD, ADD_BF16, GELU], ["elementwise<add, float>", "elementwise<add, bf16>", "elementwise<Gelu>"]),
        (
            [CLOVER.format("PdV", 1), CLOVER.format("PdV", 2), CLOVER.format("flux", 1)],
            ["par_ranged2d<PdV #1>", "par_ranged2d<PdV #2>", "par_ranged2d<flux>"],
        ),
        (
            [XMMA.format("execute"), XMMA.format("execute_split_k")],
            ["gemm fp32 64x256x8 tn kernel", "gemm fp32 64x256x8 tn split"],
        ),
        (["a::k(int)", "b::k(int)"], ["a::k", "b::k"]),
        (["k<int, 4>(x)", "k<int, 8>(x)"], ["k<4>", "k<8>"]),
        (["k<int>(x)", "k<int, 8>(x)"], ["k", "k<8>"]),
        (["k(int)", "k(long)"], ["k(int)", "k(long)"]),
        (["void f<T>[with T = bool]", "void f<T>[with T = int]"], ["f(bool)", "f(int)"]),
        (["k( )", "k(  )"], ["k #2", "k #1"]),  # nothing that a person could read differs
        (["k(\u200b)", "k()"], ["k #2", "k #1"]),
        (["x<1>", "y<2>"], ["x", "y"]),
        # What a wrapper gives way to is called as another kernel is.
        (["void device_kernel<ns::Foo<1>>(P)", "Foo<2>(P)"], ["Foo<1>", "Foo<2>"]),
    ],
)
def test_as_much_as_tells_names_apart(names: list[str], expected: list[str]) -> None:
    found = short_names(names)
    assert [found[name] for name in names] == expected


def keeps_apart(names: list[str], cells: tuple[int, ...] = (120, 60, 30, 16, 8)) -> None:
    """Every name has a form that no other has, in any number of cells; the order of the names says nothing."""
    shown = ShortNames(names)
    forms = {name: shown[name] for name in names}
    every = set(names)
    assert len(set(forms.values())) == len(every)
    for name, form in forms.items():
        assert form == safe(form)
        assert len(form) <= len(name) + 8
    again = list(every)
    random.Random(len(names)).shuffle(again)
    other = ShortNames(again)
    assert all(other[name] == forms[name] for name in again)
    for room in cells:
        fitted = {name: shown.fitted(name, room) for name in names}
        assert len(set(fitted.values())) == len(every), room
        assert all(width(text) <= room for text in fitted.values())
        assert all(other.fitted(name, room) == fitted[name] for name in reversed(again))


NASTY = st.lists(
    st.one_of(
        st.text("ab<>:,(1 #)&*", max_size=14),
        st.text(max_size=8),
        st.sampled_from(
            [*ALONE, "k #1", "k", "k()", "k<>", "elementwise<add>", "a\u202eb", "名前<1>", "a\u0301"]
        ),
        st.builds(
            "{}<{}>({})".format,
            st.sampled_from("kq"),
            st.text("ab, ", max_size=6),
            st.text("x,* ", max_size=4),
        ),
    ),
    max_size=12,
)


@settings(max_examples=400, deadline=None)
@given(NASTY)
def test_no_two_names_read_the_same(names: list[str]) -> None:
    keeps_apart(names, (40, 12, 6))


def test_names_of_public_listings_read_differently() -> None:
    keeps_apart([name for names in FRESH.values() for name in names])


@needs_real
def test_names_of_all_real_exports_read_differently() -> None:
    names = list(real_kernels())
    keeps_apart(names)
    assert max(len(form) for form in short_names(names).values()) <= 60


def test_a_name_that_is_none_of_them() -> None:
    with pytest.raises(KeyError):
        ShortNames(["a"])["b"]


def test_ten_thousand_names_cost_what_is_shown() -> None:
    """Only the names that are asked for are worked out, with those of their head: a ratio, no clock's time."""
    names = [f"void lib::k{i // 50}<int, {i % 50}, float>(float*)" for i in range(10_000)]

    def spent(count: int) -> float:
        began = time.perf_counter()
        shown = ShortNames(names)
        for name in names[:count]:
            shown.fitted(name, 26)
        return time.perf_counter() - began

    few, every = min(spent(50) for _ in range(3)), min(spent(10_000) for _ in range(3))
    assert few < every / 2
    keeps_apart(names, (26,))
    keeps_apart([f"a_name_that_is_much_too_long_{i}<x, {'y' * 40}>(int)" for i in range(2_100)], (26,))
