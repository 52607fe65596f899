"""Short names of kernels: no two alike, and what tells them apart is in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.ranks.short_names import short_names

MUL, ADD = (
    f"void at::native::elementwise_kernel<(int)128, at::BinaryFunctor<float, at::native::{name}>>(int)"
    for name in ("MulFunctor", "AddFunctor")
)


def test_as_much_as_tells_names_apart() -> None:
    assert short_names(["void flash::fwd<int>(int)"]) == {"void flash::fwd<int>(int)": "fwd"}
    assert list(short_names(["a::k(int)", "b::k(int)"]).values()) == ["a::k", "b::k"]
    assert short_names([MUL, ADD]) == {
        MUL: "elementwise_kernel<MulFunctor>",
        ADD: "elementwise_kernel<AddFunctor>",
    }
    assert list(short_names(["k<int, 4>(x)", "k<int, 8>(x)"]).values()) == ["k<4>", "k<8>"]
    assert list(short_names(["k<int>(x)", "k<int, 8>(x)"]).values()) == ["k<int>(x)", "k<8>"]
    assert list(short_names(["k(int)", "k(long)"]).values()) == ["k(int)", "k(long)"]
    assert short_names([]) == {}


@given(st.lists(st.text("ab<>:,(1 ", max_size=12), max_size=8))
def test_no_two_names_get_one_form(names: list[str]) -> None:
    found = short_names(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
