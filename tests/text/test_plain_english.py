"""Odd words stay out of what people read: every string of the program that is no docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ODD = re.compile(r"\b(anew|without a hole|tells|put down to|speaks? of|sat in)\b")
SOURCE = Path(__file__).resolve().parents[2] / "tui"


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """The strings of a module that are not statements of their own, as docstrings are."""
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node


def test_no_odd_words() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{text.lineno}: {match[0]}"
        for path in sorted(SOURCE.rglob("*.py"))
        for text in strings(ast.parse(path.read_text(encoding="utf-8")))
        for match in ODD.finditer(str(text.value))
    ]
    assert not found
