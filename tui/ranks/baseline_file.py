"""The file of a baseline: UTF-8 JSON with its keys in stable order, one line a run and one a check.

A run's metric is [median, MAD, n]: whole numbers in the metric's unit, percentages and rates with four
decimals; a MAD of null: not known. What a file has beyond what is known here is kept as it is.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from tui.errors import UsageError
from tui.ranks.baseline import LARGEST, NUMBERS, WORDS, Baseline, Check, Measured, Number, RunRecord, ordered

VERSION = 1


def to_text(baseline: Baseline) -> str:
    """Return the file: keys in stable order, one line a run and one a check."""
    head = {"nsystui_baseline": VERSION, "made": baseline.made, "context": baseline.context}
    lines = [f"{_json(key)}: {_json(value)}" for key, value in head.items()]
    lines.append(f'"runs": {_listed([_run_object(run) for run in baseline.runs])}')
    pinned = {name: baseline.pinned[name] for name in ordered(baseline.pinned)}
    lines.append(f'"pinned": {_json(pinned)}')
    lines.append(f'"checks": {_listed([_check_object(check) for check in baseline.checks])}')
    lines += [f"{_json(key)}: {_json(value)}" for key, value in baseline.extra.items()]
    return "{" + ",\n ".join(lines) + "}\n"


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _listed(items: list[dict[str, Any]]) -> str:
    return "[" + "".join(f"\n  {_json(item)}," for item in items).removesuffix(",") + "]"


def _run_object(run: RunRecord) -> dict[str, Any]:
    metrics = {name: list(run.metrics[name]) for name in ordered(run.metrics)}
    kept = {"slowest": run.slowest, "median": run.middle, "idle": run.idle, "names": list(run.names)}
    known = {"utc": run.utc, "reports": run.reports, "missing": run.missing, "metrics": metrics}
    return {**known, **{key: value for key, value in kept.items() if value}, **run.extra}


def _check_object(check: Check) -> dict[str, Any]:
    known = {f.name: getattr(check, f.name) for f in fields(check) if f.name != "extra"}
    return {**{key: value for key, value in known.items() if value is not None}, **check.extra}


def from_text(text: str) -> Baseline:
    """Return what a file says. UsageError says in one line what is wrong with it."""
    try:
        document = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it is no JSON: {error}") from None
    top = _object(document, "it")
    version = top.pop("nsystui_baseline", None)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UsageError("it is no baseline: it has no nsystui_baseline")
    if version > VERSION:
        raise UsageError(f"a newer nsystui made it (version {version}, this one reads {VERSION})")
    runs = tuple(_run(item, f"run {n}") for n, item in enumerate(_list(top.pop("runs", []), "runs"), 1))
    checks = tuple(
        _check(item, f"check {n}") for n, item in enumerate(_list(top.pop("checks", []), "checks"), 1)
    )
    pinned = _object(top.pop("pinned", {}), "pinned")
    return Baseline(
        made=_object(top.pop("made", {}), "made"),
        context=_object(top.pop("context", {}), "context"),
        runs=runs,
        pinned={name: _number(value, f"pinned {name}") for name, value in pinned.items()},
        checks=checks,
        extra=top,
    )


def read(path: Path) -> Baseline:
    """Return the baseline in a file. UsageError where there is none."""
    try:
        return from_text(path.read_text(encoding="utf-8"))
    except (UsageError, UnicodeDecodeError) as error:
        what = error if isinstance(error, UsageError) else "it is no UTF-8 text"
        raise UsageError(f"can't read the baseline {path}: {what}") from None
    except OSError as error:
        raise UsageError(f"can't read the baseline {path}: {error.strerror or error}") from error


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{what} is no object")
    return dict(value)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise UsageError(f"{what} is no list")
    return value


def _number(value: Any, what: str, *, least: int = -LARGEST) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= LARGEST:
        raise UsageError(f"{what} is no number that it can be")
    return value


def _count(value: Any, what: str) -> int:
    return int(_number(value, what, least=0))


def _sums(value: Any, what: str) -> dict[str, int]:
    return {name: int(_number(ns, f"{what} {name}")) for name, ns in _object(value, what).items()}


def _run(value: Any, what: str) -> RunRecord:
    run = _object(value, what)
    metrics = {}
    for name, figures in _object(run.pop("metrics", {}), f"{what}: metrics").items():
        where = f"{what}: {name}"
        if len(_list(figures, where)) != 3:
            raise UsageError(f"{where} is not [median, MAD, n]")
        spread = None if figures[1] is None else _number(figures[1], where, least=0)
        metrics[name] = Measured(_number(figures[0], where), spread, _count(figures[2], where))
    utc = run.pop("utc", None)
    return RunRecord(
        utc=utc if utc is None else str(utc),
        reports=_count(run.pop("reports", 0), f"{what}: reports"),
        missing=_count(run.pop("missing", 0), f"{what}: missing"),
        metrics=metrics,
        slowest=_sums(run.pop("slowest", {}), f"{what}: slowest"),
        middle=_sums(run.pop("median", {}), f"{what}: median"),
        idle=_sums(run.pop("idle", {}), f"{what}: idle"),
        names=tuple(map(str, _list(run.pop("names", []), f"{what}: names"))),
        extra=run,
    )


def _check(value: Any, what: str) -> Check:
    check = _object(value, what)
    metric = check.pop("metric", None)
    if not isinstance(metric, str):
        raise UsageError(f"{what} names no metric")
    known: dict[str, Any] = {}
    for key, words in WORDS.items():
        known[key] = check.pop(key, words[0])
        if known[key] not in words:
            raise UsageError(f"{what}: {key} is neither {' nor '.join(words)}")
    for key in NUMBERS:
        given = check.pop(key, None)
        known[key] = None if given is None else _number(given, f"{what}: {key}", least=0)
    return Check(metric, **known, extra=check)
