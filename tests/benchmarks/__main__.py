"""``python -m tests.benchmarks``: measures, prints one table, and keeps it where asked."""

from __future__ import annotations

import argparse
import compileall
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import screen
from tests.benchmarks.beside_nsys import beside_nsys
from tests.benchmarks.cpu_samples import cpu_rows
from tests.benchmarks.exports import MILLION, QUICK, TWENTY, TWO, Big, export, warm
from tests.benchmarks.machine import description
from tests.benchmarks.metric_rows import metric_rows
from tests.benchmarks.process import ROOT, best, run
from tests.benchmarks.rank_view import rank_view_rows
from tests.benchmarks.set_rows import set_rows
from tests.benchmarks.table import Row, markdown, megabytes, plain, seconds
from tests.support.real_kernels import other_share

MARK = "<!-- the table below is written by `python -m tests.benchmarks --write` -->"


class Bench:
    """Everything that is measured, over exports in ``folder``, each figure the least of ``repeats``."""

    def __init__(self, folder: Path, repeats: int, sizes: tuple[Big, Big], most_ops: int) -> None:
        self.folder = folder
        self.repeats = repeats
        self.small, self.large = sizes
        self.most_ops = most_ops

    def _report(self, big: Big) -> tuple[Path, Path]:
        path = export(big, self.folder)
        warm(path)
        return path, self.folder / f"store-{big.name}"

    def commands(self) -> Iterator[Row]:
        """The door."""
        found, _ = run("help_imports")
        heavy = [m for m in found["imported"] if m in ("numpy", "textual")]
        yield Row(
            "`nsystui --help`",
            f"{seconds(found['seconds'])}, imports {', '.join(heavy) or 'neither'}",
            f"bare Python {seconds(found['bare'])}",
            "neither numpy nor textual",
            not heavy,
        )

    def imports(self) -> Iterator[Row]:
        """Opening without a store."""
        for big in (self.small, self.large):
            path, cache = self._report(big)
            name = big.name
            read, _ = run("straight_read", path=str(path))
            sqlite, _ = best("sqlite", 2, path=str(path))
            cold, peak = best("cold", self.repeats, path=str(path), cache=str(cache))
            ratio = cold["seconds"] / sqlite["scan"]
            yield Row(
                f"cold open {name}",
                f"{seconds(cold['seconds'])} = {ratio:.1f} x",
                f"SQLite's sums of the same columns {seconds(sqlite['scan'])}; "
                f"straight read {seconds(read['seconds'])}",
                "<= 4 x SQLite" if big is self.small else "linear",
                ratio <= 4 if big is self.small else None,
            )
            yield Row(
                f"memory of the import {name}",
                f"{megabytes(peak.anonymous)} own, {megabytes(peak.resident)} resident",
                f"file {megabytes(read['bytes'])}, store {megabytes(cold['kept'])}",
            )
            opened, _ = best("warm", self.repeats, path=str(path), cache=str(cache))
            yield Row(
                f"warm open {name}, no screen",
                seconds(opened["open"]),
                f"lanes laid out in {seconds(opened['lanes'])}",
            )

    def frames(self) -> Iterator[Row]:
        """The frame model."""
        sizes = (self.most_ops // 10, self.most_ops)
        few, many = (best("frames", 2, ops=ops)[0] for ops in sizes)
        scales = ("whole", "middle", "near")
        worst = max(scales, key=lambda scale: many[scale])
        growth = many[worst] / few[worst]
        yield Row(
            f"frame model, 40 lanes x 160 cells, {sizes[1]:,} ops",
            ", ".join(f"{scale} {seconds(many[scale])}" for scale in scales),
            "",
            "<= 10 ms",
            many[worst] <= 0.010,
        )
        yield Row(
            f"growth of a frame from {sizes[0]:,} to {sizes[1]:,} ops",
            f"{growth:.2f} x",
            f"{seconds(few[worst])} before",
            "<= 1.5 x",
            growth <= 1.5,
        )
        values = best("value_frames", 2, rows=sizes[1])[0]
        yield Row(
            f"frame of 40 lines of values x 160 cells, {sizes[1]:,} samples each",
            ", ".join(f"{scale} {seconds(values[scale])}" for scale in scales)
            + f"; 5 of them in 8 rows {seconds(values['tall'])}",
            "",
            "<= 10 ms",
            max(values[scale] for scale in scales) <= 0.010,
        )
        yield Row(
            f"lanes of {sizes[1]:,} ops",
            f"laid out {seconds(many['layout'])}, all gathered {seconds(many['gather'])}",
        )

    def screen(self) -> Iterator[Row]:
        """The explorer in a pseudo-terminal of 160 x 48."""
        path, cache = self._report(self.small)
        run("cold", path=str(path), cache=str(cache))
        screen.opening(path, cache)  # keeps its lanes
        blanks, opened = [], []
        for _ in range(2 * self.repeats):  # in turn, so that a busy machine is busy for both
            blanks.append(screen.empty())
            opened.append(screen.opening(path, cache))
        blank = min(blanks)
        data = min(o.data for o in opened)
        yield Row(
            f"warm open {self.small.name} to the first data frame",
            f"{seconds(data)} = {data / blank:.2f} x",
            f"empty Textual app {seconds(blank)}",
            "<= 1.5 x",
            data / blank <= 1.5,
        )
        path, cache = self._report(self.large)
        cold = screen.opening(path, cache, cold=True)
        yield Row(
            f"cold open {self.large.name}: first frame, with progress",
            f"{seconds(cold.first)} = {cold.first / blank:.2f} x",
            f"empty Textual app {seconds(blank)}; all there after {seconds(cold.data)}",
            "at once",
            cold.first <= 2.5 * blank,
        )
        warm_one = screen.opening(path, cache)
        keys = screen.keys(path, cache)
        yield Row(
            f"key to repainted frame {self.large.name}",
            f"median {seconds(keys.median())}, most {seconds(max(keys.pan + keys.zoom))}",
            f"{len(keys.pan + keys.zoom)} pans and zooms; cursor {seconds(max(keys.cursor))}",
            "<= 50 ms",
            keys.median() <= 0.05,
        )
        yield Row(
            "a pan held down for 1 s",
            f"{keys.held_frames} frames, {keys.held_bytes / 1000:.0f} KB, "
            f"at rest {seconds(keys.held_late)} later",
            "30 keys a second",
            "<= 50 ms behind",
            keys.held_late <= 0.05,
        )
        most = max(keys.full, warm_one.size)
        yield Row(
            "bytes of a full 160 x 48 frame",
            f"{most / 1024:.1f} KB",
            "the largest seen",
            "<= 64 KB",
            most <= 64 * 1024,
        )
        most = max(keys.cursor_bytes)
        yield Row(
            "bytes of a cursor move", f"{most / 1024:.1f} KB", "the largest seen", "<= 4 KB", most <= 4096
        )
        for what, peak, limit in (("cold", cold.peak, 500), ("warm, after 40 keys", keys.peak, 250)):
            yield Row(
                f"peak memory {self.large.name}, {what}",
                f"{megabytes(peak.anonymous)} own, {megabytes(peak.resident)} resident",
                "resident counts mapped pages of the store, which the system takes back at will",
                f"<= {limit} MB own",
                peak.anonymous <= limit * 10**6,
            )

    def analyses(self) -> Iterator[Row]:
        """The figures."""
        for big in (self.small, self.large):
            path, cache = self._report(big)
            run("cold", path=str(path), cache=str(cache))
            sqlite, _ = best("sqlite", 2, path=str(path))
            figures, _ = best("analyses", self.repeats, path=str(path), cache=str(cache))
            yield Row(
                f"`stats`, default set, {big.name}",
                seconds(figures["stats"]),
                f"the same sums in SQL, no medians: {seconds(sqlite['sums'])}",
                "less than SQL",
                figures["stats"] < sqlite["sums"],
            )
            yield Row(
                f"`gaps` with blame, {big.name}",
                seconds(figures["gaps"]),
                f"gaps alone in SQL: {seconds(sqlite['gaps'])}",
            )
            yield Row(
                f"innermost range of each op, {big.name}",
                seconds(figures["phase"]),
                f"all levels, 30 deep: {seconds(figures['attribution'])}",
            )
        path, cache = self._report(self.large)
        pages, _ = run("pane", path=str(path), cache=str(cache))
        chosen, first = pages["chosen"], pages["first"]
        figures_only = [name for name in chosen if name != "Diagnosis"]
        for what, names in (("figures", figures_only), ("diagnosis", ["Diagnosis"])):
            slowest, longest = max(names, key=chosen.__getitem__), max(names, key=first.__getitem__)
            yield Row(
                f"side pane of a selected range, {what}, {self.large.name}",
                f"{seconds(chosen[slowest])} ({slowest})",
                f"whole capture, first time: {seconds(first[longest])} ({longest})",
                "<= 100 ms",
                chosen[slowest] <= 0.1,
            )

    def nsys(self) -> Iterator[Row]:
        """Reports and rules beside NVIDIA's own, where it is at hand."""
        path, cache = self._report(self.small)
        run("cold", path=str(path), cache=str(cache))
        yield from beside_nsys(path, cache)

    def sets(self) -> Iterator[Row]:
        """Sets of reports."""
        yield from set_rows(self.folder, self.repeats, quick=self.small is QUICK)
        yield from rank_view_rows(self.folder, self.repeats, quick=self.small is QUICK)

    def metrics(self) -> Iterator[Row]:
        """GPU metrics."""
        yield from metric_rows(self.folder, self.repeats, quick=self.small is QUICK)

    def classes(self) -> Iterator[Row]:
        """Which of the real exports' kernels the class table knows."""
        share = other_share()
        part = share.other_launches / share.launches if share.launches else 0.0
        yield Row(
            "kernels of the real exports without a class",
            f"{share.other_names} of {share.names} names, {part:.1%} of launches",
            "application kernels",
        )

    def samples(self) -> Iterator[Row]:
        """CPU samples."""
        yield from cpu_rows(self.folder, quick=self.small is QUICK)

    def parts(self) -> dict[str, Callable[[], Iterator[Row]]]:
        return {
            "commands": self.commands,
            "imports": self.imports,
            "frames": self.frames,
            "screen": self.screen,
            "analyses": self.analyses,
            "metrics": self.metrics,
            "classes": self.classes,
            "samples": self.samples,
            "nsys": self.nsys,
            "sets": self.sets,
        }


def keep(rows: list[Row], path: Path) -> None:
    """Write the table into the page, in place of the last one."""
    text = path.read_text(encoding="utf-8")
    before, mark, _ = text.partition(MARK)
    if not mark:
        raise SystemExit(f"{path} has no line {MARK!r}")
    machine = ", ".join(f"{what} {value}" for what, value in description())
    path.write_text(f"{before}{MARK}\n\nMachine: {machine}.\n\n{markdown(rows)}\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100k kernels: whether it runs at all")
    parser.add_argument("--huge", action="store_true", help="2M and 20M kernels (about 3 GB of files)")
    parser.add_argument(
        "--only",
        metavar="PART,...",
        help="commands, imports, frames, screen, analyses, metrics, classes, samples, nsys, sets",
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--data", type=Path, default=ROOT / "build" / "benchmarks", help="where the exports are kept"
    )
    parser.add_argument(
        "--write",
        nargs="?",
        type=Path,
        const=ROOT / "docs" / "benchmarks.md",
        help="keep the table in a page",
    )
    args = parser.parse_args()
    compileall.compile_dir(ROOT / "tui", quiet=1)  # as an installed package is
    sizes = (QUICK, QUICK) if args.quick else (TWO, TWENTY) if args.huge else (MILLION, TWO)
    bench = Bench(args.data, args.repeats, sizes, 1_000_000 if args.quick else 10_000_000)
    rows: list[Row] = []
    for name, part in bench.parts().items():
        if args.only is None or name in args.only.split(","):
            begun = time.perf_counter()
            for row in part():
                print(f"  {row.what}: {row.measured}", file=sys.stderr)
                rows.append(row)
            print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    print("\n".join(f"{what}: {value}" for what, value in description()), "", plain(rows), sep="\n")
    if args.write is not None:
        keep(rows, args.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
