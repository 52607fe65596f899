"""The Events tab: each event of a lane, of the search, or of a row, with how long they took."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.app.conftest import US, Session, Start
from tests.support.export import Export


def heads(session: Session, section: int = 0) -> list[str]:
    rows = session.page.pane.blocks[section].rows
    assert rows is not None
    return [column.header for column in rows.table.columns]


def column(session: Session, header: str, section: int = 0) -> list[str]:
    at = heads(session, section).index(header)
    return [row[at] for row in session.rows(section)]


def text(session: Session) -> tuple[str, ...]:
    return session.page.pane.blocks[0].section.lines


async def test_the_events_of_a_device_are_its_ops(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("i")
        assert session.app.browse.tab.name == "Events"
        assert session.page.has_focus
        assert text(session)[0].startswith("GPU 0")
        # 3 x (copy 23, gemm 170, relu 100): the middle of nine is 100, the ninth is the p95.
        assert text(session)[1:] == (
            "9 events, 879 us in all",
            "min 23.0 us · median 100 us · p95 170 us · max 170 us",
        )
        assert column(session, "name")[:3] == ["[CUDA memcpy Host-to-Device]", "gemm<float>[x]", "relu"]
        assert column(session, "for")[:3] == ["23.0 us", "170 us", "100 us"]
        assert column(session, "step") == ["1"] * 3 + ["2"] * 3 + ["3"] * 3
        # The copy starts 3 us before its call returns, gemm 10 us after, relu 140 us after.
        assert column(session, "queued")[:3] == ["0 ns", "10.0 us", "140 us"]
        assert set(column(session, "stream")) == {"7"}


async def test_enter_jumps_to_the_event_and_n_to_that_of_the_next_row(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("i", "down", "enter")
        assert session.view.cursor == 330 * US
        assert column(session, "for")[1] == "170 us"  # the list stays, wherever the cursor goes
        await session.press("n")
        assert session.view.cursor == 500 * US
        await session.press("N", "N")
        assert session.view.cursor == 305 * US
        await session.press("space")
        assert "[CUDA memcpy Host-to-Device]" in "\n".join(session.screen)
        assert "1,000,000 B" in "\n".join(session.screen)


async def test_it_sorts_by_number_and_filters_by_name(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("i", "o", "o")
        assert column(session, "for") == ["170 us"] * 3 + ["100 us"] * 3 + ["23.0 us"] * 3
        assert column(session, "at")[:3] == ["0.000 330 000", "0.001 330 000", "0.002 330 000"]
        await session.press("slash", *"REL", "enter")
        assert column(session, "name") == ["relu"] * 3
        await session.press("escape", "o")
        assert column(session, "name")[:3] == ["relu"] * 3
        await session.press("O")
        assert column(session, "name")[:3] == ["[CUDA memcpy Host-to-Device]"] * 3


async def test_a_kernels_instances_are_two_keys_away(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("3", "i")
        assert text(session)[0].startswith("gemm<float>[x] · ")
        assert column(session, "name") == ["gemm<float>[x]"] * 3


async def test_a_row_of_gaps_has_no_events(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("2", "i")
        assert session.app.browse.tab.name == "Blame"
        assert "this row sums up no events" in session.status


async def test_a_search_is_listed_by_name_and_event_by_event(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("slash", *"r", "enter", "i")
        # Ranges train_step and forward, reads and a kernel: 3 of each; 6 launches and 3 copies by name.
        names = dict(zip(column(session, "name"), column(session, "count"), strict=True))
        assert names["relu"] == names["forward"] == names["read"] == "3"
        assert "data" not in names
        assert heads(session, 1)[:3] == ["at", "for", "name"]
        assert session.page.pane.blocks[1].section.lines[0].startswith("matches of 'r'")
        row = column(session, "name").index("relu")
        await session.press(*["down"] * row, "i")
        assert column(session, "name") == ["relu"] * 3
        await session.press(
            "escape", "escape", "i"
        )  # back to the timeline, no search: the lane under the cursor
        assert text(session)[0].startswith("pid 100 · tid 1")


async def test_the_range_of_the_user_narrows_the_list(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        session.view.select(1000 * US, 1900 * US)
        await session.press("i")
        assert column(session, "step") == ["2", "2", "2"]


async def test_e_writes_what_is_listed_in_its_order(tmp_path: Path, report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("i", "o", "o", "slash", *"gemm", "enter", "e", "enter")
        await session.settle()
        assert "wrote 3 events" in session.status
    with (tmp_path / "train-events.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["Start (ns)"] for row in rows] == ["330000", "1330000", "2330000"]
    assert {row["Name"] for row in rows} == {"gemm<float>[x]"}
    assert {(row["Duration (ns)"], row["Queue (ns)"], row["Stream"], row["PID"]) for row in rows} == {
        ("170000", "10000", "7", "")
    }
    assert [row["Step"] for row in rows] == ["1", "2", "3"]


async def test_what_is_unknown_is_no_zero(tmp_path: Path, explore: Start) -> None:
    export = Export(tmp_path / "odd.sqlite")
    export.kernel(0, 100 * US, name="orphan")
    export.kernel(200 * US, 200 * US, name="empty")
    export.launch((250 * US, 260 * US), (300 * US, 310 * US), name="launched")
    async with explore(export.write()) as session:
        await session.press("i")
        assert column(session, "queued") == ["?", "?", "40.0 us"]
        assert column(session, "name") == ["orphan", "empty", "launched"]
        assert "step" not in heads(session)
        assert text(session)[2].startswith("min 0 ns · median 10.0 us")


async def test_a_lane_of_a_thread_lists_calls_of_that_thread(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        view.go_line(next(n for n, line in enumerate(view.lines) if line.lane.title.strip() == "API"))
        await session.press("i")
        assert len(session.rows()) == 9
        assert "queued" not in heads(session)
        assert column(session, "name")[0].startswith("cudaMemcpyAsync")


async def test_matches_are_counted_by_label(tmp_path: Path, explore: Start) -> None:
    """Ranges that differ in a number alone are one row, as in the NVTX tab; kernels keep apart from them."""
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 500), (1_000, 9_000), name="flash_fwd")
    for step in range(3):
        export.push_pop(f"flash, op_id = {step}", 2_000 * step + 1_000, 2_000 * step + 2_000)
    async with explore(export.write()) as session:
        await session.press("slash", *"flash", "enter", "i")
        assert session.page.pane.blocks[0].section.title == "Matches by name"
        assert list(zip(column(session, "name"), column(session, "count"), strict=True)) == [
            ("flash", "3"),
            ("flash_fwd", "1"),
        ]


async def test_kernels_read_as_on_their_lane(tmp_path: Path, explore: Start) -> None:
    """Template kernels whose names differ late: short forms tell them apart, a filter finds the full name."""
    export = Export(tmp_path / "capture.sqlite")
    full = "void at::native::vectorized_elementwise_kernel<4, at::native::{}<float>, at::Array>(int, T2)"
    export.kernel(0, 10_000, name=full.format("AddFunctor"))
    export.kernel(20_000, 30_000, name=full.format("MulFunctor"))
    export.memset(40_000, 41_000)
    async with explore(export.write(), size=(120, 34)) as session:
        await session.press("i")
        shown = "\n".join(line[75:] for line in session.screen)
        assert "elementwise<Add>" in shown
        assert "elementwise<Mul>" in shown
        assert "[CUDA memset]" in shown
        assert "void at::" not in shown
        await session.press("slash", *"native::Mul", "enter")
        assert column(session, "for") == ["10.0 us"]
