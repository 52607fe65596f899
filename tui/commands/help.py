"""``nsystui help``: what a report, a rule or a fault means; for a command, its ``--help``."""

from __future__ import annotations

import argparse

from tui.errors import UsageError
from tui.text.cells import wrapped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the one argument of ``nsystui help``."""
    parser.add_argument(
        "topic",
        metavar="NAME",
        nargs="?",
        help="a command, a report (nvtx_sum), a rule (gpu_gaps) or a fault (hidden-sync)",
    )


def run(args: argparse.Namespace) -> int:
    """Print what each thing of that name means; UsageError where there is none."""
    parts = [part for part in (about_rule(args.topic), about_fault(args.topic)) if part]
    print("\n\n".join(parts) or about_report(args.topic))
    return 0


def about_rule(topic: str) -> str:
    """Return what an analyze rule means; empty where ``topic`` is none."""
    from tui.analysis.rule_limits import LIMITS
    from tui.analysis.rules import RULES, described

    rule = RULES.get(topic)
    if rule is None:
        return ""
    facts = {"means": rule.means, "advice": rule.advice, "nsys": rule.differs}
    facts["set by"] = ", ".join(
        f"{limit.option} {limit.metavar}" for limit in LIMITS if limit.rule == rule.name
    )
    facts["options"] = described(rule)
    return article(rule.name, rule.title, facts, f"nsystui analyze REPORT -r {rule.name}")


def about_fault(topic: str) -> str:
    """Return what a fault of the diagnosis is; empty where ``topic`` is none."""
    from tui.analysis.faults import CATALOGUE

    fault = next((fault for fault in CATALOGUE if fault.slug == topic), None)
    if fault is None:
        return ""
    facts = {
        "seen as": fault.signs,
        "set by": ", ".join(fault.limits) and f"[diagnose] {', '.join(fault.limits)}",
    }
    return article(fault.slug, fault.about, facts, f"nsystui diagnose REPORT --only {fault.slug}")


def about_report(topic: str) -> str:
    """Return what a stats report means; UsageError where ``topic`` is none."""
    from tui.analysis.stats import DEFAULT, choose

    try:
        report = choose(topic).report
    except UsageError:
        raise UsageError(
            f"no command, report or rule {topic!r}; "
            "see `nsystui --help`, `nsystui stats --list`, `nsystui help analyze`"
        ) from None
    facts = {
        "means": report.means,
        "how": report.how,
        "nsys": report.differs,
        "options": ", ".join(f"{report.name}:{option}" for option in report.offers),
        "also": ", ".join(report.aliases),
    }
    default = " (one of the default reports)" if report.name in DEFAULT else ""
    return article(report.name, report.title, facts, f"nsystui stats REPORT -r {report.name}{default}")


def article(name: str, title: str, facts: dict[str, str], command: str) -> str:
    """Lay out a title, the facts that are not empty, each beside its label, and the command that shows it."""
    lines = [f"{name}: {title}", ""]
    for label, text in facts.items():
        if text:
            lines += wrapped(" ".join(text.split()), 80, f"{label:<9}", " " * 9)
    return "\n".join([*lines, "", command])
