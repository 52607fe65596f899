"""Where the exports are, and running a command in this process."""

from __future__ import annotations

import contextlib
import io
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fixtures.registry import find
from tests.fuzz.judge import Outcome
from tests.support.real import EXPORTS, real_export
from tui.cli import main

SCENARIOS = ("resnet", "ddp", "decode-graph", "healthy-ddp")
CORPUS = (*(path.stem for path in EXPORTS or [Path("real-exports")]), *SCENARIOS)

Command = Callable[..., Outcome]
Some = Callable[[Sequence[str], str], Sequence[str]]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the store, for settings and for generated exports."""
    return tmp_path_factory.mktemp("corpus")


def export_named(name: str, home: Path) -> Path:
    """A real export, where they are beside this checkout (else the test is skipped), or a generated one."""
    if name not in SCENARIOS:
        return real_export(name)
    path = home / f"{name}.sqlite"
    if not path.exists():
        find(name).build(path)
    return path


@pytest.fixture(params=CORPUS)
def report(request: pytest.FixtureRequest, home: Path) -> Path:
    """Each export in turn."""
    return export_named(request.param, home)


@pytest.fixture
def command(home: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """``command("stats", path, "-f", "csv")``: what came of it, as if it were a process of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: object) -> Outcome:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*map(str, arguments), "--cache-dir", str(home / "store")])
        logs = [p.read_text() for p in home.glob("state/**/*.log")]
        texts = [stream.detach().getvalue() for stream in (out, err)]  # type: ignore[attr-defined]
        return Outcome(code, *texts, log="".join(logs))

    return run


@pytest.fixture
def some(request: pytest.FixtureRequest) -> Some:
    """``some(formats, key)``: all of them with --corpus-all, else the one that falls to ``key``."""

    def pick(formats: Sequence[str], key: str) -> Sequence[str]:
        if request.config.getoption("--corpus-all"):
            return formats
        return [formats[zlib.crc32(key.encode()) % len(formats)]]

    return pick
