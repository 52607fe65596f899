"""Payloads of whole exports, in each form; the same values come out of all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.export import global_id
from tests.support.payloads import FORMS, SCHEMAS, Form, NcclExport, blob
from tests.support.real import real_export
from tui.analysis.payloads.blob import DoesNotFit
from tui.analysis.payloads.json_text import members
from tui.analysis.payloads.reading import Payloads, read_payloads
from tui.cli import main
from tui.errors import ReportError
from tui.report import open_report
from tui.report.columns import NULL

BIG = (1 << 64) - 5


def read(export: NcclExport) -> Payloads:
    return read_payloads(open_report(export.write(), use_store=False))


def export_of(path: Path, form: Form) -> NcclExport:
    export = NcclExport(path / "x.sqlite")
    export.form = form
    export.describe(copies=2)
    export.call("ncclCommInitRank", 0, 10, "init", (BIG, 8, 3, 0))
    export.push_pop("step", 5, 90)
    export.call("ncclAllReduce", 20, 30, "reduce", (BIG, 2_097_152, 2))
    export.call("ncclAllReduce", 40, 50, "reduce", (BIG, 2_097_152, 2))
    export.call("ncclSend", 60, 70, "peer", (BIG, 4096, 5))
    return export


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_say_the_same(form: Form, tmp_path: Path) -> None:
    found = read(export_of(tmp_path, form))
    assert found.event.tolist() == [2, 4, 5, 6]
    assert found.integers("Message size [bytes]").tolist() == [NULL, 2_097_152, 2_097_152, 4096]
    assert found.identities("NCCL communicator ID").tolist() == [BIG % (1 << 63)] * 4
    assert found.integers("No. of ranks").tolist() == [8, NULL, NULL, NULL]
    assert found.of(4)["Reduction operation"] == "Max"
    assert found.of(3) == {}
    assert not found.unknown
    assert found.has_schemas
    assert not found.are_absent


def test_absent_values_are_said(tmp_path: Path) -> None:
    found = read(export_of(tmp_path, "absent"))
    assert found.are_absent
    assert len(found) == 0


def test_tables_come_before_json_and_json_before_bytes(tmp_path: Path) -> None:
    export = export_of(tmp_path, "dynamic")
    for event in export.rows["NVTX_EVENTS"]:
        if event.get("text") == "ncclAllReduce" or event.get("start") == 20:
            event["jsonText"] = '{"Message size [bytes]": 1}'
    export.push_pop("x", 80, 81, jsonText='{"a": 7}', binaryData=blob(*SCHEMAS["plain"], (1, 2)))
    export.push_pop("y", 82, 83, jsonText="{damaged", binaryData=blob(*SCHEMAS["plain"], (1, 3)))
    found = read(export)
    assert found.integers("Message size [bytes]").tolist() == [NULL, 2_097_152, 2_097_152, 4096, NULL, 3]
    assert found.of(7) == {"a": 7}
    assert not found.unknown  # the bytes told what the text did not


def test_what_does_not_fit_is_counted(tmp_path: Path) -> None:
    export = export_of(tmp_path, "json")
    export.push_pop("x", 80, 81, jsonText="no")
    export.push_pop("x", 82, 83, binaryData=b"\1\0\2")
    export.push_pop("x", 84, 85, binaryData=b"\1\0\2")
    found = read(export)
    assert found.event.tolist() == [2, 4, 5, 6]
    assert found.unknown == {"a text that is no JSON": 1, "a header that is cut": 2}


def test_schemas_that_differ_between_processes(tmp_path: Path) -> None:
    export = NcclExport(tmp_path / "x.sqlite")
    export.form = "blob"
    export.describe()
    number = SCHEMAS["plain"][0]
    export.row(
        "NVTX_PAYLOAD_SCHEMA_ENTRIES",
        domainId=1, schemaId=number, idx=0, flags=None, type=5, name="else", description=None,
        arrayOrUnionDetail=None, offset=None,
    )  # fmt: skip
    export.call("ncclAllGather", 0, 10, "plain", (1, 64))
    export.call("ncclSend", 20, 30, "peer", (1, 32, 1))
    found = read(export)
    assert found.unknown == {"a schema that is not known": 1}
    assert found.integers("Message size [bytes]").tolist() == [32]


def test_schemas_of_each_process(tmp_path: Path) -> None:
    export = NcclExport(tmp_path / "x.sqlite")
    export.form = "blob"
    for pid, name in ((100, "a"), (200, "b")):
        export.row(
            "NVTX_PAYLOAD_SCHEMA_ENTRIES",
            domainId=1, schemaId=SCHEMAS["old size"][0], idx=0, type=22, name=name, globalPid=global_id(pid),
        )  # fmt: skip
        export.call("x", pid, pid + 1, "old size", (pid,), pid=pid)
    found = read(export)
    assert found.integers("a").tolist() == [100, NULL]
    assert found.integers("b").tolist() == [NULL, 200]


def test_payloads_of_one_number(tmp_path: Path) -> None:
    export = NcclExport(tmp_path / "x.sqlite")
    for at, (column, value) in enumerate(
        (
            ("uint64Value", -1),
            ("int64Value", -2),
            ("doubleValue", 2.5),
            ("uint32Value", 7),
            ("floatValue", 0.0),
        )
    ):
        export.push_pop("x", 10 * at, 10 * at + 5, **{column: value})
    found = read(export)
    assert [found.of(event)["payload"] for event in range(1, 6)] == [(1 << 64) - 1, -2, 2.5, 7, 0.0]
    assert found.integers("payload").tolist() == [NULL, -2, NULL, 7, 0]
    np.testing.assert_array_equal(found.reals("payload")[1:], [-2.0, 2.5, 7.0, 0.0])


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('{"a": "2,097,152", "b": "1,2", "c": "0x10", "d": "-4", "e": "1.5e3"}',
         {"a": 2_097_152, "b": "1,2", "c": 16, "d": -4, "e": 1500.0}),
        ('{"p": [{"a": 1, "q": {"b": 2}}, {"a": 3}], "b": null}', {"a": 1, "b": 2}),
        ('{"a": true, "b": NaN, "c": 18446744073709551611}', {"a": 1, "c": 18_446_744_073_709_551_611}),
        ("7", {"payload": 7}),
        ("[]", {}),
        ("null", {}),
    ],
)  # fmt: skip
def test_json(text: str, fields: dict[str, object]) -> None:
    assert members(text) == fields


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", "[" * 100_000])
def test_no_json(text: str) -> None:
    with pytest.raises(DoesNotFit):
        members(text)


@pytest.mark.parametrize("name", ["ddp-2gpu-2026.2", "ddp-before-2026.2", "ddp-after-2026.2"])
def test_real_exports_have_schemas_and_no_values(name: str) -> None:
    found = read_payloads(open_report(real_export(name), use_store=False))
    assert found.are_absent


@pytest.mark.parametrize("form", ["absent", "json"])
def test_info_says_what_is_missing(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = export_of(tmp_path, form)
    if form == "json":
        export.push_pop("x", 80, 81, jsonText='{"password": "hunter2"')
        export.push_pop("x", 82, 83, jsonText='{"password": "hunter2"}')
    assert main(["info", str(export.write()), "--no-cache"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert ("message sizes were left out of this export" in out) is (form == "absent")
    assert ("1 payload of NVTX events can't be told: a text that is no JSON" in out) is (form == "json")
    assert "hunter2" not in out


def test_what_adds_to_an_answer_may_be_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the payloads or the given names can't be read, everything else is said all the same."""
    export = export_of(tmp_path, "json")
    export.row("TARGET_INFO_NVTX_CUDA_DEVICE", name="left", hwId=0, vmId=1, deviceId=0)
    export.kernel(100, 200, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL()")
    path = export.write()

    def damaged(*_: object) -> None:
        raise ReportError(f"{path}: damaged or truncated")

    monkeypatch.setattr("tui.analysis.payloads.reading.read_payloads", damaged)
    monkeypatch.setattr("tui.analysis.given_names._read", damaged)
    for command in ("info", "collectives", "diagnose", "view"):
        assert main([command, str(path), "--no-cache"]) in (0, 3), command
        said = capsys.readouterr()
        if command == "info":
            assert "payloads of NVTX events are not known: damaged or truncated" in said.out
