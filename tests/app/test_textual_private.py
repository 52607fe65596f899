"""What is private to Textual is used in one module only."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import pytest
from textual.driver import Driver
from textual.message_pump import MessagePump

import tui.app

APP = Path(tui.app.__file__).parent
ALLOWED = "textual_private.py"
MODULES = sorted(path for path in APP.rglob("*.py") if path.name != ALLOWED)


@cache
def private_names(owner: type) -> frozenset[str]:
    """Attributes and methods with one underscore that a class of Textual has."""
    source = inspect.getsource(owner)
    return frozenset(re.findall(r"(?:self\.|def )(_[a-z]\w*)", source))


def textual_classes(owner: type) -> list[type]:
    """The classes of Textual that ``owner`` is made from."""
    return [base for base in owner.__mro__ if base.__module__.startswith("textual.")]


def faults(path: Path) -> list[str]:
    """Every use of something private to another package."""
    tree = ast.parse(path.read_text("utf-8"))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and re.search(r"^(textual|rich)\b.*\._", node.module or ""):
            found.append(f"{node.lineno}: from {node.module}")
        if isinstance(node, ast.Import):
            found += [f"{node.lineno}: import {name.name}" for name in node.names if "._" in name.name]
        private = isinstance(node, ast.Attribute) and re.match(r"_(?!replace$)[a-z]", node.attr)
        if private and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found + own_faults(path, tree)


def own_faults(path: Path, tree: ast.Module) -> list[str]:
    """Private names of Textual's classes that classes made from them use or replace."""
    module = importlib.import_module(".".join(["tui.app", *path.relative_to(APP).with_suffix("").parts]))
    found = []
    for node in tree.body:
        owner = getattr(module, node.name, None) if isinstance(node, ast.ClassDef) else None
        if owner is None or not issubclass(owner, (MessagePump, Driver)):
            continue
        theirs = frozenset().union(*map(private_names, textual_classes(owner)))
        used = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        used |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)}
        found += [f"{owner.__name__}.{name}" for name in sorted(used & theirs)]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(APP)))
def test_nothing_private_is_used(path: Path) -> None:
    assert faults(path) == []


def test_the_search_finds_what_it_is_for() -> None:
    """The one module that may is full of what the others may not."""
    found = "\n".join(faults(APP / ALLOWED))
    for use in ("textual._compositor", "textual._xterm_parser", "OpenApp._display", "OpenDriver._mouse"):
        assert use in found
