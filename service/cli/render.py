"""Ports and findings for people, on a terminal."""

from __future__ import annotations

from itertools import zip_longest

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agents.models import Action, Finding, Outcome, Port, TargetVerdict
from agents.orchestrator.report import HEADLINES
from service.text import printable

_STYLES = {
    Outcome.ACCEPTED: "bold green",
    Outcome.REJECTED: "bold red",
    Outcome.NEEDS_ATTENTION: "bold yellow",
    Outcome.UNVERIFIED: "bold yellow",
}
_ACTIONS = {
    Action.FIXED: ("fixed", "green"),
    Action.TO_DO: ("to do", "bold red"),
    Action.NOTED: ("noted", "dim"),
}


def print_port(console: Console, port: Port) -> None:
    """The report's essence: what the naive port does, the faults by line, the verdict and its evidence."""
    parts: list[RenderableType] = []
    if port.naive:
        parts += [Rule("with renames only", align="left", style="dim")]
        parts += [_target_block(target, port) for target in port.naive]
    if port.source.findings:
        parts += [Rule("findings", align="left", style="dim"), *_finding_blocks(port.source.findings)]
    parts += [Rule("the port", align="left", style="dim")]
    parts += [_target_block(target, port) for target in port.verdict.targets]
    console.print(Group(*parts))
    console.print(_headline(port), soft_wrap=True)
    for reason in port.verdict.reasons:
        console.print(Text(f"  {printable(reason)}"))
    if port.verdict.evidence is not None:
        console.print(Text("does not show: " + "; ".join(port.verdict.not_shown), style="dim"))
    console.print(_timing(port))


def findings_table(findings: tuple[Finding, ...]) -> list[Text]:
    """One compiler-style line a finding."""
    lines = []
    for finding in findings:
        word, style = _ACTIONS[finding.action]
        text = Text(f"{printable(finding.file)}:{finding.line}:{finding.column}: ")
        text.append(word, style=style)
        text.append(f": {finding.title} [{finding.fault}, {finding.severity}]: {printable(finding.message)}")
        lines.append(text)
    return lines


def _headline(port: Port) -> Text:
    outcome = port.verdict.outcome
    text = Text("\n")
    text.append(outcome.value, style=_STYLES[outcome])
    text.append(f" ({port.verdict.evidence or 'did not build'}) ")
    text.append(HEADLINES[outcome].split(": ", 1)[1])
    text.append(f"  [{', '.join(t.target for t in port.verdict.targets)}]  id {port.id}")
    return text


def _target_block(target: TargetVerdict, port: Port) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    head = Text(f"{target.target:8}", style="bold")
    state = Text(_state(target), style=_STYLES[target.outcome])
    table.add_row(head, state)
    differences = _expected_and_got(target)
    for reason in target.reasons:
        if not (target.comparison and any(reason.startswith(f"{d.where}: ") for d in target.comparison.differences)):
            table.add_row("", Text(printable(reason)))
    return Padding(Group(table, *differences), (0, 0, 0, 2))


def _state(target: TargetVerdict) -> str:
    if target.build is None or not target.build.ok:
        return "does not build"
    if target.outcome is Outcome.ACCEPTED:
        return f"builds, and is right ({target.evidence})"
    if target.outcome is Outcome.REJECTED:
        return f"builds, and is wrong ({target.evidence})"
    return f"{target.outcome} ({target.evidence})"


def _expected_and_got(target: TargetVerdict) -> list[Text]:
    lines = []
    for difference in (target.comparison.differences if target.comparison else ())[:3]:
        lines.append(Text(f"         {printable(difference.where)}", style="dim"))
        lines.append(Text(f"           expected  {printable(difference.expected)}", style="green"))
        lines.append(Text(f"           got       {printable(difference.got)}", style="red"))
    return lines


def _finding_blocks(findings: tuple[Finding, ...]) -> list[RenderableType]:
    """Findings of one line stand together, with what became of the line below the last of them. A fault that
    stands on a line more than once is told once."""
    blocks = []
    told = list({(f.file, f.line, f.fault, f.action): f for f in findings}.values())
    for finding, following in zip_longest(told, told[1:]):
        same_line = following is not None and (following.file, following.line) == (finding.file, finding.line)
        blocks.append(_finding_block(finding, show_line=not same_line))
    return blocks


def _finding_block(finding: Finding, *, show_line: bool) -> RenderableType:
    word, style = _ACTIONS[finding.action]
    head = Text(f"{printable(finding.file)}:{finding.line}  ", style="bold")
    head.append(word, style=style)
    head.append(f"  {finding.title} ")
    head.append(f"[{finding.fault}, {finding.severity}]", style="dim")
    body: list[RenderableType] = [head, Padding(Text(printable(finding.message), style="dim"), (0, 0, 0, 4))]
    if show_line and finding.snippet:
        changed = finding.action is Action.FIXED and bool(finding.replacement)
        body.append(
            Text(f"    {'-' if changed else ' '} {printable(finding.snippet.strip())}", style="red" if changed else "")
        )
        if changed:
            body.append(Text(f"    + {printable(finding.replacement.strip())}", style="green"))
    return Padding(Group(*body), (0, 0, 0, 2))


def _timing(port: Port) -> Text:
    spent = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in port.seconds.items() if seconds >= 0.05)
    return Text(f"time: {spent}", style="dim") if spent else Text()
