"""Which report of a host shows its adapters: several ranks of a host may have sampled the same ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePath

from tui.analysis.network.series import NetworkSamples, NetworkSeries

Key = tuple[str | int | None, ...]


@dataclass
class Shown:
    """By host and port which of several reports shows it."""

    best: dict[Key, tuple[int, str]] = field(default_factory=dict)
    """The number of samples, and the path of the report that has most; of equal ones the first."""

    def add(self, report: str, host: str | None, samples: NetworkSamples) -> None:
        """Add the ports of a report, by its path; of an unknown ``host`` it stands for itself."""
        for one in samples.series:
            key = _key(report, host, one)
            if key not in self.best or len(one.values) > self.best[key][0]:
                self.best[key] = len(one.values), report

    def of(self, report: str, host: str | None, samples: NetworkSamples) -> tuple[NetworkSamples, list[str]]:
        """The part of a report's samples that is shown, and the reports that show the rest."""
        places = [(one, self.best[_key(report, host, one)][1]) for one in samples.series]
        others = sorted({PurePath(other).name for _, other in places if other != report})
        return replace(samples, series=tuple(one for one, where in places if where == report)), others


def _key(report: str, host: str | None, one: NetworkSeries) -> Key:
    where = ("report", report) if host is None else ("host", host)
    return (*where, one.device.guid or one.device.name, one.port, one.metric)
