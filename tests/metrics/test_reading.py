"""Every form in which exports hold metrics, against the values that were written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from fixtures import metrics as forms
from tests.metrics.conftest import Document
from tests.support.export import Export
from tui.analysis.index import Index
from tui.analysis.metrics.capture import metrics_of
from tui.cli import main
from tui.report import open_report

TIMES = [100, 200, 300, 400, 500, 600]


def _values(export: Export, **options: bool) -> dict[str, list[float]]:
    report = open_report(export.write(), use_store=False, **options)
    return {m.kept.name: m.quantity.values().tolist() for m in metrics_of(Index(report)).all}


def test_rows_in_any_order_with_ids_that_differ_between_devices(export: Export) -> None:
    export.kernel(0, 600)
    export.kernel(0, 600, device=1)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [1, 2, 3, 4, 5, 6], forms.TENSOR: [9] * 6})
    forms.gpu_metrics(export, TIMES, {forms.TENSOR: [7] * 6, forms.SM_ACTIVE: [6, 5, 4, 3, 2, 1]}, gpu=1)
    export.rows["GPU_METRICS"].reverse()
    index = Index(open_report(export.write(), use_store=False))
    metrics = metrics_of(index)
    first, second = (metrics.quantity(device, "sm_active") for device in (0, 1))
    assert first is not None and first.values().tolist() == [1, 2, 3, 4, 5, 6]
    assert second is not None and second.values().tolist() == [6, 5, 4, 3, 2, 1]
    assert first.axis.begin.tolist() == [0, 100, 200, 300, 400, 500]
    assert [metric.kept.axis.period for metric in metrics.all] == [100] * 4


@pytest.mark.parametrize(
    ("kind", "size", "stored", "meant"),
    [
        ("Unsigned", 4, forms.signed(2_526_795_000), 2_526_795_000),
        ("Unsigned", 1, -1, 255),
        ("Unsigned", 8, 41, 41),
        ("Signed", 4, forms.signed(0xFFFFFFFE), -2),
        ("Signed", 2, 65_535, -1),
        ("Float", 4, forms.float_bits(12.5), 12.5),
        ("Float", 4, forms.signed(forms.float_bits(-0.75)), -0.75),
        ("Double", 8, forms.double_bits(0.1), 0.1),
        ("Double", 8, forms.double_bits(-3.25), -3.25),
    ],
)
def test_payloads(export: Export, kind: str, size: int, stored: int, meant: float) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, TIMES, {"Some Counter": [stored] * 6})
    forms.field_types(export, {"Some Counter": (kind, size)}, forms.type_id())
    assert _values(export) == {"Some Counter": [meant] * 6}


def test_negative_values_without_types_are_unsigned(export: Export) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, TIMES, {forms.CLOCK: [-1_768_172_296] * 3 + [5, 2**31, -(2**40)]})
    assert _values(export) == {forms.CLOCK: [2_526_795_000] * 3 + [5, 2**31]}


def test_values_with_fractions_are_read_as_they_are(export: Export) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [1, 2.5, 3, 4, 5, 6], forms.TENSOR: [7] * 6})
    assert _values(export) == {forms.SM_ACTIVE: [1, 2.5, 3, 4, 5, 6], forms.TENSOR: [7] * 6}


def test_names_by_fields_where_no_table_names_metrics(export: Export) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [1] * 6, "x": [2] * 6})
    forms.field_types(export, {forms.SM_ACTIVE: ("Unsigned", 4)}, forms.type_id())
    export.drop("TARGET_INFO_GPU_METRICS")
    assert _values(export) == {forms.SM_ACTIVE: [1] * 6, "metric 1": [2] * 6}


def test_raw_timestamps_only(export: Export, document: Document) -> None:
    export.kernel(10**12, 10**12 + 600)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [1, 2, 3, 4, 5, 6]})
    export.omit("GPU_METRICS", "timestamp")
    found = document(export)
    assert found["rows"][0]["mean"] == 3.5
    assert "times are rawTimestamp: taken to be on the report's clock" in found["notes"]


@pytest.mark.parametrize("schema", ["2022", "2024.6", "2026.2"])
def test_json_events(tmp_path: Path, schema: str) -> None:
    export = Export(tmp_path / "report.sqlite", schema)
    export.kernel(0, 600)
    forms.json_events(export, TIMES, {"SM Active": [1, 2, 3, 4, 5, 6], "Odd One": [None, 1.5, 2, 2, 2, 2]})
    export.row("GENERIC_EVENTS", genericEventId=50, rawTimestamp=1, timestamp=1, typeId=9, data='{"x": 1}')
    export.row("GENERIC_EVENTS", genericEventId=51, rawTimestamp=1, timestamp=1, typeId=9, data="no JSON")
    assert _values(export) == {"SM Active": [1, 2, 3, 4, 5, 6], "Odd One": [1.5, 2, 2, 2, 2]}


def test_json_numbers_as_texts_and_broken_rows(export: Export) -> None:
    export.kernel(0, 600)
    texts = [
        '{"SM Active": "12.5 %"}',
        '{"SM Active": 3}',
        "{",
        "[1]",
        '{"SM Active": null}',
        '{"SM Active": 1e400}',
    ]
    for number, (time, text) in enumerate(zip(TIMES, texts, strict=True)):
        export.row(
            "GENERIC_EVENTS", genericEventId=number, rawTimestamp=time, timestamp=time, typeId=1, data=text
        )
    assert _values(export) == {"SM Active": [12.5, 3]}


@pytest.mark.parametrize(("column", "values"), [("doubleVal", [250.5, 251.0]), ("uintVal", [250, 251])])
def test_power_as_fields_of_events(export: Export, column: str, values: list[float]) -> None:
    export.kernel(0, 600)
    forms.field_events(export, TIMES[:2], {"Power": values, "Fan": [3, 4]}, column=column)
    index = Index(open_report(export.write(), use_store=False))
    power = metrics_of(index).find(0, "power")
    assert power is not None and power.source == "nvml"
    assert power.quantity.values().tolist() == values


def test_power_as_json_in_milliwatts(export: Export, document: Document) -> None:
    export.kernel(0, 600)
    data = {"Power": [300_000] * 6, "GPU Temperature": [61, 62, 63, 64, 65, 66]}
    forms.json_events(export, TIMES, data, forms.type_id(source=5))
    rows = {row["key"]: row for row in document(export)["rows"]}
    assert (rows["power"]["mean"], rows["power"]["unit"], rows["power"]["device"]) == (300.0, "W", 0)
    assert (rows["temperature"]["mean"], rows["temperature"]["max"]) == (63.5, 66.0)


def test_soc_metrics_are_of_the_machine(export: Export, document: Document) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, TIMES, {"EMC Frequency [MHz]": [3199] * 6}, table="SOC_METRICS")
    (row,) = document(export)["rows"]
    assert (row["source"], row["device"], row["unit"], row["mean"]) == ("soc", None, "Hz", 3_199_000_000.0)


def test_cpu_counters_are_rates_of_all_cpus(export: Export, document: Document) -> None:
    export.kernel(0, 4_000)
    export.row(
        "PMU_EVENT_REQUESTS", id=3, eventid=8, source=1, unit_type=0, event_name="Instructions Retired"
    )
    for number, (start, end, cpu, value) in enumerate(
        [(0, 1_000, 0, 50), (0, 2_000, 1, 40), (1_000, 2_000, 0, 10), (3_000, 4_000, 0, 7)]
    ):
        export.row("PMU_EVENTS", start=start, end=end, globalVm=1, cpu=cpu, counter_id=number)
        export.row("PMU_EVENT_COUNTERS", id=number, idx=3, value=value)
    export.row("TARGET_INFO_PERF_METRIC", id=5, name="Cycles", description="", unit="cycles")
    for start in range(0, 4_000, 500):
        export.row(
            "PERF_EVENT_CPU_RAW_EVENT",
            start=start,
            end=start + 500,
            vmId=1,
            componentId=0,
            eventId=5,
            count=2,
        )
    found = {row["metric"]: row for row in document(export)["rows"]}
    assert found["Cycles"]["mean"] == 4e6 and found["Cycles"]["unit"] == "cycles/s"
    assert found["Instructions Retired"]["coverage_pct"] == 75.0
    rows = [r for r in document(export, "--samples", "--every", "1us")["rows"] if r["metric"] != "Cycles"]
    # 50 and half of 40 in the first microsecond, 10 and the other half in the second.
    assert [row["mean"] for row in rows] == [70e6, 30e6, None, 7e6]


def test_uncore_counters(export: Export, document: Document) -> None:
    export.kernel(0, 600)
    for number, start in enumerate(range(0, 600, 100)):
        export.row(
            "UNCORE_PMU_EVENTS", start=start, end=start + 100, globalVm=1, clusterId=0, counterId=number
        )
        export.row("UNCORE_PMU_EVENT_VALUES", id=number, type=33, value=number, rawId=0, clusterId=0)
    (row,) = document(export)["rows"]
    assert (row["metric"], row["mean"], row["max"]) == ("NvtxCategory", 25e6, 50e6)


def test_a_hole_is_unknown(export: Export, document: Document) -> None:
    export.kernel(0, 2_000)
    forms.gpu_metrics(export, [100, 200, 300, 400, 500, 1_500, 1_600], {forms.SM_ACTIVE: [10] * 5 + [90, 30]})
    (row,) = document(export, "--range", "0/1600")["rows"]
    assert (row["samples"], row["coverage_pct"], row["mean"], row["max"]) == (6, 37.5, 13.3, 30.0)


@pytest.mark.parametrize("form", ["rows", "json", "fields"])
def test_a_sample_without_a_value_takes_its_time_along(export: Export, document: Document, form: str) -> None:
    export.kernel(0, 2_000)
    times, values = list(range(100, 2_001, 100)), [50.0] * 20
    if form == "rows":
        forms.gpu_metrics(export, times, {forms.SM_ACTIVE: values})
        export.rows["GPU_METRICS"][10]["value"] = None
    elif form == "json":
        forms.json_events(export, times, {"SM Active": values})
        export.rows["GENERIC_EVENTS"][10]["data"] = '{"SM Active": null}'
    else:
        forms.field_events(export, times, {"SM Active": values}, forms.type_id())
        export.rows["GENERIC_EVENT_DATA"][10]["doubleVal"] = None
    (row,) = document(export, "--range", "1000/1200")["rows"]
    assert (row["samples"], row["coverage_pct"]) == (1, 50.0)
    (row,) = document(export, "--range", "0/2000")["rows"]
    assert (row["samples"], row["coverage_pct"], row["mean"]) == (19, 95.0, 50.0)


@pytest.mark.parametrize(
    ("kind", "fine", "damaged"),
    [("Unsigned", 50, -1), ("Unsigned", 50, 1 << 62), ("Double", 50.0, 1e300), ("Double", 50.0, -1e300)],
)
def test_a_damaged_value_takes_no_other_along(
    export: Export, document: Document, kind: str, fine: float, damaged: float
) -> None:
    export.kernel(0, 2_000)
    stored = [fine] * 20
    stored[5] = damaged
    if kind == "Double":
        stored = [forms.double_bits(value) for value in stored]
    forms.gpu_metrics(export, list(range(100, 2_001, 100)), {forms.SM_ACTIVE: stored})
    forms.field_types(export, {forms.SM_ACTIVE: (kind, 8)}, forms.type_id())
    found = document(export, "--range", "1000/2000")
    assert (found["rows"][0]["mean"], found["rows"][0]["coverage_pct"]) == (50.0, 100.0)
    assert any("1 with an impossible value" in note for note in found["notes"])
    (row,) = document(export, "--range", "0/2000")["rows"]
    assert (row["samples"], row["coverage_pct"], row["mean"], row["max"]) == (19, 95.0, 50.0, 50.0)


def test_doubtful_rows_are_counted(export: Export, document: Document) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, [*TIMES, 300], {forms.SM_ACTIVE: [1, 2, 3, 4, 5, 6, 99]})
    of = forms.type_id()
    export.row("GPU_METRICS", rawTimestamp=1, timestamp=None, typeId=of, metricId=0, value=1)
    export.row("GPU_METRICS", rawTimestamp=1, timestamp=350, typeId=of, metricId=0, value=None)
    export.row("GPU_METRICS", rawTimestamp=1, timestamp=350, typeId=None, metricId=0, value=4)
    found = document(export)
    assert found["rows"][0]["mean"] == 3.5
    (note,) = [note for note in found["notes"] if note.startswith("samples left out")]
    assert (
        "1 with no value" in note and "1 with the time of another sample" in note and "1 with no time" in note
    )


@pytest.mark.parametrize("table", ["GPU_METRICS", "SOC_METRICS", "GENERIC_EVENTS"])
@pytest.mark.parametrize("column", ["typeId", "metricId", "value", "timestamp", "data"])
def test_missing_columns(export: Export, table: str, column: str) -> None:
    export.kernel(0, 600)
    values = {forms.SM_ACTIVE: [1] * 6}
    if table == "GENERIC_EVENTS":
        forms.json_events(export, TIMES, values)
    else:
        forms.gpu_metrics(export, TIMES, values, table=table)
    export.omit(table, column)
    assert main(["metrics", str(export.write()), "--no-cache"]) in (0, 3)


def test_metrics_without_a_kernel_or_a_name(export: Export) -> None:
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [1] * 6})
    export.push_pop("range", 0, 600)
    export.drop("TARGET_INFO_GPU_METRICS")
    assert main(["metrics", str(export.write()), "--no-cache"]) == 0


def test_nothing_captured_says_how(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    export.kernel(0, 600)
    assert main(["metrics", str(export.write()), "--no-cache"]) == 3
    assert "not captured; nsys profile --gpu-metrics-devices=all adds it" in capsys.readouterr().err
    export.empty("GPU_METRICS")
    assert main(["metrics", str(export.write()), "--no-cache"]) == 3
    assert "captured, no rows" in capsys.readouterr().err


def test_a_device_by_its_gpu(export: Export, document: Document) -> None:
    """CUDA device 0 is GPU 3: the metrics of GPU 3 are its, those of GPU 0 are of a GPU without work."""
    export.kernel(0, 600)
    export.row("TARGET_INFO_GPU", vmId=1 << 48, id=3, name="H100", uuid="u3", busLocation="0000:03:00.0")
    export.row("TARGET_INFO_GPU", vmId=1 << 48, id=0, name="H100", uuid="u0", busLocation="0000:00:04.0")
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=3, cudaId=0, pid=100, uuid="u3", numMultiprocessors=132)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [30] * 6}, gpu=3)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [0, 0, 0, 0, 0, 1]}, gpu=0)
    found = document(export)
    assert [(row["device"], row["mean"], row["mean_busy"]) for row in found["rows"]] == [
        (0, 30.0, 30.0),
        (0, 0.2, None),
    ]
    assert not [note for note in found["notes"] if "taken to be the device" in note]
    assert len(document(export, "--device", "0")["rows"]) == 1


def test_read_once_and_kept(export: Export, tmp_path: Path) -> None:
    export.kernel(0, 600)
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [0.5] * 6, forms.TENSOR: [1, 2, 3, 4, 5, 6]})
    path = export.write()
    first, again = (
        {
            m.kept.name: m.quantity.values().tolist()
            for m in metrics_of(Index(open_report(path, cache_dir=tmp_path))).all
        }
        for _ in range(2)
    )
    assert first == again == {forms.SM_ACTIVE: [0.5] * 6, forms.TENSOR: [1, 2, 3, 4, 5, 6]}
    assert len(list(tmp_path.glob("*.metrics-*"))) == 1


def test_means_are_those_of_plain_sql(export: Export, document: Document) -> None:
    """A window whose ends are samples: each value counts with the time since the one before it."""
    rng = np.random.default_rng(7)
    times = np.cumsum(rng.integers(80, 121, 500)).tolist()
    export.kernel(0, times[-1])
    forms.gpu_metrics(export, times, {forms.SM_ACTIVE: rng.integers(0, 101, 500).tolist()})
    low, high = times[50], times[449]
    found = document(export, "--range", f"{low}/{high}")["rows"][0]
    db = sqlite3.connect(export.path)
    total, length, greatest = db.execute(
        "SELECT sum(value * d), sum(d), max(value) FROM (SELECT timestamp AS t, value, timestamp - "
        "lag(timestamp) OVER (ORDER BY timestamp) AS d FROM GPU_METRICS) WHERE t > ? AND t <= ?",
        (low, high),
    ).fetchone()
    db.close()
    assert (found["samples"], found["mean"], found["max"]) == (399, round(total / length, 1), greatest)
    assert found["coverage_pct"] == 100.0


def test_damaged_metrics_harm_no_other_figure(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    """The pages of the samples are zeros: the command says so, all others do without them."""
    export.kernel(0, 600)
    export.kernel(900, 1_000)
    times = list(range(1, 20_001))
    forms.gpu_metrics(export, times, {forms.SM_ACTIVE: [7] * len(times)})
    path = export.write()
    for command in ("gaps", "classes", "metrics"):
        assert main([command, str(path), "--no-cache"]) == 0
    text = path.read_bytes()
    size = 4096
    pages = [text[at : at + size] for at in range(0, len(text), size)]
    marker = (forms.type_id() & 0xFFFFFFFFFFFF).to_bytes(6, "big")
    hit = [i for i, page in enumerate(pages) if page.count(marker) > 50]
    assert len(hit) > 20
    for i in hit[5:8]:
        pages[i] = pages[i][:8] + bytes([0xFF] * 200) + pages[i][208:]
    path.write_bytes(b"".join(pages))
    capsys.readouterr()
    codes = {
        c: main([c, str(path), "--no-cache"]) for c in ("gaps", "classes", "steps", "diagnose", "metrics")
    }
    assert codes["metrics"] == 2
    assert len(capsys.readouterr().err.splitlines()) <= 3
    assert (codes["gaps"], codes["classes"], codes["diagnose"]) == (0, 0, 0)


def test_gpus_of_two_machines_with_one_number(export: Export, document: Document) -> None:
    """Both are GPU 0 of their machine: the typeId says of which."""
    for machine, pid in ((1, 100), (2, 200)):
        export.kernel(0, 600, pid=pid, globalPid=machine << 48 | pid << 24)
        vm = machine << 48
        export.row(
            "TARGET_INFO_GPU", vmId=vm, id=0, name="H100", uuid=f"u{machine}", busLocation="0000:01:00.0"
        )
        export.row("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=pid, uuid=f"u{machine}")
        for at, time in enumerate(TIMES):
            of = vm | 3 << 32 | 0x100
            export.row(
                "GPU_METRICS",
                rawTimestamp=time,
                timestamp=time,
                typeId=of,
                metricId=0,
                value=machine * 10 + at,
            )
    export.row(
        "TARGET_INFO_GPU_METRICS", typeId=1 << 48 | 3 << 32 | 0x100, sourceId=1, typeName="", metricId=0,
        metricName=forms.SM_ACTIVE,
    )  # fmt: skip
    export.row(
        "TARGET_INFO_GPU_METRICS", typeId=2 << 48 | 3 << 32 | 0x100, sourceId=1, typeName="", metricId=0,
        metricName=forms.SM_ACTIVE,
    )  # fmt: skip
    found = document(export)
    assert [(row["device"], row["mean_busy"]) for row in found["rows"]] == [(0, 12.5), (1, 22.5)]
    assert not any("MIG" in note for note in found["notes"])


def test_instances_of_one_gpu_share_its_metrics(export: Export, document: Document) -> None:
    for pid in (100, 200):
        export.kernel(0, 600, pid=pid)
        export.row("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=pid, uuid=f"MIG-{pid}")
    export.row("TARGET_INFO_GPU", vmId=1 << 48, id=0, name="H100", uuid="u0", busLocation="0000:01:00.0")
    forms.gpu_metrics(export, TIMES, {forms.SM_ACTIVE: [30] * 6})
    found = document(export)
    assert [(row["device"], row["mean"]) for row in found["rows"]] == [(0, 30.0)]
    assert any("MIG" in note for note in found["notes"])
