"""What a diagnosis says in words on paper and on the screen alike."""

from __future__ import annotations

from collections.abc import Iterator

from tui.analysis.diagnosis import Diagnosis, Finding
from tui.text.numbers import share_spaced

CHECKED = "Checked, and fine"
RESTS_ON = "What it rests on, and can't show"


def share_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """``GPU 0: compute 63.1 %, exposed communication 0.0 %, copies alone 2.0 %, idle 34.9 %``, a device each.

    What runs hidden behind compute follows.
    """
    for row in diagnosis.busy.devices:
        busy = row.busy
        parts = [
            (busy.compute_ns, "compute", True),
            (busy.exposed_comm_ns, "exposed communication", True),
            (busy.copy_only_ns, "copies alone", True),
            (busy.other_ns, "work of other APIs", False),
            (busy.unknown_ns, "unknown", False),
            (busy.idle_ns, "idle", True),
        ]
        texts = [f"{word} {share_spaced(ns, busy.window_ns)}" for ns, word, always in parts if ns or always]
        hidden = [
            f"{word} {share_spaced(ns, busy.window_ns)}"
            for ns, word in ((row.hidden_comm_ns, "communication"), (row.hidden_copy_ns, "copies"))
            if ns
        ]
        beside = f"; hidden beside kernels: {', '.join(hidden)}" if hidden else ""
        yield f"GPU {busy.device.cuda_id}: {', '.join(texts)}{beside}"


def not_found_text(diagnosis: Diagnosis) -> str:
    """``looked for, and not found or too small to matter: gc-pauses, ...``."""
    return f"looked for, and not found or too small to matter: {', '.join(diagnosis.not_found)}"


def checked_text(finding: Finding) -> str:
    """``cuda_api_sync: waits for a device, with the device busy all the while; ...``."""
    said = [reason for reason in finding.reasons if reason not in finding.title]
    return "; ".join([f"{finding.fault}: {finding.title}", *said])
