"""A .nsys-rep where nsys is at hand: exported once, into the store, without a shell."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.commands.shared import opening
from tui.errors import ReportError
from tui.report import NeedsExport, has_changed, open_report
from tui.report.nsys import export_of, make_export
from tui.report.store.folder import Store


@pytest.fixture
def rep(tmp_path: Path) -> Path:
    path = tmp_path / "my $(touch x) run.nsys-rep"
    path.write_bytes(b"\x01nsys" * 1000)
    return path


@pytest.fixture
def nsys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An `nsys` that exports a ready-made report and writes down its arguments."""
    export = Export(tmp_path / "ready.sqlite")
    export.kernel(0, 10)
    ready = export.write()
    program = tmp_path / "bin" / "nsys"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport shutil, sys\n"
        f"open({str(tmp_path / 'arguments')!r}, 'w').write('\\n'.join(sys.argv[1:]))\n"
        f"shutil.copy({str(ready)!r}, sys.argv[sys.argv.index('--output') + 1])\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def test_exported_into_the_store_and_opened(rep: Path, nsys: Path, store_dir: Path, tmp_path: Path) -> None:
    before = sorted(p.name for p in tmp_path.iterdir())
    assert export_of(rep, store_dir) is None
    made = make_export(rep, store_dir)
    assert made.parent == store_dir / "exports"
    arguments = (tmp_path / "arguments").read_text().split("\n")
    assert arguments[:4] == ["export", "--type", "sqlite", "--output"]
    assert arguments[5] == str(rep)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*before, "arguments", "store"])
    report = open_report(rep, cache_dir=store_dir)
    assert (report.path, len(report.ops)) == (rep, 1)
    assert not has_changed(report)
    rep.write_bytes(b"other")
    assert has_changed(report)
    with pytest.raises(NeedsExport):
        open_report(rep, cache_dir=store_dir)


def test_cleared_with_the_store(rep: Path, nsys: Path, store_dir: Path) -> None:
    make_export(rep, store_dir)
    assert len(Store(store_dir).clear()) == 1
    assert export_of(rep, store_dir) is None


def test_failed_export(rep: Path, nsys: Path, store_dir: Path) -> None:
    with pytest.raises(ReportError, match=r"nsys export failed \(exit code 3\)"):
        make_export(rep, store_dir, run=lambda _: 3)
    assert list((store_dir / "exports").iterdir()) == []


def test_without_nsys(rep: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ReportError, match="no nsys on the PATH"):
        make_export(rep, store_dir)
    assert not store_dir.exists()


class Terminal:
    """Stands for stdin and stderr."""

    def __init__(self, answer: str, *, tty: bool = True) -> None:
        self._answer, self._tty = answer, tty
        self.said = ""

    def isatty(self) -> bool:
        return self._tty

    def readline(self) -> str:
        return self._answer

    def write(self, text: str) -> None:
        self.said += text

    def flush(self) -> None:
        pass


@pytest.mark.parametrize(
    ("answer", "tty", "made"), [("\n", True, True), ("n\n", True, False), ("y\n", False, False)]
)
def test_offer(
    rep: Path,
    nsys: Path,
    store_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    tty: bool,
    made: bool,
) -> None:
    terminal = Terminal(answer, tty=tty)
    monkeypatch.setattr(opening.sys, "stdin", terminal)  # type: ignore[attr-defined]
    monkeypatch.setattr(opening.sys, "stderr", terminal)  # type: ignore[attr-defined]
    opening.offer_export(rep, store_dir)
    opening.offer_export(rep.with_suffix(".sqlite"), store_dir)
    assert (export_of(rep, store_dir) is not None) == made
    assert terminal.said.count("Export it now with nsys") == (1 if tty else 0)
    shutil.rmtree(store_dir, ignore_errors=True)
