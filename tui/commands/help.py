"""``nsystui help``: what a command, a report, a rule or a fault means."""

from __future__ import annotations

import argparse

from tui.errors import UsageError

NAME = "help"
SUMMARY = "what a command, a stats report, an analyze rule or a fault means"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The one argument of ``nsystui help``."""
    parser.add_argument(
        "topic",
        metavar="NAME",
        nargs="?",
        help="a command, a report (nvtx_sum), a rule (gpu_gaps) or a fault (hidden-sync)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the help of the topic; without one, the help of nsystui."""
    from tui.commands.lookup import COMMANDS, load, overview, parser_of

    command = load(args.topic) if args.topic in COMMANDS else None
    if args.topic is None or command is not None:
        (overview() if command is None else parser_of(command)).print_help()
        return 0
    print("\n".join(about_rule(args.topic) or about_fault(args.topic) or about_report(args.topic)))
    return 0


def about_rule(topic: str) -> list[str]:
    """What an analyze rule means; nothing where ``topic`` is none."""
    from tui.analysis.rules import RULES

    rule = RULES.get(topic)
    if rule is None:
        return []
    lines = [f"{rule.name}: {rule.title}", ""]
    lines += (
        paragraph("means", rule.means) + paragraph("advice", rule.advice) + paragraph("nsys", rule.differs)
    )
    if rule.options:
        lines += paragraph("set by", rule.options)
    return [*lines, "", f"nsystui analyze REPORT -r {rule.name}"]


def about_fault(topic: str) -> list[str]:
    """What a fault of the diagnosis is; nothing where ``topic`` is none."""
    from tui.analysis.faults import CATALOGUE

    for fault in CATALOGUE:
        if fault.slug == topic:
            lines = [f"{fault.slug}: {fault.about}", ""]
            lines += paragraph("seen as", (fault.examine.__doc__ or "").strip())
            return [*lines, "", f"nsystui diagnose REPORT --only {fault.slug}"]
    return []


def about_report(topic: str) -> list[str]:
    """What a stats report means; UsageError where ``topic`` is none either."""
    from tui.analysis.stats import DEFAULT, choose

    try:
        report = choose(topic).report
    except UsageError:
        raise UsageError(
            f"no command, report or rule {topic!r}; "
            "see `nsystui --help`, `nsystui stats --list`, `nsystui help analyze`"
        ) from None
    lines = [f"{report.name}: {report.title}", ""]
    lines += (
        paragraph("means", report.means) + paragraph("how", report.how) + paragraph("nsys", report.differs)
    )
    if report.options:
        lines += paragraph("options", ", ".join(f"{report.name}:{option}" for option in report.options))
    if report.aliases:
        lines += paragraph("also", ", ".join(report.aliases))
    default = " (one of the default reports)" if report.name in DEFAULT else ""
    return [*lines, "", f"nsystui stats REPORT -r {report.name}{default}"]


def paragraph(label: str, text: str) -> list[str]:
    """``text`` wrapped beside its label."""
    from tui.text.cells import wrapped

    return wrapped(" ".join(text.split()), 80, f"{label:<9}", " " * 9) if text else []
