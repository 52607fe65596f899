"""What late arrival costs the group of ranks that loses most by it.

Groups that communicate with each other only lose their time side by side: what they lose is not added up.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui.ranks.straggler import LevelVerdict, Standing, Verdict
from tui.ranks.waits import Waits
from tui.report.columns import Bool


def dearest(
    waits: Waits, verdict: LevelVerdict, chosen: Sequence[Bool], standing: Standing | None = None
) -> int:
    """By how much last arrivers were late (``standing``: this one), in the worst communicator (ns).

    ``chosen``: by communicator, which instances count.
    """
    wanted = None
    if standing is not None:
        wanted = standing.name if standing.rank is None else str(standing.rank)
    costs = [0]
    for arrivals, table, mask in zip(waits.arrivals(verdict.level), waits.instances, chosen, strict=True):
        if arrivals is None or (wanted is not None and wanted not in arrivals.groups):
            continue
        sure = mask & table.judged & (arrivals.margin_ns > waits.floor_ns) & (arrivals.last >= 0)
        if wanted is not None:
            sure &= arrivals.last == arrivals.groups.index(wanted)
        costs.append(int(arrivals.margin_ns[sure].sum()))
    return max(costs)


def costs_of(waits: Waits, verdict: Verdict, chosen: Sequence[Bool]) -> tuple[int, dict[str, int]]:
    """(what whoever was last costs, what each that is named costs), in the worst communicator (ns)."""
    found = verdict.chosen
    named = {standing.name: dearest(waits, found, chosen, standing) for standing in verdict.who}
    return dearest(waits, found, chosen), named
