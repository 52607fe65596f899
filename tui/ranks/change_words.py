"""What a comparison comes to, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from tui.ranks import limits
from tui.ranks.bootstrap import Interval
from tui.ranks.comparable import Condition
from tui.ranks.compare import Comparison, MetricRow
from tui.ranks.contents import Reason
from tui.ranks.explain import Change, Changes, Explanation, K
from tui.ranks.kernel_changes import KernelChange
from tui.ranks.metrics import Metric, MetricUnit
from tui.ranks.part_words import part_words, signed
from tui.text.numbers import plural
from tui.text.times import rough

_REST = "names that were not kept"
_SHOWN = 3
"""Parts that a sentence names: more are read in the table."""
_WORTH_NAMING = 0.1
"""Of the largest part; smaller ones are read in the table."""


def verdict_lines(found: Comparison) -> list[str]:
    """Return the verdict, where the difference went, and what was not the same; each a sentence."""
    lines = [headline(found), *where_it_went(found)]
    if found.scaling is not None:
        lines.append(
            f"computation scaling {found.scaling:.3f}: device work of a step before, over that after"
        )
    different = [condition_text(c) for c in found.conditions if c.same is False]
    return [*lines, *([f"not the same: {'; '.join(different)}"] if different else [])]


def headline(found: Comparison) -> str:
    """``slower: step +5.4 ms (+22.7 %, 95 % interval +21.0 to +24.1 %): 23.8 ms -> 29.2 ms``."""
    row = found.headline
    metric, moved = row.metric, row.shift
    change = value_text(metric, moved.delta, sign=True)
    if moved.delta_pct is not None:
        change += f" ({moved.delta_pct:+.1f} %, {interval_text(row)})"
    values = f"{value_text(metric, moved.before)} -> {value_text(metric, moved.after)}"
    return f"{row.verdict}: {metric.words} {change}: {values}"


def interval_text(row: MetricRow) -> str:
    """``95 % interval +21.0 to +24.1 %``, or why there is none."""
    interval = row.shift.interval_pct
    if interval is not None:
        return f"{100 * limits.CONFIDENCE.value:.0f} % interval {bounds_text(interval)}"
    what = "step" if row.metric.per_step else "run"
    counts = " and ".join(plural(count, what) for count in row.counted)
    return f"no interval: {counts}, {limits.MIN_STEPS.value:.0f} are needed"


def bounds_text(interval: Interval) -> str:
    """``+21.0 to +24.1 %``."""
    return f"{interval.low:+.1f} to {interval.high:+.1f} %"


def where_it_went(found: Comparison) -> list[str]:
    """Return the parts that make most of the difference, of the slowest and of the median rank."""
    lines = []
    ranks = [("slowest rank", found.latest), ("median rank", found.middle)]
    if found.middle is None:
        ranks = [("of that", found.latest)]
    for name, explained in ranks:
        text = explained and parts_text(explained, host_only=host_only(found))
        if text and explained:
            who = who_text(explained) if found.middle is not None else ""
            lines.append(f"{name}{who}: {text}")
    return lines


def host_only(found: Comparison) -> bool:
    """Whether no rank has device work."""
    return all(rank.summary.host_only for side in (found.before, found.after) for rank in side.ranks)


def who_text(explained: Explanation) -> str:
    """`` (rank 2 in 39 of 39)``: who it was after the change, if it was one rank most of the time."""
    after: Mapping[str, int] = explained.who[1]
    total = sum(after.values())
    name, count = max(after.items(), key=lambda item: item[1], default=("", 0))
    return f" (rank {name} in {count:,} of {total:,})" if 2 * count > total else ""


def parts_text(explained: Explanation, *, host_only: bool) -> str:
    """``idle +86.6 ms (host code in data_to_gpu +84.1 ms), compute +1.8 ms``; empty where nothing changed."""
    texts = []
    for row in largest(explained.step):
        words = f"{part_words(row.what, host_only=host_only)} {signed(row.delta)}"
        inner = []
        if row.what == "idle":
            inner = [f"{reason_text(r.what)} {signed(r.delta)}" for r in largest(explained.idle, row.delta)]
        elif row.what == "host":
            inner = [f"{r.what} {signed(r.delta)}" for r in largest(explained.phases, row.delta) if r.what]
        texts.append(words + (f" ({', '.join(inner)})" if inner else ""))
    return ", ".join(texts)


def largest(found: Changes[K], like: int = 0) -> list[Change[K]]:
    """Return the rows worth naming, the largest first. ``like``: those of that sign only."""
    rows = [row for row in found.by_size().rows if row.delta and (not like or (row.delta > 0) == (like > 0))]
    return [row for row in rows if abs(row.delta) >= _WORTH_NAMING * abs(rows[0].delta)][:_SHOWN]


def reason_text(reason: Reason) -> str:
    """``host code in data_to_gpu``, ``synchronisation cudaStreamSynchronize in backward``."""
    words = " ".join(part for part in (reason.cause.words, reason.call) if part)
    return f"{words} in {reason.phase}" if reason.phase else words


def kernel_name(row: KernelChange, short: dict[str, str]) -> str:
    """Return what a row is called: ``gemm``, or ``sgemm -> nvjet`` for one that took another's place."""
    names = list(dict.fromkeys(short[name] for name in (row.before_name, row.after_name) if name))
    return " -> ".join(names) if names else f"{row.kernel_class.value}: {_REST}"


def condition_text(condition: Condition) -> str:
    """``ranks 4 -> 8``; of long lists what only one side has."""
    before, after = condition.before or (), condition.after or ()
    if len(before) > 1 or len(after) > 1:
        only = [
            f"{name} only {where}"
            for where, mine, other in (("before", before, after), ("after", after, before))
            for name in mine
            if name not in other
        ]
        return f"{condition.what}: {', '.join(only)}"
    return f"{condition.what} {', '.join(before)} -> {', '.join(after)}"


def value_text(metric: Metric, value: float, *, sign: bool = False) -> str:
    """Write a value of a metric in its unit."""
    if metric.unit is MetricUnit.NS:
        whole = round(value)
        return signed(whole) if sign else rough(whole)
    plus = "+" if sign and value > 0 else ""
    if metric.unit is MetricUnit.PCT:
        return f"{value:+.1f} points" if sign else f"{value:.1f} %"
    if metric.unit is MetricUnit.GBPS:
        return f"{plus}{value:.2f} GB/s"
    return f"{plus}{value:,.0f}" if value == int(value) else f"{plus}{value:,.1f}"
