"""The lanes of values among those of events: below their device or thread, or after the devices."""

from __future__ import annotations

from dataclasses import replace

from tui.report.model import Report
from tui.timeline.aside import is_overhead
from tui.timeline.extra import extra_lanes
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.naming import device_detail, thread_detail, thread_titles
from tui.timeline.series import Heading


def with_extra_lanes(tree: LaneTree, report: Report) -> LaneTree:
    """The tree with the lanes of all providers, folded at first. Adds them to the lanes of ``tree``.

    One that names a table has the lane of its owner's events of that table below it.
    They are for a report that has been read to its end: of one that is still being read there are none.
    """
    if report.loading:
        return tree
    devices: dict[int, list[Lane]] = {}
    threads: dict[int, list[Lane]] = {}
    machine: list[Lane] = []
    values: set[str] = set()
    for lane in extra_lanes(report):
        values.update(inner.key for inner in lane.walk())
        if lane.device >= 0:
            devices.setdefault(lane.device, []).append(lane)
        elif lane.thread >= 0:
            threads.setdefault(lane.thread, []).append(lane)
        else:
            machine.append(_at_depth(lane, 0))
    if not (devices or threads or machine):
        return tree
    for root in tree.roots:
        # A stray lane names neither.
        mine = devices.pop(root.device, []) if root.device >= 0 else threads.pop(root.thread, [])
        for lane in mine:
            _adopt(root, lane)
        root.children += tuple(_at_depth(lane, 1) for lane in mine)
        root.children = tuple(sorted(root.children, key=is_overhead))
    of_devices = [root for root in tree.roots if root.device >= 0]
    rest = [root for root in tree.roots if root.device < 0]
    of_devices += [_device(report, number, lanes) for number, lanes in sorted(devices.items())]
    titles = thread_titles(report, sorted({*threads, *(root.thread for root in rest if root.thread >= 0)}))
    rest += [_thread(report, number, titles[number], lanes) for number, lanes in sorted(threads.items())]
    found = LaneTree((*of_devices, *machine, *rest), tree.catalogue, tree.folded_first)
    return replace(found, folded_first=tree.folded_first | values)


def _adopt(root: Lane, lane: Lane) -> None:
    """Put the lane of the events of which ``lane`` shows the values below it."""
    if lane.table:
        lane.children += tuple(child for child in root.children if child.table == lane.table)
        root.children = tuple(child for child in root.children if child.table != lane.table)


def _at_depth(lane: Lane, depth: int) -> Lane:
    lane.depth = depth
    for child in lane.children:
        _at_depth(child, depth + 1)
    return lane


def _heading(lane: Lane, lanes: list[Lane]) -> Lane:
    lane.take((Heading(title=""),))
    lane.children = tuple(_at_depth(child, 1) for child in lanes)
    return lane


def _device(report: Report, number: int, lanes: list[Lane]) -> Lane:
    """A heading for a device without work of its own."""
    device = report.devices[number]
    name = f"GPU {device.cuda_id}"
    lane = Lane(f"gpu{device.cuda_id}", LaneKind.SERIES, name, device_detail(device), device=number)
    return _heading(lane, lanes)


def _thread(report: Report, number: int, title: str, lanes: list[Lane]) -> Lane:
    """A heading for a thread without events."""
    thread = report.threads[number]
    detail = thread_detail(report.processes[thread.process], thread)
    key = f"values/t{thread.global_tid}"
    lane = Lane(key, LaneKind.SERIES, title, detail, thread=number, process=thread.process)
    return _heading(lane, lanes)
