"""What a command prints, and whether a figure is in it: in JSON exactly, in text as a reader finds it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tui.cli import main
from tui.commands.shared import opening
from tui.text.times import show_duration

FIGURE = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?) ?(ns|us|ms|s|MB|GB/s|GB|%|times)?(?![\w/])")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
CHARGED = re.compile(r" \([^()]* of it counts here\)|, [^,]* more than usual")
"""What of a stretch a finding is charged with: `diagnose --only FAULT` lists that time."""


class Printer:
    """Runs commands as they stand, in this process; a report is opened once, whatever reads it."""

    def __init__(self, monkeypatch, capsys, cache: Path) -> None:
        self._capsys, self._cache = capsys, cache
        self._opened, self._known = {}, {}
        real = opening.open_report

        def open_once(args, path=None):
            name = str(path or args.report)
            if name not in self._opened:
                self._opened[name] = real(args, path)
            return self._opened[name]

        monkeypatch.setattr(opening, "open_report", open_once)

    def printed(self, command: str, fmt: str) -> str:
        """The stdout of ``command`` with ``-f fmt``; it must succeed."""
        if (command, fmt) not in self._known:
            words = shlex.split(command)
            assert words[0] == "nsystui", command
            self._capsys.readouterr()
            status = main([*words[1:], "-f", fmt, "--cache-dir", str(self._cache)])
            self._known[command, fmt] = self._capsys.readouterr()
            assert status == 0, (command, self._known[command, fmt].err)
        return self._known[command, fmt].out

    def numbers(self, command: str) -> set[int | float]:
        """The figures that ``command`` is there for, from what it prints as JSON."""
        said = json.loads(self.printed(command, "json"))
        return set(_numbers(ANSWERS[command.split()[1]](said, " --busy " in command)))

    def text(self, command: str) -> str:
        """What ``command`` prints for people, without the lines that name its window."""
        first, *lines = self.printed(command, "table").splitlines()
        if command.startswith("nsystui gaps"):  # the first lines: the window, then shares of its length
            first, lines[1:3] = "", [re.sub(r" of [\d.]+ [num]?s$", "", " ".join(lines[1:3]))]
        return "\n".join([first, *(line for line in lines if not line.lstrip().startswith("window:"))])


def _of_gaps(said, narrow):
    """Idle time; of a stretch without kernels or compute the gaps between those."""
    if not narrow:
        return [device["idle_ns"] for device in said["devices"]]
    return [device[kind]["idle_ns"] for device in said["devices"] for kind in ("listed_gaps", "short_gaps")]


ANSWERS = {
    "gaps": _of_gaps,
    "steps": lambda said, _: [
        [step["duration_ns"], step["exposed_comm_ns"]] for rows in said["sequences"] for step in rows["steps"]
    ],
    "stats": lambda said, _: [report["rows"] for report in said["reports"]],
    "samples": lambda said, _: [row["samples"] for row in said["rows"]],
    "threads": lambda said, _: [row["migrations"] for row in said["rows"]],
    "analyze": lambda said, _: [[rule["found"], rule["total_ns"]] for rule in said["rules"]],
    "classes": lambda said, _: [[row["kernels"], row["ns"]] for row in said["rows"]],
    "memory": lambda said, _: [said["rows"], said["devices"]],
    "um": lambda said, _: [said["rows"], said["coverage"]],
    "info": lambda said, _: [said["devices"], said["processes"]],
    "diagnose": lambda said, _: [[e["value"] for e in f["evidence"]] for f in said["findings"]],
}
"""By command, where its figures stand: not its window, whose numbers the command line itself holds."""


def _numbers(value):
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


def figures(sentence: str) -> list[str]:
    """The figures that a sentence states, with their units; numbers of steps and devices are none."""
    said = CHARGED.sub("", re.sub(r"'[^']*'|\b(step|GPU) \d+|\b\d+ of \d+\b", "", sentence))
    return [m[0].strip() for m in FIGURE.finditer(said)]


def shows(text: str, figure: str) -> bool:
    """Whether ``text`` holds ``figure``, as it is written there or in the unit that ``text`` prints."""
    if re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d.,]*\d)", text):
        return True
    match = FIGURE.fullmatch(figure)
    number, unit = match[1].replace(",", ""), match[2] or ""
    decimals = len(number.partition(".")[2])
    for found in NUMBER.findall(text):
        printed = found.replace(",", "")
        if unit in ("ns", "us", "ms", "s"):
            if "." not in printed and show_duration(int(printed)) == figure:
                return True
        elif any(f"{float(printed) / scale:.{decimals}f}" == number for scale in (1, 1000)):
            return True
    return False
