"""The same questions to nsys and to us: the rows of every report and rule, or why there are none."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.nsys.oracle.questions import Question
from tui.cli import main

NSYS = shutil.which("nsys")
"""The nsys on PATH, the oracle of these tests; None: there is none."""

Rows = tuple[tuple[str, ...], ...]

SECONDS = 120.0
_STATUS = re.compile(r"Processing \[[^]]*\] with \[[^]]*\](?:\([^)]*\))? to \[[^]]*\]\.\.\. ")
_ERROR = re.compile(r"^ERROR: \w+ '(\w+)\.py' (.*)", re.M)


@dataclass(frozen=True)
class Answer:
    """The rows of one report, the first being its header; none where there was nothing to report."""

    rows: Rows = ()
    said: str = ""
    failed: bool = False


def read_json(path: Path) -> Rows:
    """The rows of a list of objects, numbers as they are spelled. nsys's CSV leaves newlines unquoted."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if not text.strip():
        return ()
    records = json.loads(text, parse_int=str, parse_float=str, strict=False)
    return (tuple(records[0]), *(tuple(map(str, record.values())) for record in records)) if records else ()


def read_csv(path: Path) -> Rows:
    """The cells of a CSV file; none where there is no file."""
    if not path.exists():
        return ()
    with path.open(newline="", encoding="utf-8") as stream:
        return tuple(tuple(row) for row in csv.reader(stream))


def ask_nsys(questions: Sequence[Question], report: Path, folder: Path) -> dict[Question, Answer]:
    """What `nsys stats` or `nsys analyze` prints; one process, since starting one takes longest.

    The questions are of one command. An error sticks to the reports after it: those are asked again.
    """
    assert NSYS is not None
    left, found = list(questions), {}
    while left:
        shutil.rmtree(folder, ignore_errors=True)  # nsys imports what lies around and overwrites nothing
        folder.mkdir(parents=True)
        names = ",".join(question.nsys for question in left)
        arguments = [
            "nice",
            NSYS,
            left[0].command,
            "-r",
            names,
            "--format",
            "json",
            "-o",
            str(folder / "nsys"),
        ]
        done = subprocess.run(
            [*arguments, str(report)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        errors = dict(_ERROR.findall(done.stdout + done.stderr))
        said = [part.strip() for part in _STATUS.split(done.stdout)[1:]]
        if len(said) != len(left):
            raise RuntimeError(f"nsys answered {len(said)} of {len(left)}: {done.stdout}{done.stderr}")
        for number, question in enumerate(left):
            error = errors.get(question.report, "")
            rows = read_json(folder / f"nsys_{question.nsys.replace(':', '_')}.json")
            found[question] = Answer(rows, error or said[number], bool(error))
            if error:
                left = left[number + 1 :]
                break
        else:
            break
    return found


def ask_us(questions: Sequence[Question], report: Path, folder: Path) -> dict[Question, Answer]:
    """What our commands of the same names print, run in this process."""
    output, found = folder / "ours.csv", {}
    for question in questions:
        output.unlink(missing_ok=True)
        arguments = [
            question.command,
            str(report),
            "-r",
            question.ours,
            "-f",
            "csv",
            "--raw",
            *question.options,
        ]
        talk = io.StringIO()
        with contextlib.redirect_stdout(talk), contextlib.redirect_stderr(talk):
            code = main([*arguments, "-o", str(output), "--cache-dir", str(folder / "cache")])
        found[question] = Answer(read_csv(output), talk.getvalue().strip(), code not in (0, 3))
    return found
