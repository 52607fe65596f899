"""Where a report comes from: its host, what its launcher said of it, and how its clocks relate to others.

An environment holds secrets. Of it only the variables that `tui.report.launch_names` lists are looked at;
no other value is kept, quoted in a doubt or put into an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.report.data import Origin
from tui.report.environment import SYSTEM, Pairs, about_environment, known_variables
from tui.report.sqlite.source import Source

_OWN_MACHINE = "Local (CLI)"
"""What nsys calls the machine that it runs on, where it does not know better."""


def read_origin(source: Source, capture: Pairs, export: Pairs) -> Origin:
    """Read what the small tables say; ``capture`` and ``export`` are the rows of the META_DATA tables."""
    system = list(text_pairs(source, SYSTEM))
    capture = list(capture)
    shown = next((value for name, value in capture if name == "DEVICE_DISPLAY_NAME"), "")
    host = next((value for name, value in system if name == "Hostname" and value.strip()), shown)
    clock = _session_clock(source)
    shifts = dict(export)
    normalised = shifts.get("EXPORT_PARAM_TIME_NORMALIZE", "").lower() == "true"
    shift = _number(shifts.get("EXPORT_CONFIG_TIME_SHIFT"))
    if shift is None:
        shift = clock.get("utcEpochNs") if normalised else _number(shifts.get("EXPORT_PARAM_TIME_SHIFT"))
    return Origin(
        host=None if host.strip() in ("", _OWN_MACHINE) else host.strip(),
        variables=known_variables(capture, system),
        system_ns=clock.get("systemClockNs"),
        counter=clock.get("sessionStartCntVctNs"),
        shift_ns=shift,
    )


def text_pairs(source: Source, table: str) -> Iterator[tuple[str, str]]:
    """The rows of a small table of names and values. Nothing that may be of an environment is a doubt."""
    for number, row in enumerate(source.records(table, ["name", "value"]), 1):
        name, value = row.get("name"), row.get("value")
        if table == SYSTEM or about_environment(str(name)):
            source.odd_records.pop((table, number, "value"), None)
        if name is not None and value is not None:
            yield str(name), str(value)


def _session_clock(source: Source) -> dict[str, int]:
    """The clocks at the session's start, those that the export has."""
    wanted = ["utcEpochNs", "systemClockNs", "sessionStartCntVctNs"]
    for row in source.records("TARGET_INFO_SESSION_START_TIME", wanted):
        known = ((name, _number(row.get(name))) for name in wanted)
        return {name: value for name, value in known if value is not None}
    return {}


def _number(value: object) -> int | None:
    """An int64, however it is spelled; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,19}", value.strip()):
        value = int(value)
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None
