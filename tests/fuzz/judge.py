"""What may come of a command: a whole answer in its format, or one line on stderr and nothing on stdout."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.fuzz import delimited

GOOD, UNREADABLE, NOTHING_THERE = 0, 2, 3

# C0 but line feed, DEL, C1, direction overrides and isolates, line separators, lone surrogates.
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
SEPARATORS = {"csv": ",", "tsv": "\t"}
_TALK = ("nsystui: ", "SKIPPED: ")


@dataclass(frozen=True)
class Outcome:
    """One finished command: its exit code and everything that it wrote."""

    code: int
    out: bytes
    err: bytes
    log: str = ""
    """The crash log, where one was written."""

    def text(self) -> str:
        return self.out.decode()

    def reason(self) -> str:
        """The last line on stderr."""
        lines = self.err.decode("utf-8", "replace").splitlines()
        return lines[-1] if lines else ""


def complaints(outcome: Outcome, fmt: str) -> list[str]:
    """What is wrong with an outcome, by form alone; ``fmt``: text, csv, tsv or json."""
    found = []
    if outcome.log or b"unexpected error" in outcome.err:
        found.append(f"crashed: {last_lines(outcome.log) or outcome.reason()}")
    if b"Traceback" in outcome.err or b"Traceback" in outcome.out:
        found.append("a traceback")
    if outcome.code not in (GOOD, UNREADABLE, NOTHING_THERE):
        found.append(f"exit code {outcome.code}")
    try:
        err, out = outcome.err.decode(), outcome.out.decode()
    except UnicodeDecodeError as error:
        return [*found, f"output that is no UTF-8: {error}"]
    if unsafe := _UNSAFE.search(err):
        found.append(f"{unsafe[0]!r} on stderr")
    for line in err.splitlines():
        if not line.startswith(_TALK):
            found.append(f"talk of another form on stderr: {line[:100]!r}")
            break
    if outcome.code != GOOD:
        lines = [line for line in err.splitlines() if line.startswith("nsystui: ")]
        # Before "there is none of that" a command may have told of doubtful rows or a clamped range.
        enough = len(lines) == 1 or (lines and outcome.code == NOTHING_THERE)
        if not enough or not err.endswith("\n"):
            found.append(f"{len(lines)} lines say why: {err[-300:]!r}")
        if out:
            found.append(f"exit code {outcome.code} with {len(out)} characters on stdout")
        return found
    return found + [f"stdout: {what}" for what in malformed(out, fmt)]


def malformed(out: str, fmt: str) -> list[str]:
    """What is wrong with the form of an answer."""
    if not out.endswith("\n"):
        return [f"ends in the middle of a line: {out[-60:]!r}"]
    if fmt in SEPARATORS:
        try:
            delimited.tables(out, SEPARATORS[fmt])
        except ValueError as error:
            return [str(error)]
        return []
    if unsafe := _UNSAFE.search(out):
        return [f"{unsafe[0]!r} in {out[max(0, unsafe.start() - 40) : unsafe.end() + 20]!r}"]
    if fmt == "json":
        try:
            document(out)
        except ValueError as error:
            return [f"no JSON: {error}"]
    return []


def document(out: str) -> Any:
    """The JSON document ``out``. ValueError also for NaN and infinities, which are no JSON."""

    def refuse(word: str) -> float:
        raise ValueError(word)

    return json.loads(out, parse_constant=refuse)


def last_lines(log: str) -> str:
    """Where and why, of a traceback."""
    places = re.findall(r'File "[^"]*/(tui/[^"]+)", line (\d+)', log)
    where = ":".join(places[-1]) if places else "?"
    lines = log.strip().splitlines()
    return f"{where}: {lines[-1]}" if lines else ""


def contradictions(outcomes: dict[str, Outcome]) -> list[str]:
    """Commands that disagree about whether the file can be read at all, or why not."""
    refused = {name: o.reason() for name, o in outcomes.items() if o.code == UNREADABLE and not o.log}
    if not refused:
        return []
    if len(refused) < len(outcomes):
        name, reason = next(iter(refused.items()))
        others = [name for name in outcomes if name not in refused]
        return [f"{name} says {reason!r}, while {', '.join(others)} went through"]
    reasons = set(refused.values())
    return [] if len(reasons) == 1 else [f"different reasons: {sorted(reasons)}"]
