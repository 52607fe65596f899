"""The examples of CONTRIBUTING: each is applied to a copy of the code, and its test is run there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = re.compile(r"^```python\n# (\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIFF = re.compile(r"^```diff\n--- (\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """What one section shows: whole files, and lines that are added to others."""

    files: dict[str, str]
    additions: dict[str, list[tuple[str, str]]]
    """By path the texts before and after, one pair a hunk."""

    @property
    def touched(self) -> set[str]:
        return {path for path in (*self.files, *self.additions) if path.startswith("tui/")}

    @property
    def tests(self) -> list[str]:
        return [path for path in self.files if path.startswith("tests/")]


def _hunk(text: str) -> tuple[str, str]:
    lines = text.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    return before, "".join(line[1:] for line in lines if line[0] in " +")


def _examples() -> dict[str, Example]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    chapter = text.split("\n## To add a ...\n", 1)[1].split("\n## ", 1)[0]
    found = {}
    for section in chapter.split("\n### ")[1:]:
        additions = {
            path: [_hunk(hunk) for hunk in hunks.split("@@\n") if hunk]
            for path, hunks in DIFF.findall(section)
        }
        found[section.splitlines()[0]] = Example(dict(PYTHON.findall(section)), additions)
    return found


EXAMPLES = _examples()
LANES = "Kind of event, with its lanes"
TO_APPLY = [name for name in EXAMPLES if name != LANES]


def test_every_kind_of_thing_has_its_example() -> None:
    assert list(EXAMPLES) == ["Stats report", "Rule", "Finding", "Tab", "Command", LANES]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_thing_is_one_file_and_its_registration(name: str) -> None:
    assert len(EXAMPLES[name].touched) <= (3 if name == LANES else 2)


def test_the_kind_of_event_is_the_one_in_the_code() -> None:
    for path, text in EXAMPLES[LANES].files.items():
        assert (ROOT / path).read_text() == text
    for path, hunks in EXAMPLES[LANES].additions.items():
        for _, after in hunks:
            assert after in (ROOT / path).read_text()


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code with all examples applied that are not part of it."""
    root = tmp_path_factory.mktemp("copy")
    skipped = shutil.ignore_patterns("__pycache__", "*.sqlite*")
    for folder in ("tui", "fixtures", "tests/support"):
        shutil.copytree(ROOT / folder, root / folder, ignore=skipped)
    (root / "tests/__init__.py").touch()
    for name in TO_APPLY:
        example = EXAMPLES[name]
        for path, text in example.files.items():
            assert not (root / path).exists(), path
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for path, hunks in example.additions.items():
            code = (root / path).read_text()
            for before, after in hunks:
                assert code.count(before) == 1, (path, before)
                code = code.replace(before, after)
            (root / path).write_text(code)
    return root


@pytest.mark.parametrize("name", TO_APPLY)
def test_the_test_of_an_example_passes(name: str, copied: Path) -> None:
    tests = EXAMPLES[name].tests
    assert tests
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        "--rootdir",
        ".",
    ]
    done = subprocess.run(
        [*command, *tests],
        cwd=copied,
        env=os.environ | {"PYTHONPATH": str(copied)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d+ passed", done.stdout.splitlines()[-1])
