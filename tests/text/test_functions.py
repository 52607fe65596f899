"""Names of functions as a line with little room has them."""

from __future__ import annotations

import pytest

from tui.text.functions import called


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main()"),
        ("_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault()"),
        ("postprocess(float const*)", "postprocess()"),
        ("void ns::postprocess<float>(float const*)", "postprocess()"),
        ("std::vector<int, std::allocator<int> >::push_back(int&&)", "push_back()"),
        ("at::native::(anonymous namespace)::fill(at::Tensor const&)", "fill()"),
        ("int app::count(std::map<int, int>) const", "count()"),
        ("f(int) [clone .part.0]", "f()"),
        ("clock reads (vdso)", "clock reads (vdso)"),
        ("libcuda.so.1 (unresolved)", "libcuda.so.1 (unresolved)"),
        ("forward (model.py:12)", "forward (model.py:12)"),
        ("a::b::operator()(int)", "a::b::operator()(int)"),
        ("operator new(unsigned long)", "operator new(unsigned long)"),
        ("[Unknown]", "[Unknown]"),
        ("", ""),
        (")", ")"),
        ("f(((", "f((("),
        ("()", "()"),
    ],
)
def test_called(name: str, short: str) -> None:
    assert called(name) == short
