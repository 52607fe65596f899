"""The README's table of guarantees names tests that exist."""

from __future__ import annotations

import re

from tests.guarantees.conftest import ROOT


def test_every_line_names_tests_that_exist() -> None:
    text = (ROOT / "README.md").read_text()
    section = re.search(r"^## What is guaranteed\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = [line for line in section[1].splitlines() if line.startswith("| ") and "held by" not in line]
    assert len(rows) >= 10
    for row in rows:
        links = re.findall(r"\[(tests/[^\]]+)\]\(([^)]+)\)", row)
        assert links, row
        for shown, target in links:
            assert target.startswith(shown)
            assert (ROOT / target).exists(), target
            under = ROOT / shown
            assert under.is_file() or list(under.glob("test_*.py")), shown
