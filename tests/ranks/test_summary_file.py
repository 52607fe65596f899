"""Summaries in the store: what comes back is what was made, and nothing stale or damaged comes back."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ranks.sets import computes, packed, small_report, small_set
from tests.support.fake_nsys import FakeNsys, report_at
from tests.support.real import ALL_EXPORTS, needs_real
from tui.analysis.index import Comm, Index
from tui.errors import ReportError, UsageError
from tui.ranks import collecting, held_parts, one_report, summary_file
from tui.ranks.collecting import collect
from tui.ranks.one_report import NOT_KEPT
from tui.ranks.summarise import summarise
from tui.ranks.summary import ReportSummary
from tui.ranks.summary_file import pack, unpack
from tui.report import Report, open_report
from tui.report.store.folder import Store


def same(a: Any, b: Any, where: str = "summary") -> None:
    """Assert that two summaries say the same, whatever they are kept in."""
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, where
        assert a.shape == b.shape, where
        assert np.array_equal(a, b), where
    elif is_dataclass(a):
        for field in fields(a):
            same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif isinstance(a, tuple):
        assert len(a) == len(b), where
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            same(one, other, f"{where}[{i}]")
    else:
        assert a == b, where


@needs_real
@pytest.mark.parametrize("path", ALL_EXPORTS, ids=lambda p: p.stem)
def test_what_was_packed_comes_back(path: Path, real_reports: Callable[[Path], Report]) -> None:
    made = summarise(Index(real_reports(path)), "key")
    data = pack(made, path)
    same(made, unpack(data))
    assert pack(unpack(data), path) == data


def made_and_kept(path: Path, cache: Path) -> tuple[ReportSummary, ReportSummary]:
    """A summary as it is made, and as it comes from the store."""
    made = summarise(Index(open_report(path, use_store=False)), one_report.content_key(path)[0])
    (first,) = collect([path], cache_dir=cache)
    (second,) = collect([path], cache_dir=cache)
    assert first.summary is not None
    assert second.summary is not None
    same(made, first.summary)
    return made, second.summary


def test_what_is_kept_comes_back_part_by_part(tmp_path: Path) -> None:
    made, kept = made_and_kept(small_report(tmp_path / "r.sqlite"), tmp_path / "cache")
    assert "steps" not in vars(kept.ranks[0])
    same(made, kept)
    assert kept.ranks[0].steady.tolist() == made.ranks[0].steady.tolist()
    with pytest.raises(AttributeError):
        kept.ranks[0].no_such_part  # type: ignore[attr-defined]  # noqa: B018


def test_a_kept_summary_saves_opening_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_set(tmp_path / "set", 3)
    before = packed(collect(paths, cache_dir=tmp_path / "cache", jobs=1))

    def refuse(*_: object, **__: object) -> Report:
        raise AssertionError("opened")

    monkeypatch.setattr(one_report, "open_report", refuse)
    assert packed(collect(paths, cache_dir=tmp_path / "cache")) == before
    with pytest.raises(AssertionError):
        collect(paths, cache_dir=tmp_path / "cache", comm=Comm.NCCL, jobs=1)
    with pytest.raises(AssertionError):
        collect(paths, cache_dir=tmp_path / "cache", step="forward", jobs=1)


def test_options_have_summaries_of_their_own(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    for _ in range(2):
        (by_rule,) = collect([path], cache_dir=cache)
        (by_name,) = collect([path], cache_dir=cache, step="forward")
        assert by_rule.summary is not None
        assert by_name.summary is not None
        assert by_rule.summary.ranks[0].steps.end.tolist() == [98, 198, 298, 398]
        assert by_name.summary.ranks[0].steps.end.tolist() == [40, 140, 240, 340]
        assert by_name.summary.options == {"comm": "class", "step": "forward", "classes": {}}


def test_another_version_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    collect([path], cache_dir=cache)
    monkeypatch.setattr(summary_file, "VERSION", summary_file.VERSION + 1)
    made: list[Path] = []
    real = one_report.summarise_report
    monkeypatch.setattr("tui.ranks.tasks.summarise_report", lambda p, c: (made.append(p), real(p, c))[1])
    collect([path], cache_dir=cache)
    assert made == [path]


def test_a_changed_report_is_summarised_anew(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    assert computes(collect([path], cache_dir=cache)) == [50]
    path.unlink()
    small_report(path, rank=7)
    assert computes(collect([path], cache_dir=cache)) == [57]


def test_a_damaged_summary_is_made_anew(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    before = packed(collect([path], cache_dir=cache))
    (kept,) = cache.glob("*.summary")
    data = bytearray(kept.read_bytes())
    data[len(data) // 2] ^= 0xFF
    kept.write_bytes(data)
    assert packed(collect([path], cache_dir=cache)) == before


def test_one_that_vanishes_while_in_use_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    collect([path], cache_dir=cache)
    (member,) = collect([path], cache_dir=cache)
    Store(cache).clear()
    assert member.summary is not None
    with pytest.raises(ReportError, match="no longer in the store"):
        _ = member.summary.ranks[0].steps


def test_without_a_store_they_are_in_memory(tmp_path: Path) -> None:
    paths = small_set(tmp_path / "set", 3)
    cache = tmp_path / "cache"
    kept = packed(collect(paths, cache_dir=cache, jobs=1))
    before = sorted(cache.iterdir())
    assert packed(collect(paths, cache_dir=cache, use_store=False, jobs=1)) == kept
    assert packed(collect(paths, cache_dir=tmp_path / "none", use_store=False, jobs=1)) == kept
    assert sorted(cache.iterdir()) == before
    assert not (tmp_path / "none").exists()


def test_a_store_that_takes_nothing_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_set(tmp_path / "set", 3)
    expected = packed(collect(paths, cache_dir=tmp_path / "cache", jobs=1))
    folder = tmp_path / "unusable"
    folder.write_text("a file")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "spare"))  # the spare store is in no folder either
    monkeypatch.setattr("tui.report.opening.temporary_folder", lambda: folder / "spare")
    monkeypatch.setattr("tui.report.shelves.temporary_folder", lambda: folder / "spare")
    told: list[str] = []
    found = collect(paths, cache_dir=folder, jobs=1, tell=told.append)
    assert packed(found) == expected
    assert told == [f"{folder}: File exists: the opened report can't be kept for the next time", NOT_KEPT]


def test_a_full_disk_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_set(tmp_path / "set", 3)
    expected = packed(collect(paths, cache_dir=tmp_path / "cache", jobs=1))
    real = Store.stream

    def full(self: Store, key: str, suffix: str = ".columns") -> Any:
        if suffix.endswith(".summary"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, key, suffix)

    monkeypatch.setattr(Store, "stream", full)
    told: list[str] = []
    assert packed(collect(paths, cache_dir=tmp_path / "full", jobs=1, tell=told.append)) == expected
    assert told == [NOT_KEPT]
    assert list((tmp_path / "full").glob("*.summary")) == []


def test_the_broken_are_members_with_a_line(tmp_path: Path) -> None:
    good = small_report(tmp_path / "good.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("no database")
    cut = tmp_path / "cut.sqlite"
    cut.write_bytes(good.read_bytes()[:5000])
    gone = tmp_path / "gone.sqlite"
    members = collect([text, good, cut, gone], cache_dir=tmp_path / "cache", jobs=1)
    assert [m.path for m in members] == [text, good, cut, gone]
    assert [m.error is None for m in members] == [False, True, False, False]
    for member in (members[0], members[2], members[3]):
        assert member.error is not None
        assert member.error.startswith(str(member.path))
        assert "\n" not in member.error


def test_a_report_that_changes_meanwhile_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_report(tmp_path / "r.sqlite")
    real = one_report.open_report

    def open_and_change(*args: Any, **options: Any) -> Report:
        report = real(*args, **options)
        os.utime(path, ns=(1, 1))
        return report

    monkeypatch.setattr(one_report, "open_report", open_and_change)
    (member,) = collect([path], cache_dir=tmp_path / "cache")
    assert member.error == f"{path}: changed while it was being read; open it again when it is finished"
    assert list((tmp_path / "cache").glob("*.summary")) == []


def test_a_pattern_that_is_none_is_bad_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no regular expression"):
        collect(small_set(tmp_path / "set", 2), cache_dir=tmp_path / "cache", step="(", jobs=1)


def test_progress_and_members_as_they_come(tmp_path: Path) -> None:
    paths = small_set(tmp_path / "set", 3)
    seen: list[tuple[int, int]] = []
    places: list[int] = []
    words: list[str] = []
    collect(
        paths,
        cache_dir=tmp_path / "cache",
        jobs=1,
        progress=lambda p: (seen.append((p.done, p.total)), words.append(p.words)),  # type: ignore[func-returns-value]
        arrived=lambda member: places.append(paths.index(member.path)),
    )
    assert seen[-1] == (3, 3)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert sorted(places) == [0, 1, 2]
    assert words[-1].startswith("3 of 3 reports, ")
    assert words[-1].endswith("MB/s, 0 s left")


# --- the store's limit ---


def test_columns_go_before_summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, cache = small_set(tmp_path / "set", 4), tmp_path / "cache"
    collect(paths, cache_dir=cache, jobs=1)
    sizes = sum(p.stat().st_size for p in cache.glob("*.summary"))
    (some, *_), columns = Store(cache).entries(), list(cache.glob("*.columns"))
    assert len(columns) == 4
    monkeypatch.setenv("NSYSTUI_CACHE_LIMIT", str(sizes + columns[0].stat().st_size + 10))
    Store(cache).prune()
    assert [p.name for p in cache.glob("*.columns")] == [some.path.name]
    assert len(list(cache.glob("*.summary"))) == 4
    assert computes(collect(paths, cache_dir=cache)) == [50, 51, 52, 53]
    monkeypatch.setenv("NSYSTUI_CACHE_LIMIT", str(sizes - 1))
    Store(cache).prune()
    assert len(list(cache.glob("*.columns"))) == 0
    assert len(list(cache.glob("*.summary"))) == 3


def test_a_set_larger_than_the_store_keeps_its_summaries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, cache = small_set(tmp_path / "set", 4), tmp_path / "cache"
    collect(paths, cache_dir=tmp_path / "measure", jobs=1)
    sizes = sum(p.stat().st_size for p in (tmp_path / "measure").glob("*.summary"))
    monkeypatch.setenv("NSYSTUI_CACHE_LIMIT", str(sizes + 100))
    assert computes(collect(paths, cache_dir=cache, jobs=1)) == [50, 51, 52, 53]
    assert list(cache.glob("*.columns")) == []
    assert len(list(cache.glob("*.summary"))) == 4


def test_a_summary_without_columns_is_an_entry(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    collect([path], cache_dir=cache)
    next(cache.glob("*.columns")).unlink()
    (entry,) = Store(cache).entries()
    assert entry.source() == str(path)
    assert entry.size == sum(p.stat().st_size for p in cache.glob("*.summary"))
    assert len(Store(cache).clear()) == 1
    assert list(cache.iterdir()) == []


def test_what_another_version_left_goes(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    collect([path], cache_dir=cache)
    (kept,) = cache.glob("*.summary")
    key, _, rest = kept.name.split(".", 2)
    old = cache / f"{'0' * 32}.00000000.{rest}"
    old.write_bytes(kept.read_bytes())
    Store(cache).prune()
    assert not old.exists()
    assert kept.exists()
    assert key in kept.name


# --- what is open and in memory ---


def test_no_file_stays_open_and_few_bytes_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, cache = small_set(tmp_path / "set", 30, steps=2), tmp_path / "cache"
    collect(paths, cache_dir=cache, jobs=1)
    held = held_parts.Recent(20_000)
    monkeypatch.setattr(summary_file, "HELD", held)
    before = len(list(Path("/proc/self/fd").iterdir()))
    members = collect(paths, cache_dir=cache)
    for _ in range(2):
        for member in members:
            assert member.summary is not None
            assert len(member.summary.ranks[0].collectives) == 2
            assert len(member.summary.ranks[0].steps) == 2
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert 0 < held.total <= 20_000


def test_one_that_was_made_again_meanwhile_is_read_on(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    collect([path], cache_dir=cache)
    (member,) = collect([path], cache_dir=cache)
    (kept,) = cache.glob("*.summary")
    data = kept.read_bytes()
    kept.unlink()
    (tmp_path / "other").write_bytes(b"takes the number of the file")
    kept.write_bytes(data)
    kept.chmod(0o600)
    assert computes([member]) == [50]


def test_what_is_asked_for_twice_is_read_once(tmp_path: Path) -> None:
    path, cache = small_report(tmp_path / "r.sqlite"), tmp_path / "cache"
    collect([path], cache_dir=cache)
    (member,) = collect([path], cache_dir=cache)
    assert member.summary is not None
    rank = member.summary.ranks[0]
    assert rank.steps is rank.steps


def test_a_set_is_collected_in_little_time_for_each(tmp_path: Path) -> None:
    """Looking at the whole store after each report would take a set's square."""
    paths, cache = small_set(tmp_path / "set", 3), tmp_path / "cache"
    pruned: list[float] = []
    real = Store.prune
    Store.prune = lambda self, newest="": (pruned.append(time.monotonic()), real(self, newest))[1]  # type: ignore[method-assign]
    try:
        collect(paths, cache_dir=cache, jobs=1)
    finally:
        Store.prune = real  # type: ignore[method-assign]
    assert len(pruned) <= 2 + (pruned[-1] - pruned[0])


def test_nothing_to_do_is_nothing(tmp_path: Path) -> None:
    assert collect([], cache_dir=tmp_path / "cache") == []
    assert not (tmp_path / "cache").exists()


def test_little_is_read_here_and_much_by_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_set(tmp_path / "set", 3)
    used: list[int] = []

    def pooled(tasks: list[Any], *_: object) -> list[Any]:
        used.append(len(tasks))
        return []

    monkeypatch.setattr("tui.ranks.pool.read_in_pool", pooled)
    monkeypatch.setattr("tui.ranks.pool.worker_count", lambda tasks, jobs: 2)
    collect(paths, cache_dir=tmp_path / "a")
    assert used == []
    monkeypatch.setattr(collecting, "SMALL_BYTES", 3 * paths[0].stat().st_size)
    with pytest.raises(KeyError):  # nothing has come of them
        collect(paths, cache_dir=tmp_path / "b")
    with pytest.raises(KeyError):
        collect(paths[:2], cache_dir=tmp_path / "b", jobs=2)
    assert used == [3, 2]


def test_a_report_of_nsys_needs_nsys_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its summary is kept under its own content, and read without nsys."""
    nsys = FakeNsys(tmp_path)
    monkeypatch.setenv("PATH", f"{nsys.folder}:{os.environ['PATH']}")
    path, cache = report_at(tmp_path / "reports" / "run.nsys-rep"), tmp_path / "cache"
    (cold,) = collect([path], cache_dir=cache, use_nsys=True)
    nsys.program.unlink()
    (warm,) = collect([path], cache_dir=cache)
    assert packed([cold]) == packed([warm])
    assert warm.summary is not None
    assert len(warm.summary.ranks) == 1
    (refused,) = collect([path], cache_dir=tmp_path / "other")
    assert refused.error is not None
    assert "nsys export" in refused.error
